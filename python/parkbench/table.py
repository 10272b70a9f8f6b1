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
from parkbench.censoring import censored
from parkbench.equality import unequal_resources
from parkbench.record import (
    LEGS,
    Record,
    arrivals_kind,
    cores,
    has_figures,
    is_ok,
    is_steady,
    load_key,
    loads,
    names,
    number,
)
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
_NEED_STEADY = ("answers/s", "mean ms", "p99 ms")
NOT_STEADY = "not steady"
_STYLES = {"thread_pool": "#d55e00", "virtual_threads": "#0072b2", "reactive": "#009e73"}


@dataclass(frozen=True)
class Row:
    """One name at one load (`record.load_key`). `cells` hold the text of each column, in the order of `columns`."""

    name: str
    model: str
    load: tuple[str, int, float]
    cells: tuple[str, ...]

    @property
    def concurrency(self) -> int:
        """The number of users, or of connections in the open leg."""
        return self.load[1]


def title(runs: Sequence[Record]) -> str:
    """What was measured and how requests came: `pricing, direct, closed, no think time, 10 to 400 users, 5 repeats`.

    With an open leg also the rates that it offered: they follow from the closed one, which has none.
    """
    what, different = title_parts(runs)
    return what + (f"; {different}" if different else "")


def title_parts(runs: Sequence[Record]) -> tuple[str, str]:
    """The title, and in what the limits of the names differ, empty where they do not.

    `unequal by design: ...` is what was set for single models, `unequal FIELD: ...` what nobody asked for.
    """
    if not runs:
        return "no runs", ""
    first = runs[0]
    shared = [text for run in runs[:1] if (text := wording.setup(run))]
    legs = [text for leg in LEGS if (text := _leg([run for run in runs if load_key(run)[0] == leg]))]
    what = ", ".join([str(first.get("workload")), str(first.get("transport")), *shared, "; then ".join(legs)])
    declared = wording.unequal(runs)
    different = [f"unequal by design: {declared}"] if declared else []
    different += [one.text for one in unequal_resources(runs) if not one.declared]
    return what, "; ".join(different)


def _leg(runs: Sequence[Record]) -> str:
    """Arrivals, loads and repeats of one leg; empty where it has no runs."""
    if not runs:
        return ""
    repeats = wording.plural(len({run["repeat"] for run in runs}), "repeat")
    keys = loads(runs)
    lowest, highest = (next(run for run in runs if load_key(run) == key) for key in (keys[0], keys[-1]))
    if keys[0][0] == LEGS[1]:
        offered = [next(run for run in runs if load_key(run) == key) for key in keys]
        rates = wording.listed([wording.per_second(key[2]) for key in keys])
        shares = [share for run in offered if (share := number(run, "load_share")) is not None]
        of = ""
        if len(shares) == len(keys):
            of = f" ({wording.listed([f'{100 * share:.3g}' for share in shares])} % of the lowest capacity)"
        return f"{arrivals_kind(highest)} {rates}{of}, {repeats}"
    span = wording.load(highest) if len(keys) == 1 else f"{lowest['concurrency']:,} to {wording.load(highest)}"
    return f"{wording.arrivals(runs[0])}, {span}, {repeats}"


def columns(runs: Sequence[Record]) -> tuple[str, ...]:
    """The headings. `status` stands there only when a run is not ok or not steady, `cores` only over http."""
    load = {"closed": "users", "rounds": "at once"}.get(_kind(runs), "load")
    load = "load" if _has_open_leg(runs) else load
    bad = any(not is_ok(run) or not is_steady(run) for run in runs)
    http = any(run.get("transport") == "http" for run in runs)
    return (load, "name", *_FIGURES, *(["cores"] if http else []), "bottleneck", *(["status"] if bad else []))


def rows(runs: Sequence[Record], *, spread: bool = True) -> list[Row]:
    """The rows by load and name, the closed leg first. Figures are medians over the runs with status ok; where there
    is none, over those that have figures, and the status says why they do not count. Rates and times are of steady
    runs only, `not steady` where there is none. `spread`: how far the repeats lie from their median, behind the most
    important figures.
    """
    headings, both = columns(runs), _has_open_leg(runs)
    found = []
    for key in loads(runs):
        for name in names(runs):
            own = [run for run in runs if run["name"] == name and load_key(run) == key]
            if own:
                cells = _cells(own, spread, headings) + ((_status(own),) if "status" in headings else ())
                load = _load(own[0]) if both else f"{key[1]:,}"
                found.append(Row(name, str(own[0].get("model")), key, (load, name, *cells)))
    return found


def _load(run: Record) -> str:
    """The load in a table of both legs: `400 users`, `1,234/s (80 %)`."""
    leg, _, rate = load_key(run)
    if leg != LEGS[1]:
        return wording.load(run)
    share = number(run, "load_share")
    return wording.per_second(rate) + (f" ({wording.percent(share)})" if share is not None else "")


def table(runs: Sequence[Record], *, spread: bool = True) -> Table:
    """The table as rich draws it; without the spread it fits into 80 columns."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    what, different = title_parts(runs)
    heading_text = Text(what)
    if different:
        heading_text.append("; ")
        heading_text.append(different, style="bold red")
    made = Table(
        title=heading_text, title_justify="left", title_style="bold", pad_edge=False,
        box=box.SIMPLE_HEAD if spread else None,
        padding=(0, 1) if spread else (0, 1, 0, 0), show_edge=False,
    )  # fmt: skip
    for heading in columns(runs):
        left = heading in ("name", "bottleneck", "status")
        made.add_column(heading, justify="left" if left else "right", no_wrap=heading != "status")
    before = None
    for row in rows(runs, spread=spread):
        if before not in (None, row.load):
            made.add_section()
        before = row.load
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


def _has_open_leg(runs: Sequence[Record]) -> bool:
    return any(load_key(run)[0] == LEGS[1] for run in runs)


def _cells(own: Sequence[Record], spread: bool, headings: Sequence[str]) -> tuple[str, ...]:
    good = [run for run in own if is_ok(run) and has_figures(run)] or [run for run in own if has_figures(run)]
    steady = [run for run in good if is_steady(run)]
    cells = [
        NOT_STEADY if heading in _NEED_STEADY and good and not steady
        else _figure(heading, steady if heading in _NEED_STEADY else good, spread)
        for heading in _FIGURES
    ]  # fmt: skip
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
    cut = [limit for run in good if (limit := censored(run).get(_FIGURES[heading])) is not None]
    if 2 * len(cut) > len(good):  # the median run's is among those that timed out
        return f">= {wording.amount(min(cut))}"
    if spread and heading in _SPREAD and len(values) > 1:
        off = max(max(values) - middle, middle - min(values)) / middle if middle else 0.0
        text += f" ±{off:.0%}".replace("%", " %") if off < 1 else f" (to {wording.amount(max(values))})"
    return text


def _status(own: Sequence[Record]) -> str:
    """`ok`, or how many repeats are what: `3 ok, 2 too_short, 1 not steady`; a reason stands once."""
    counts: dict[str, int] = {}
    for run in own:
        status = NOT_STEADY if is_ok(run) and not is_steady(run) else str(run.get("status"))
        counts[status] = counts.get(status, 0) + 1
    if len(counts) == 1:
        return next(iter(counts))
    return ", ".join(f"{count} {status}" for status, count in counts.items())
