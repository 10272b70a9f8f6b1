"""All runs of one name at one load: what a sentence is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from parkbench.arrivals import is_open
from parkbench.audit import FAILURE_LIMIT
from parkbench.diagnosis import Cause, find_cause
from parkbench.record import (
    LEGS,
    PHASES,
    Record,
    arrivals_kind,
    has_figures,
    is_comparable,
    load_key,
    loads,
    names,
    number,
    phases,
)
from parkbench.stats import mean

_BAD = ("unsent", "rejected", "failed", "timed_out")


@dataclass(frozen=True)
class Point:
    """All runs of one name at one load; `ok` are those that may be compared, by repeat."""

    name: str
    load: tuple[str, int, float]
    runs: Sequence[Record]
    ok: Mapping[int, Record]

    @property
    def example(self) -> Record:
        """One of the runs, by preference one that may be compared."""
        return next(iter(self.ok.values()), self.runs[0])

    @property
    def is_open(self) -> bool:
        """Whether this is a load of the open leg."""
        return self.load[0] == LEGS[1]

    @property
    def shows_latency(self) -> bool:
        """Whether requests came by themselves: in the open leg, or because the user asked for open arrivals."""
        return self.is_open or is_open(arrivals_kind(self.example))

    @property
    def where(self) -> dict[str, Any]:
        """The keys that tell the load, as entries hold them."""
        return {"concurrency": self.load[1], "leg": self.load[0], "rate_rps": self.load[2] or None}

    def values(self, key: str) -> dict[int, float]:
        """A figure of each repeat that may be compared and has it."""
        found = {repeat: number(run, key) for repeat, run in self.ok.items()}
        return {repeat: value for repeat, value in found.items() if value is not None}

    def phases(self, repeats: Sequence[int]) -> dict[str, float]:
        """Mean phases over these repeats, in ms."""
        spent = [phases(self.ok[repeat]) for repeat in repeats]
        return {phase: mean([one[phase] for one in spent]) for phase in PHASES}

    @cached_property
    def cause(self) -> Cause | None:
        """The cause that most of the comparable runs have; certain when all of them are certain of it.

        Where none may be compared, of all runs with figures: why they may not be has a cause too.
        """
        found = [find_cause(run) for run in self.ok.values() or filter(has_figures, self.runs)]
        if not found:
            return None
        name = Counter(cause.name for cause in found).most_common(1)[0][0]
        of_it = [cause for cause in found if cause.name == name]
        example = next((cause for cause in of_it if cause.certain), of_it[0])
        certain = len(of_it) == len(found) and all(cause.certain for cause in of_it)
        return Cause(name, certain, example.text, example.evidence)

    @property
    def failure_share(self) -> float:
        """Requests that did not end well, of all scheduled, over the comparable runs."""
        ledgers = [run.get("ledger") or {} for run in self.ok.values()]
        scheduled = sum(ledger.get("scheduled") or 0 for ledger in ledgers)
        bad = sum(ledger.get(key) or 0 for ledger in ledgers for key in _BAD)
        return bad / scheduled if scheduled else 0.0

    @property
    def fails(self) -> bool:
        """Whether so many requests failed that the times of the others say little (more than 1 %)."""
        return self.failure_share > FAILURE_LIMIT


def points_of(runs: Sequence[Record]) -> list[list[Point]]:
    """For each load in its order, the points of the names in theirs."""
    shown = names(runs)
    return [
        [point for name in shown if (point := _point(at, name, load)) is not None]
        for load in loads(runs)
        if (at := [run for run in runs if load_key(run) == load])
    ]


def holds_alone(slower: Point, other: Point) -> bool:
    """Whether the one holds its connections while it waits and the other does not, by what was measured."""
    found = [point.cause.name if point.cause else None for point in (slower, other)]
    return found[0] == "held_connections" != found[1]


def _point(runs: Sequence[Record], name: str, load: tuple[str, int, float]) -> Point | None:
    own = sorted((run for run in runs if run["name"] == name), key=lambda run: int(run["repeat"]))
    return Point(name, load, own, {int(run["repeat"]): run for run in own if is_comparable(run)}) if own else None
