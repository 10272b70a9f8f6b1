"""Response times of the open leg against the share of the lowest capacity that is offered: what waiting costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import PercentFormatter

from parkbench.plots import theme
from parkbench.plots.articles import against_load, drawn, note, of_leg
from parkbench.stats import samples_needed

if TYPE_CHECKING:
    import pandas as pd

CHARTS = {"response_mean_ms": "Mean response time", "response_p99_ms": "p99 response time"}
XLABEL = "offered, share of the lowest capacity"


def latency(frame: pd.DataFrame, title: str = "", mode: theme.Mode = "light") -> theme.Chart:
    """Mean and p99 of the open leg, a line per name: medians over the repeats, whiskers the smallest and the largest.

    `frame`: one row per run, as `SweepResult.frame`. A p99 that no run carries is not drawn, and the chart says why.
    Raises ValueError when no run of an open leg can be compared.
    """
    frame = of_leg(frame, "open")
    good = drawn(frame)
    if good.empty:
        raise ValueError("there is no run of an open leg with status ok to draw; legs=both makes one")
    shown = [column for column in CHARTS if good[column].notna().any()]
    with theme.style(mode) as colours:
        left, right = 0.8, theme.label_width(frame["name"])
        inner = max(5.0 - left - right, 2.2)
        width, height = len(shown) * (left + inner + right), 3.7 if title else 3.3
        figure = theme.Chart(figsize=(width, height))
        grid = figure.subplots(1, len(shown), squeeze=False)
        figure.subplots_adjust(
            left=left / width, right=1 - right / width, wspace=(left + right) / inner,
            top=1 - (0.8 if title else 0.35) / height, bottom=0.78 / height,
        )  # fmt: skip
        for axes, column in zip(grid.flat, shown, strict=True):
            against_load(axes, frame, column, mode, XLABEL, x="load_share")
            axes.set(title=CHARTS[column], ylabel="ms", xlim=(0, 1))
            axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
        text = note(frame, "load_share")
        if len(shown) < len(CHARTS):
            text += f"; p99 is not drawn: it needs {samples_needed(0.99):,} timed requests in a run"
        if title:
            figure.text(0.012, 0.985, title, ha="left", va="top", fontsize=12, fontweight="bold", wrap=True)
        figure.text(0.012, 0.012, text, ha="left", va="bottom", fontsize=8, color=colours.soft)
    return figure
