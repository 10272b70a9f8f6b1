"""The look that all charts share: one colour per model, names at the ends of their lines, units on the axes.

Charts use matplotlib's objects and never pyplot: importing or drawing changes no backend and keeps no figure alive.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, cast

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

Mode = Literal["light", "dark"]

MODEL_COLOURS = {"thread_pool": "#d55e00", "virtual_threads": "#0072b2", "reactive": "#009e73"}
"""Okabe and Ito's colours, told apart with any colour vision; the same for a model in every chart."""
EXTRA_COLOURS = ("#cc79a7", "#56b4e9", "#e69f00", "#7a5195", "#8c564b")
"""For further names, when one model stands in a sweep twice."""
PHASE_COLOURS = {
    "client_wait": "#7a5195", "lateness": "#d45087", "network": "#8fb339", "queue": "#cc79a7", "connection": "#e69f00",
    "database": "#56b4e9", "downstream": "#1b9e9e", "app_wait": "#b8b8b8", "wakeup": "#f0e442", "cpu": "#444444",
    "reply": "#7fa37f", "unexplained": "#e41a1c",
}  # fmt: skip
DPI = 144
_SVG = {"svg.fonttype": "none", "svg.hashsalt": "parkbench"}  # text stays text; the same figure gives the same file
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "h")


@dataclass(frozen=True)
class Colours:
    """What is not data: text, axes, grid, ground."""

    ink: str
    soft: str
    axis: str
    grid: str
    ground: str


COLOURS: dict[Mode, Colours] = {
    "light": Colours("#1a1a1a", "#555555", "#888888", "#e4e4e4", "#ffffff"),
    "dark": Colours("#ececec", "#a8a8a8", "#777777", "#333333", "#121212"),
}
_ON_DARK = {
    "#d55e00": "#ff7f2a",
    "#0072b2": "#3fa7e6",
    "#009e73": "#1fc796",
    "#444444": "#d0d0d0",
    "#7a5195": "#a884c4",
}


class Chart(Figure):  # type: ignore[misc, unused-ignore]
    """A figure that shows itself in a notebook without pyplot, and whose SVG files keep their text as text."""

    def savefig(self, *args: Any, **kwargs: Any) -> None:
        """Write the figure to a file; takes what matplotlib's own `savefig` takes."""
        with mpl.rc_context(cast(Any, _SVG)):
            super().savefig(*args, **kwargs)

    def _repr_png_(self) -> bytes:
        return png(self)


@contextmanager
def style(mode: Mode = "light") -> Iterator[Colours]:
    """Within it figures are made in the house style; what the user has set in matplotlib stays as it was."""
    colours = COLOURS[mode]
    settings: dict[str, Any] = {
        "font.family": "sans-serif", "font.sans-serif": ["Inter", "DejaVu Sans"], "font.size": 9,
        "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": colours.axis,
        "axes.labelcolor": colours.soft, "xtick.color": colours.soft, "ytick.color": colours.soft,
        "text.color": colours.ink, "axes.titlecolor": colours.ink, "axes.titlelocation": "left",
        "axes.titleweight": "bold", "axes.titlesize": 10, "axes.grid": True, "axes.grid.axis": "y",
        "grid.color": colours.grid, "axes.axisbelow": True, "figure.facecolor": colours.ground,
        "axes.facecolor": "none", "savefig.facecolor": colours.ground, "lines.linewidth": 2, "lines.markersize": 4.5,
        "figure.dpi": DPI,
    }  # fmt: skip
    with mpl.rc_context(cast(Any, settings)):
        yield colours


def name_colours(models: Mapping[str, str], mode: Mode = "light") -> dict[str, str]:
    """A colour for each name; `models` maps names to models. The first name of a model has the model's colour."""
    extra = iter([*EXTRA_COLOURS] * (len(models) // len(EXTRA_COLOURS) + 1))
    taken: set[str] = set()
    found = {}
    for name, model in models.items():
        colour = MODEL_COLOURS.get(model)
        if colour is None or colour in taken:
            colour = next(extra)
        taken.add(colour)
        found[name] = on(mode, colour)
    return found


def on(mode: Mode, colour: str) -> str:
    """The colour as it is drawn: brighter on dark ground where it would not be read."""
    return _ON_DARK.get(colour, colour) if mode == "dark" else colour


def label_ends(axes: Axes, ends: Sequence[tuple[str, float, float, str]], gap_points: float = 11.0) -> None:
    """Write names at the right of their lines' ends, moved apart where they would overlap.

    `ends` holds (name, x, y, colour). Call it last: the limits of the axes must stand. A name moved away from its end
    is tied to it by a thin line.
    """
    if not ends:
        return
    height = axes.get_window_extent().height * 72 / axes.figure.dpi
    low, high = axes.get_ylim()
    order = sorted(range(len(ends)), key=lambda index: (ends[index][2], index))
    wanted = [(ends[index][2] - low) / (high - low) * height for index in order]
    places = _apart(wanted, gap_points, 0.0, height)
    tied = any(abs(place - want) > 2.0 for want, place in zip(wanted, places, strict=True))
    for index, want, place in zip(order, wanted, places, strict=True):
        name, x, y, colour = ends[index]
        axes.annotate(
            name, (x, y), xytext=(16 if tied else 7, place - want), textcoords="offset points",
            va="center", color=colour, fontsize=9, fontweight="bold", annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.7, "shrinkA": 1, "shrinkB": 3} if tied else None,
        )  # fmt: skip


def _apart(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places in the same order, at least `gap` apart, within [low, high] where they fit, near to the wishes."""
    clusters: list[list[float]] = []  # each: sum of wishes for its first place, number of places, first place
    for want in wanted:
        clusters.append([want, 1, want])
        while len(clusters) > 1 and clusters[-2][2] + clusters[-2][1] * gap > clusters[-1][2]:
            total, count, _ = clusters.pop()
            before = clusters[-1]
            before[0] += total - count * before[1] * gap
            before[1] += count
            before[2] = before[0] / before[1]
    places = [first + gap * step for _, count, first in clusters for step in range(int(count))]
    for index, place in enumerate(places):
        floor = low if index == 0 else places[index - 1] + gap
        places[index] = max(place, floor)
    ceiling = high
    for index in range(len(places) - 1, -1, -1):
        places[index] = min(places[index], ceiling)
        ceiling = places[index] - gap
    return places


def label_width(names: Iterable[str]) -> float:
    """The room in inches that names at line ends (or before bars) need: 6.2 points a letter and some air."""
    return (max((len(name) for name in names), default=0) * 6.2 + 22) / 72


def png(figure: Figure, dpi: int = DPI) -> bytes:
    """The figure as a PNG file."""
    return _saved(figure, "png", dpi=dpi)


def svg(figure: Figure) -> str:
    """The figure as an `<svg>` element, without the XML header, so that it can stand in a page."""
    text = _saved(figure, "svg", metadata={"Date": None}).decode()
    return text[text.index("<svg") :]


def _saved(figure: Figure, kind: str, **more: Any) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    out = io.BytesIO()
    canvas = FigureCanvasAgg if kind == "png" else FigureCanvasSVG
    before = figure.canvas
    try:
        with mpl.rc_context(cast(Any, _SVG)):
            canvas(figure).print_figure(out, format=kind, facecolor=figure.get_facecolor(), **more)
    finally:
        figure.set_canvas(before)
    return out.getvalue()
