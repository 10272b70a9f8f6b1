"""The rows of a benchmark: made from repeats, printed as a table or as one JSON object."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.interval import met, ratio_of_medians


@dataclass(frozen=True)
class Row:
    """One comparison. A ratio above 1: ours is better. A missing peer gives no ratio but a reason."""

    what: str
    unit: str
    ours: float | None
    peer: str
    peer_value: float | None
    ratio: float | None
    low: float | None
    high: float | None
    goal: float | None
    repeats: int
    note: str = ""  # what one must know to read it; of a row without ratio the reason

    def as_json(self) -> dict[str, Any]:
        """The row with the names that `--json` promises; `reason` or `note` only where there is one."""
        entry: dict[str, Any] = {name: _rounded(value) for name, value in self.__dict__.items() if name != "note"}
        if self.note:
            entry["reason" if self.ratio is None else "note"] = self.note
        return entry


def _rounded(value: Any) -> Any:
    return float(f"{value:.5g}") if isinstance(value, float) else value


def missing(what: str, unit: str, peer: str, goal: float | None, reason: str) -> Row:
    """The row of a comparison that could not be made."""
    return Row(what, unit, None, peer, None, None, None, None, goal, 0, reason)


def higher_is_better(
    what: str, unit: str, ours: Sequence[float], peer: str, theirs: Sequence[float], goal: float | None, note: str = ""
) -> Row:
    """A row of rates."""
    return _row(what, unit, ours, peer, theirs, goal, note, inverted=False)


def lower_is_better(
    what: str, unit: str, ours: Sequence[float], peer: str, theirs: Sequence[float], goal: float | None, note: str = ""
) -> Row:
    """A row of times or sizes: the ratio is theirs by ours."""
    return _row(what, unit, ours, peer, theirs, goal, note, inverted=True)


def _row(
    what: str,
    unit: str,
    ours: Sequence[float],
    peer: str,
    theirs: Sequence[float],
    goal: float | None,
    note: str,
    *,
    inverted: bool,
) -> Row:
    try:
        ratio = ratio_of_medians(theirs, ours) if inverted else ratio_of_medians(ours, theirs)
    except ValueError as error:
        return missing(what, unit, peer, goal, str(error))
    return Row(
        what,
        unit,
        statistics.median(ours),
        peer,
        statistics.median(theirs),
        ratio.value,
        ratio.low,
        ratio.high,
        goal,
        len(ours),
        note,
    )


def best(rates: Mapping[str, Sequence[float]]) -> str | None:
    """The name with the highest median; None when nothing was measured."""
    medians = {name: statistics.median(values) for name, values in rates.items() if values}
    return max(medians, key=medians.__getitem__) if medians else None


def to_json(bench: str, rows: Sequence[Row]) -> str:
    """The object that `--json` prints."""
    return json.dumps({"bench": bench, "rows": [row.as_json() for row in rows]})


def to_text(rows: Sequence[Row]) -> str:
    """The rows for people, one line each and the notes below."""
    width = max((len(row.what) for row in rows), default=0)
    lines = []
    for row in rows:
        if row.ratio is None:
            lines.append(f"{row.what:{width}}  against {row.peer}: not measured: {row.note}")
            continue
        spread = "" if row.low is None or row.high is None else f" ({row.low:.2f} to {row.high:.2f})"
        verdict = {True: "met", False: "NOT MET", None: "for information"}[met(row.ratio, row.high, row.goal)]
        goal = "" if row.goal is None else f"goal {row.goal:.2f}: "
        lines.append(
            f"{row.what:{width}}  {_figure(row.ours)} against {_figure(row.peer_value)} {row.unit} of {row.peer}: "
            f"{row.ratio:.2f}{spread}, {row.repeats} repeats; {goal}{verdict}"
        )
        if row.note:
            lines.append(f"{'':{width}}  {row.note}")
    return "\n".join(lines)


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
