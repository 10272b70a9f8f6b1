"""From two summaries to rows of comparison: one per cell and figure, each with its verdict, never an exception."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from parkbench.plugin import baselines, judging, measured
from parkbench.plugin.judging import Estimate, Rule
from parkbench.plugin.trimming import locate

UNJUDGED = ("new", "not available", "not comparable", "too few repeats")
"""Verdicts of what could not be compared; they fail a test only under strict."""


FEWEST_PAIRS = 5
"""As many stay when those are left out in which others took the CPUs."""


@dataclass(frozen=True)
class Row:
    """One figure in one cell, then and now. `looks`: every estimate in the order in which it was made."""

    cell: measured.Cell
    load: str
    figure: str
    threshold: float
    verdict: str
    form: judging.Form = "stored"
    now: float | None = None
    baseline: float | None = None
    estimate: Estimate | None = None
    looks: tuple[Estimate, ...] = ()
    confidence: float | None = None
    allowance: float = 1.0
    against: str | None = None
    sessions: int = 0
    notes: tuple[str, ...] = ()
    suspected: bool = field(default=False, compare=False)
    blind: bool = field(default=False, compare=False)

    @property
    def failed(self) -> bool:
        """Whether the figure is worse by more than allowed, beyond doubt."""
        return self.verdict == "worse"

    @property
    def judged(self) -> bool:
        """Whether there was something to compare with."""
        return self.verdict not in UNJUDGED

    def as_dict(self) -> dict[str, Any]:
        """The row as plain values, for reports and files."""
        name, leg, concurrency, rate = self.cell
        return {
            "name": name, "leg": leg, "concurrency": concurrency, "rate_rps": rate or None, "load": self.load,
            "figure": self.figure, "threshold": self.threshold, "verdict": self.verdict, "form": self.form,
            "now": self.now, "baseline": self.baseline,
            "ratio": None if self.estimate is None else self.estimate.ratio,
            "low": None if self.estimate is None else self.estimate.low,
            "high": None if self.estimate is None else self.estimate.high,
            "confidence": self.confidence, "looks": [look.as_dict() for look in self.looks],
            "allowance": self.allowance, "against": self.against, "sessions": self.sessions, "notes": list(self.notes),
        }  # fmt: skip


@dataclass(frozen=True)
class Question:
    """What is asked of every cell. `together`: how many answers are judged together; `final`: this look decides."""

    figure: str
    threshold: float
    together: int = 1
    final: bool = False

    @property
    def confidence(self) -> float:
        """Of each interval, two-sided."""
        return judging.confidence(self.together)


def storable(now: Mapping[str, Any], twins: Mapping[str, str] | None = None) -> list[Mapping[str, Any]]:
    """The cells that a baseline in a file can hold: no twins, and nothing of the open leg of `legs="both"`.

    The rates of that leg follow the capacity that was found, so that two sessions never meet the same load.
    """
    beside = set((twins or {}).values())
    return [cell for cell in now["cells"] if cell.get("rate_rps") is None and cell.get("name") not in beside]


def with_stored(now: Mapping[str, Any], baseline: baselines.Baseline, question: Question) -> list[Row]:
    """A row for every cell of `now` that a file can hold."""
    figure, reason = question.figure, measured.unlike(baseline.sessions[-1], now)
    rows = []
    for entry in storable(now):
        cell = measured.key_of(entry)
        row = Row(
            cell,
            str(entry.get("load")),
            figure,
            question.threshold,
            "new",
            now=middle(measured.values(now, cell, figure)),
            against=baseline.name,
            confidence=question.confidence,
            notes=_left_out(entry),
        )
        if reason:
            row = replace(row, verdict="not comparable", notes=(*row.notes, reason))
        elif any(measured.find(session, cell) for session in baseline.sessions):
            row = _judged_stored(row, now, baseline, question)
        rows.append(row)
    return rows


def with_twins(now: Mapping[str, Any], twins: Mapping[str, str], question: Question) -> list[Row]:
    """A row for every cell whose twin was measured in the same sweep."""
    figure, rows = question.figure, []
    for entry in (cell for cell in now["cells"] if cell.get("name") in twins):
        cell = measured.key_of(entry)
        other = measured.find(now, (twins[cell[0]], *cell[1:]))
        row = Row(
            cell,
            str(entry.get("load")),
            figure,
            question.threshold,
            "not available",
            form="pairs",
            against=twins[cell[0]],
            sessions=1,
            confidence=question.confidence,
            notes=(*_left_out(entry), *_left_out(other or {})),
        )
        then, present = _by_repeat(other or {}, figure), _by_repeat(entry, figure)
        both = sorted(then.keys() & present.keys())
        both = [both[i] for i in measured.quietest([_worse(then[r][1], present[r][1]) for r in both], FEWEST_PAIRS)]
        estimate = judging.pairs({r: then[r][0] for r in both}, {r: present[r][0] for r in both}, question.confidence)
        if estimate is not None:
            here = _middle([present[r][0] for r in both])
            row = replace(row, now=here, baseline=here / estimate.ratio)
            row = _with_verdict(row, estimate, question)
        rows.append(row)
    return rows


def merge(row: Row, confirmed: Row) -> Row:
    """The row of a first look with what a confirmation found: its verdict counts, all looks stay."""
    return replace(confirmed, looks=(*row.looks, *confirmed.looks))


def _judged_stored(row: Row, now: Mapping[str, Any], baseline: baselines.Baseline, question: Question) -> Row:
    present = measured.values(now, row.cell, row.figure)
    levels = baselines.levels(baseline, row.cell, row.figure)
    if present is None or not levels.present:
        return replace(row, verdict="not available")
    estimate = judging.stored(
        present.repeats, [one.repeats for one in levels.present], question.confidence,
        [[one.repeats for one in level] for level in levels.earlier],
    )  # fmt: skip
    if estimate is None:
        return replace(row, verdict="not available")
    stretched = judging.allowance(
        present.lost, _mean_of_known(one.lost for one in levels.present),
        present.speed_us, _mean_of_known(one.speed_us for one in levels.present),
    )  # fmt: skip
    notes = list(row.notes)
    if stretched > 1.01:
        notes.append(f"the machine itself is {stretched - 1:.0%} slower than at the baseline".replace("%", " %"))
    if different := measured.changed(baseline.sessions[-1], now, row.cell):
        notes.append(different)
    row = replace(row, baseline=row.now and row.now / estimate.ratio, allowance=stretched, notes=tuple(notes),
                  sessions=len(levels.present))  # fmt: skip
    return _with_verdict(row, estimate, question)


def _with_verdict(row: Row, estimate: Estimate, question: Question) -> Row:
    """The verdict of this look. One that does not decide calls nothing worse: it only raises suspicion."""
    rule = Rule(row.figure, row.threshold, row.form, row.allowance)
    verdict, suspected, blind = rule.verdict(estimate), rule.suspects(estimate), rule.is_blind(estimate)
    if verdict == "worse" and not question.final:
        verdict = "unsure"
    return replace(row, estimate=estimate, looks=(estimate,), verdict=verdict, suspected=suspected, blind=blind)


def _by_repeat(entry: Mapping[str, Any], figure: str) -> dict[int, tuple[float, float | None]]:
    """By repeat: the figure, and what others took of the CPUs."""
    found = (entry.get("figures") or {}).get(figure) or ()
    rows = zip(entry.get("repeats") or (), found, entry.get("lost") or (), strict=False)
    return {int(repeat): (float(value), share) for repeat, value, share in rows if value and value > 0}


def _worse(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else max(a, b)


def _left_out(entry: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(f"{count} of the runs left out: {why}" for why, count in (entry.get("left_out") or {}).items())


def middle(values: measured.Values | None) -> float | None:
    """The middle of the repeats, which ratios belong to; None for none."""
    return None if values is None else _middle(values.repeats)


def _middle(values: Sequence[float]) -> float:
    return math.exp(locate([math.log(value) for value in values]).middle)


def _mean_of_known(values: Iterable[float | None]) -> float | None:
    found = [value for value in values if value is not None]
    return sum(found) / len(found) if found else None
