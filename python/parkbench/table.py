"""The table of a sweep for the terminal: one row per load and name, the medians over the repeats with their spread."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parkbench import wording
from parkbench.record import Record, arrivals_kind, cores, has_figures, is_ok, names, number
from parkbench.stats import median, samples_needed

if TYPE_CHECKING:
    from rich.table import Table

_FIGURES = {
    "answers/s": "throughput_rps",
    "mean ms": "response_mean_ms",
    "p99 ms": "response_p99_ms",
    "blocked": "threads_blocked_mean",
    "threads": "threads_peak",
    "MiB": "rss_peak_mib",
}
"""The columns of figures; `blocked` is a mean, `threads` and `MiB` are peaks."""
_SPREAD = ("answers/s", "mean ms")
_STYLES = {"thread_pool": "#d55e00", "virtual_threads": "#0072b2", "reactive": "#009e73"}


@dataclass(frozen=True)
class Row:
    """One name at one load. `cells` hold the text of each column, in the order of `columns`."""

    name: str
    model: str
    concurrency: int
    cells: tuple[str, ...]


def title(runs: Sequence[Record]) -> str:
    """What was measured and how requests came: `pricing, direct, closed, no think time, 10 to 400 users, 5 repeats`."""
    if not runs:
        return "no runs"
    first = runs[0]
    loads = sorted({int(run["concurrency"]) for run in runs})
    highest = next(run for run in runs if run["concurrency"] == loads[-1])
    span = wording.load(highest) if len(loads) == 1 else f"{loads[0]:,} to {wording.load(highest)}"
    repeats = len({run["repeat"] for run in runs})
    shared = [text for run in runs[:1] if (text := wording.setup(run))]
    parts = [str(first.get("workload")), str(first.get("transport")), *shared, wording.arrivals(first), span,
             wording.plural(repeats, "repeat")]  # fmt: skip
    different = wording.unequal(runs)
    return ", ".join(parts) + (f"; unequal by design: {different}" if different else "")


def columns(runs: Sequence[Record]) -> tuple[str, ...]:
    """The headings. `status` stands there only when a run is not ok, `cores` only over http."""
    load = {"closed": "users", "rounds": "at once"}.get(_kind(runs), "load")
    bad = any(not is_ok(run) for run in runs)
    http = any(run.get("transport") == "http" for run in runs)
    return (load, "name", *_FIGURES, *(["cores"] if http else []), "bottleneck", *(["status"] if bad else []))


def rows(runs: Sequence[Record], *, spread: bool = True) -> list[Row]:
    """The rows by load and name. Figures are medians over the runs with status ok; where there
    is none, over those that have figures, and the status says why they do not count. `spread`: how far the repeats lie
    from their median, behind the most important figures.
    """
    with_status = "status" in columns(runs)
    found = []
    for concurrency in sorted({int(run["concurrency"]) for run in runs}):
        for name in names(runs):
            own = [run for run in runs if run["name"] == name and run["concurrency"] == concurrency]
            if own:
                cells = _cells(own, spread, columns(runs)) + ((_status(own),) if with_status else ())
                found.append(Row(name, str(own[0].get("model")), concurrency, (f"{concurrency:,}", name, *cells)))
    return found


def table(runs: Sequence[Record], *, spread: bool = True) -> Table:
    """The table as rich draws it; without the spread it fits into 80 columns."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    made = Table(
        title=Text(title(runs)), title_justify="left", title_style="bold", pad_edge=False,
        box=box.SIMPLE_HEAD if spread else None,
        padding=(0, 1) if spread else (0, 1, 0, 0), show_edge=False,
    )  # fmt: skip
    for heading in columns(runs):
        left = heading in ("name", "bottleneck", "status")
        made.add_column(heading, justify="left" if left else "right", no_wrap=heading != "status")
    before = None
    for row in rows(runs, spread=spread):
        if before not in (None, row.concurrency):
            made.add_section()
        before = row.concurrency
        styled = [Text(cell) for cell in row.cells]
        styled[1].stylize(f"bold {_STYLES.get(row.model, '')}".strip())
        made.add_row(*styled)
    return made


def render(runs: Sequence[Record], *, terminal: bool | None = None, width: int | None = None) -> str:
    """The table as text.

    In a terminal (asked of stdout unless said) with lines and colours, without colours when NO_COLOR is set; elsewhere
    plain text in columns, as wide as it needs, which grep and diff can read.
    """
    if terminal is None:
        terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    if not terminal:
        return _plain(runs)
    from rich.console import Console

    out = io.StringIO()
    columns_wide = width or shutil.get_terminal_size((110, 24)).columns
    console = Console(
        file=out, width=columns_wide, force_terminal=True, color_system="truecolor",
        no_color=bool(os.environ.get("NO_COLOR")),
    )  # fmt: skip
    # With lines there are three characters between two columns, without them one.
    spread = next((s for s, gap in ((True, 3), (False, 1)) if _width(runs, s, gap) <= columns_wide), None)
    if spread is None:
        return _plain(runs)  # nothing is cut off: the terminal wraps the lines
    console.print(table(runs, spread=spread))
    return "\n".join(line.rstrip() for line in out.getvalue().rstrip().splitlines())


def _widths(lines: Sequence[Sequence[str]]) -> list[int]:
    return [max(len(line[index]) for line in lines) for index in range(len(lines[0]))]


def _width(runs: Sequence[Record], spread: bool, gap: int) -> int:
    """What the table needs; a status may be wrapped and needs ten."""
    headings = columns(runs)
    widths = dict(zip(headings, _widths([headings, *(row.cells for row in rows(runs, spread=spread))]), strict=True))
    widths |= {"status": 10} if "status" in widths else {}
    return sum(widths.values()) + gap * (len(widths) - 1)


def _plain(runs: Sequence[Record]) -> str:
    headings = columns(runs)
    lines = [headings, *(row.cells for row in rows(runs))]
    widths = _widths(lines)
    left = {index for index, heading in enumerate(headings) if heading in ("name", "bottleneck", "status")}
    text = [
        "  ".join(
            cell.ljust(width) if index in left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    return "\n".join([title(runs), *text])


def _kind(runs: Sequence[Record]) -> str:
    return arrivals_kind(runs[0]) if runs else "closed"


def _cells(own: Sequence[Record], spread: bool, headings: Sequence[str]) -> tuple[str, ...]:
    good = [run for run in own if is_ok(run) and has_figures(run)] or [run for run in own if has_figures(run)]
    cells = [_figure(heading, good, spread) for heading in _FIGURES]
    if "cores" in headings:
        cells.append(_cores(good))
    return (*cells, ", ".join(dict.fromkeys(str(run.get("bottleneck")) for run in good)))


def _cores(good: Sequence[Record]) -> str:
    """CPUs that server, generator and (where there is one) downstream used: `1.20+0.60`, medians."""
    used = [cores(run) for run in good]
    roles = dict.fromkeys(role for one in used for role in one)
    return "+".join(f"{median([one[role] for one in used if role in one]):.2f}" for role in roles)


def _figure(heading: str, good: Sequence[Record], spread: bool) -> str:
    values = [value for run in good if (value := number(run, _FIGURES[heading])) is not None]
    if not values:
        return f"n/a (needs {samples_needed(0.99):,})" if heading == "p99 ms" and good else ""
    middle = median(values)
    text = f"{middle:,.0f}" if heading == "threads" else wording.amount(middle)
    if spread and heading in _SPREAD and len(values) > 1:
        off = max(max(values) - middle, middle - min(values)) / middle if middle else 0.0
        text += f" ±{off:.0%}".replace("%", " %")
    return text


def _status(own: Sequence[Record]) -> str:
    """`ok`, or how many repeats are what: `3 ok, 2 too_short`; a reason stands once."""
    counts: dict[str, int] = {}
    for run in own:
        status = str(run.get("status"))
        counts[status] = counts.get(status, 0) + 1
    if len(counts) == 1:
        return next(iter(counts))
    return ", ".join(f"{count} {status}" for status, count in counts.items())
