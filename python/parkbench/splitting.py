"""Why one takes longer than the other: the difference of two response times, split over the phases it consists of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parkbench.record import PHASES, Record, number, phases
from parkbench.stats import mean

METRICS = {"mean": "response_mean_ms", "p99": "response_p99_ms"}


def phases_of(run: Record, metric: str) -> dict[str, float] | None:
    """The phases (ms) that add up to the run's mean or p99 response time; None where they are not known.

    Of the mean they are the run's mean phases. Of the p99 they are the mean phases of the kept requests at or above it
    (the slowest 1,000), scaled by p99 / their sum: they tell what a request at the p99 consists of, not which request
    it was. What rounding leaves over is booked as unexplained, so that the sum is exact.
    """
    total = number(run, METRICS[metric])
    if total is None:
        return None
    spent = phases(run) if metric == "mean" else _slowest(run, total)
    if not spent:
        return None
    spent["unexplained"] += total - sum(spent.values())
    return spent


def _slowest(run: Record, p99: float) -> dict[str, float]:
    kept = (run.get("details") or {}).get("slowest_phases_ms")
    if not isinstance(kept, Mapping):
        return {}
    found = {phase: number(kept, phase) or 0.0 for phase in PHASES}
    total = sum(found.values())
    return {phase: value * p99 / total for phase, value in found.items()} if total > 0 else {}


def difference(a: Mapping[int, Record], b: Mapping[int, Record], metric: str) -> dict[str, float] | None:
    """How much longer `b` takes than `a` in each phase, ms, means over the repeats of both.

    Adds up to the difference of the means of the metric over those repeats. None where a repeat lacks its phases.
    """
    split = {name: _mean_phases(runs, sorted(a.keys() & b.keys()), metric) for name, runs in (("a", a), ("b", b))}
    left, right = split["a"], split["b"]
    return None if left is None or right is None else {phase: right[phase] - left[phase] for phase in PHASES}


def _mean_phases(runs: Mapping[int, Record], repeats: Sequence[int], metric: str) -> dict[str, float] | None:
    found = [phases_of(runs[repeat], metric) for repeat in repeats]
    known = [spent for spent in found if spent is not None]
    if not known or len(known) != len(found):
        return None
    return {phase: mean([spent[phase] for spent in known]) for phase in PHASES}
