"""Says what differs between the names of a sweep, by how much, and which phase makes the difference.

Two kinds of entries (plain dicts, the same in Python, `--json` and the terminal): `model`, one per name and load, and
`pair`, one per two names, load and metric. Only runs that may be compared are (status ok, with figures, steady).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from parkbench import wording
from parkbench.diagnosis import Cause
from parkbench.pairs import pair_entries
from parkbench.points import Point, points_of
from parkbench.prediction import predict_doubled
from parkbench.record import PHASES, Record, is_comparable, is_ok
from parkbench.stats import mean
from parkbench.usage import mean_usage

Entry = dict[str, Any]


def explain_runs(runs: Sequence[Record], *, despite_failures: bool = False) -> list[Entry]:
    """The entries of a sweep: per load the names in their order, then their pairs.

    A `model` entry: concurrency, leg, rate_rps, name, model, largest_phase, share (of the mean), bottleneck, cause (its
    word), certain, evidence (see `parkbench.diagnosis`), resources (see `parkbench.usage`), prediction (see
    `parkbench.prediction`, None where there is none), text. For `pair` see `parkbench.pairs`. Two names are not
    compared when one of them failed more than 1 % of its requests, unless `despite_failures`: whoever fails fast is
    not fast.

    Where something was set for one name alone, the text of the first entry begins with `unequal by design: ...`.
    """
    cells = points_of(runs)
    every = [point for points in cells for point in points]
    pairs = pair_entries(
        [pair for points in cells for pair in combinations(points, 2)], despite_failures=despite_failures
    )
    entries: list[Entry] = []
    for points in cells:
        entries += [_model_entry(point, every) for point in points]
        entries += [pair for pair in pairs if _is_at(pair, points[0])]
    different = wording.unequal(runs)
    if different and entries:
        entries[0]["text"] = f"unequal by design: {different}. {entries[0]['text']}"
    return entries


def _is_at(entry: Entry, point: Point) -> bool:
    return all(entry[key] == value for key, value in point.where.items())


def _model_entry(point: Point, every: Sequence[Point]) -> Entry:
    entry: Entry = {"kind": "model", **point.where, "name": point.name, "model": point.example.get("model")}
    if not point.ok:
        entry |= dict.fromkeys(
            ("largest_phase", "share", "bottleneck", "cause", "certain", "evidence", "resources", "prediction")
        )
        text = f"{wording.at_load(point.example)} {point.name} is not compared: {_left_out(point)}."
        if (cause := point.cause) is None:
            return entry | {"text": text}
        said = {"cause": cause.name, "certain": cause.certain, "evidence": dict(cause.evidence)}
        return entry | said | {"text": text + _cause_text(cause)}
    spent = point.phases(list(point.ok))
    response = mean(list(point.values("response_mean_ms").values()))
    largest = max(PHASES, key=lambda phase: spent[phase])
    share = spent[largest] / response if response else 0.0
    bottlenecks = Counter(str(run.get("bottleneck")) for run in point.ok.values())
    bottleneck = bottlenecks.most_common(1)[0][0]
    text = (
        f"{wording.at_load(point.example)} {point.name} spends {wording.percent(share)} of "
        f"{wording.amount(response)} ms {wording.waiting(largest, point.example)}; "
        f"{_bottleneck_text(bottleneck, bottlenecks)}."
    )
    prediction, cause = predict_doubled(point, every), point.cause
    assert cause is not None
    text += _cause_text(cause) + (f" {prediction['text']}" if prediction else "")
    if point.fails:
        text += f" {wording.percent(point.failure_share)} of its requests failed and are in none of these times."
    if left := _left_out(point):
        text += f" Not compared: {left}."
    return entry | {
        "largest_phase": largest,
        "share": share,
        "bottleneck": bottleneck,
        "cause": cause.name,
        "certain": cause.certain,
        "evidence": dict(cause.evidence),
        "resources": mean_usage(list(point.ok.values())),
        "prediction": prediction,
        "text": text,
    }


def _bottleneck_text(name: str, found: Counter[str]) -> str:
    text = "no resource is the bottleneck" if name == "none" else f"bottleneck: {name}"
    others = [f"{other} in {count}" for other, count in found.items() if other != name]
    return text + (f" (but {wording.listed(others)} of {found.total()} repeats)" if others else "")


def _cause_text(cause: Cause) -> str:
    if cause.name == "none":
        return ""
    return f" {'Cause' if cause.certain else 'Likely cause, not certain'}: {cause.name} ({cause.text})."


def _left_out(point: Point) -> str:
    """The runs that are not compared, with the reason: `repeat 2 (too_short)`, `repeat 3 (not steady: slow-down)`."""
    left = [run for run in point.runs if not is_comparable(run)]
    return wording.listed([f"repeat {run['repeat']} ({_reason(run)})" for run in left])


def _reason(run: Record) -> str:
    steady = (run.get("details") or {}).get("steady") or {}
    return f"not steady: {steady.get('kind')}" if is_ok(run) and steady.get("kind") else str(run.get("status"))
