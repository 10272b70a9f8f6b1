"""The four charts of the articles: blocked threads, peak threads, mean response time and throughput, against load."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from parkbench.plots import theme
from parkbench.record import ordered

if TYPE_CHECKING:
    import pandas as pd

CHARTS = {
    "threads_blocked_mean": ("Threads blocked, mean", "threads"),
    "threads_peak": ("Threads, peak", "threads"),
    "response_mean_ms": ("Mean response time", "ms"),
    "throughput_rps": ("Throughput", "answers per second"),
}


def articles(frame: pd.DataFrame, title: str = "", mode: theme.Mode = "light", xlabel: str = "users") -> theme.Chart:
    """Four charts over the load: points are medians over the repeats, whiskers the smallest and the largest.

    `frame`: one row per run, as `SweepResult.frame`. Only runs that can be compared (status ok, steady) are drawn, and
    of a sweep with an open leg the closed one: its rates are no numbers of users. Raises ValueError when there is none.
    """
    frame = of_leg(frame, "closed")
    with theme.style(mode) as colours:
        left, right = 0.8, theme.label_width(frame["name"])
        inner = max(5.0 - left - right, 2.2)
        width, height = 2 * (left + inner + right), 6.5 if title else 6.1
        figure = theme.Chart(figsize=(width, height))
        grid = figure.subplots(2, 2)
        figure.subplots_adjust(
            left=left / width, right=1 - right / width, wspace=(left + right) / inner,
            top=1 - (0.8 if title else 0.35) / height, bottom=0.78 / height, hspace=0.42,
        )  # fmt: skip
        for axes, column in zip(grid.flat, CHARTS, strict=True):
            against_load(axes, frame, column, mode, xlabel)
        if title:
            figure.text(0.012, 0.985, title, ha="left", va="top", fontsize=12, fontweight="bold", wrap=True)
        figure.text(0.012, 0.012, note(frame), ha="left", va="bottom", fontsize=8, color=colours.soft)
    return figure


def of_leg(frame: pd.DataFrame, leg: str) -> pd.DataFrame:
    """The runs of one leg, closed or open; all of a frame without that column."""
    return frame[frame["leg"] == leg] if "leg" in frame else frame


def drawn(frame: pd.DataFrame) -> pd.DataFrame:
    """The runs that can be compared: status ok, and steady where that is known."""
    good = frame[frame["status"] == "ok"]
    return good[good["comparable"].astype(bool)] if "comparable" in good else good


def against_load(
    axes: Axes, frame: pd.DataFrame, column: str, mode: theme.Mode = "light", xlabel: str = "users",
    x: str = "concurrency",
) -> Axes:  # fmt: skip
    """One figure of the runs against their load, a line per name, into existing axes.

    `column`: any figure of the frame; `x`: the column of the load. Raises ValueError without runs to draw.
    """
    good = drawn(frame)
    good = good[good[column].notna()]
    if good.empty:
        raise ValueError("there is no run with status ok to draw")
    models = dict(zip(good["name"], good["model"], strict=True))
    models = {name: models[name] for name in ordered(models)}
    colours = theme.name_colours(models, mode)
    ends = []
    for index, name in enumerate(models):  # the first line is the widest: lines that coincide can all be seen
        grouped = good[good["name"] == name].groupby(x)[column]
        middle, low, high = grouped.median(), grouped.min(), grouped.max()
        axes.errorbar(
            middle.index.to_numpy(), middle.to_numpy(), yerr=np.array([middle - low, high - middle]),
            color=colours[name], marker=theme.MARKERS[index % len(theme.MARKERS)],
            linewidth=1.7 + 0.8 * (len(models) - 1 - index), capsize=2.5, elinewidth=1, capthick=1, clip_on=False,
            zorder=3,
        )  # fmt: skip
        ends.append((name, float(middle.index[-1]), float(middle.iloc[-1]), colours[name]))
    title, unit = CHARTS.get(column, (column, ""))
    axes.set(title=title, xlabel=xlabel, ylabel=unit)
    axes.set_ylim(bottom=0, top=max(float(good[column].max()) * 1.08, 1e-9))
    axes.set_xlim(left=0, right=float(good[x].max()) * 1.03)
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}" if axes.get_ylim()[1] >= 5 else "{x:,.3g}"))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.set_xticks(_apart(sorted(set(good[x])), 0.1 * float(good[x].max())))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6))
    theme.label_ends(axes, ends)
    return axes


def _apart(loads: Sequence[float], gap: float) -> list[float]:
    """The loads that get a mark: all that were run, but none whose figures would touch the next one's."""
    kept: list[float] = []
    for load in reversed(loads):
        if not kept or kept[-1] - load >= gap:
            kept.append(load)
    return kept[::-1]


def note(frame: pd.DataFrame, x: str = "concurrency") -> str:
    """What a point stands for, and how many runs are not drawn."""
    good = drawn(frame)
    counts = good.groupby(["name", x]).size()
    if counts.empty:
        return ""
    few, many = int(counts.min()), int(counts.max())
    repeats = f"{few}" if few == many else f"{few} to {many}"
    note = f"median of {repeats} repeats, whiskers from the smallest to the largest" if many > 1 else "one run a point"
    left = len(frame) - len(good)
    return note + (f"; {left} of {len(frame)} runs not drawn (status not ok, or not steady)" if left else "")
