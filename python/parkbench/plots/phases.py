"""Where the milliseconds of a response go: one bar per name, one part per phase."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.patches import Patch
from matplotlib.ticker import StrMethodFormatter

from parkbench.plots import theme
from parkbench.plots.articles import drawn, of_leg
from parkbench.record import PHASES, ordered

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 0.005
"""Phases below this share of every bar are drawn together, as `others`."""


def phases(
    frame: pd.DataFrame, concurrency: int | None = None, title: str = "", mode: theme.Mode = "light"
) -> theme.Chart:
    """Stacked bars of the mean phases at one load (the highest when none is given), means over the runs with status ok.

    Of a sweep with an open leg the closed one. Raises ValueError when no run was made at that load, or none with
    status ok.
    """
    frame = of_leg(frame, "closed")
    good = drawn(frame)
    if good.empty:
        raise ValueError("there is no run with status ok to draw")
    load = int(good["concurrency"].max()) if concurrency is None else concurrency
    good = good[good["concurrency"] == load]
    if good.empty:
        loads = ", ".join(str(value) for value in sorted(frame["concurrency"].unique()))
        raise ValueError(f"there is no run with status ok at concurrency {load}; there are runs at {loads}")
    columns = [f"phase_{phase}_ms" for phase in PHASES]
    names = ordered(dict(zip(good["name"], good["model"], strict=True)))
    means = good.groupby("name")[columns].mean().loc[names]
    totals = means.sum(axis=1)
    kept = [phase for phase in PHASES if (means[f"phase_{phase}_ms"] >= SHOWN * totals).any()]
    shown = means[[f"phase_{phase}_ms" for phase in kept]].set_axis(kept, axis=1)
    shown["others"] = totals - shown.sum(axis=1)
    with theme.style(mode) as colours:
        height = 1.1 + 0.42 * len(names) + (0.3 if title else 0.0)
        left_edge = theme.label_width(names) / 9.4
        figure = theme.Chart(figsize=(9.4, height))
        axes = figure.subplots()
        figure.subplots_adjust(
            left=left_edge, right=0.91, top=1 - (0.42 if title else 0.14) / height, bottom=0.84 / height
        )
        parts = {phase: theme.on(mode, theme.PHASE_COLOURS[phase]) for phase in kept} | {"others": colours.axis}
        axes.grid(visible=False, axis="y")
        axes.grid(visible=True, axis="x")
        for row, name in enumerate(names):
            left = 0.0
            for part, colour in parts.items():
                width = max(float(shown[part][name]), 0.0)
                axes.barh(row, width, left=left, height=0.62, color=colour)
                left += width
            text = f"{totals[name]:,.0f} ms" if totals[name] >= 100 else f"{totals[name]:,.3g} ms"
            axes.annotate(text, (left, row), xytext=(6, 0), textcoords="offset points", va="center", fontweight="bold")
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.tick_params(axis="y", length=0)
        axes.set_xlim(left=0, right=float(totals.max()) * 1.02)
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}" if totals.max() >= 10 else "{x:,.3g}"))
        axes.set_xlabel("mean response time, ms")
        figure.legend(
            handles=[Patch(color=colour, label=part) for part, colour in parts.items()], loc="lower left",
            bbox_to_anchor=(left_edge - 0.01, 0.0), ncols=7, frameon=False, fontsize=8, handlelength=0.9,
            handleheight=0.9, columnspacing=1.4, labelcolor=colours.soft, borderaxespad=0.2,
        )  # fmt: skip
        if title:
            figure.text(0.012, 1 - 0.06 / height, title, ha="left", va="top", fontsize=10, fontweight="bold")
    return figure
