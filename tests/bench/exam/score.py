"""Counts what the exam's answers are worth, and shows them: rows for `--json`, a table for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.exam.asking import Answer
from bench.exam.scenarios import Case, Scenario
from bench.rows import Row, missing

GOAL = 0.9
"""The share of the planted runs whose cause is to be named."""


@dataclass(frozen=True)
class Graded:
    """One run of the exam: its answer, or why there is none (`problem`).

    `lacking`: the core cannot plant it; the problem says what is missing.
    `disturbed`: something else than what was planted was the matter too, so that no answer can be right or wrong.
    """

    case: Case
    answer: Answer | None
    problem: str = ""
    disturbed: bool = False
    lacking: bool = False

    @property
    def named(self) -> bool:
        """The planted cause was named by the diagnosis. A run without an answer is not."""
        return self.answer is not None and self.answer.cause == self.case.scenario.cause

    @property
    def right(self) -> bool:
        """It was named, and `explain` said the same."""
        return self.named and self.answer is not None and self.answer.explained

    @property
    def certainly_wrong(self) -> bool:
        """A cause was named with certainty that was not planted."""
        return self.answer is not None and self.answer.certain and self.answer.cause != self.case.scenario.cause


def share(graded: Sequence[Graded]) -> float:
    """The share of the runs that were named rightly. Raises ValueError without runs."""
    if not graded:
        raise ValueError("there are no runs to score")
    return sum(one.right for one in graded) / len(graded)


def rows(graded: Sequence[Graded], left_out: Sequence[tuple[Scenario, str]]) -> list[Row]:
    """The two goals, what the diagnosis alone named, then each scenario's share.

    Scenarios left out have a row with the reason. Disturbed runs count nowhere; the first row's note says how many.
    The share has no interval, so that the goal is met by the figure itself or not at all. That nothing wrong is said
    with certainty is 1 or 0.
    """
    found = []
    disturbed = sum(one.disturbed for one in graded)
    note = f"disturbed and not graded: {disturbed}" if disturbed else ""
    names = dict.fromkeys(one.case.scenario.name for one in graded)
    graded = [one for one in graded if not one.disturbed]
    if graded:
        right, wrong = share(graded), sum(one.certainly_wrong for one in graded)
        named = sum(one.named for one in graded) / len(graded)
        found = [
            Row(
                "planted causes named", "share of runs", right, "limit", GOAL, right / GOAL, None, None, 1.0,
                len(graded), note,
            ),
            Row(
                "wrong causes named with certainty", "runs", float(wrong), "limit", 0.0, float(wrong == 0), None, None,
                1.0, len(graded),
            ),
            Row(
                "planted causes named, explain not asked", "share of runs", named, "limit", GOAL, named / GOAL, None,
                None, None, len(graded),
            ),
        ]  # fmt: skip
    for name in names:
        own = [one for one in graded if one.case.scenario.name == name]
        if not own:
            found.append(missing(f"{name} named", "share of runs", "limit", None, "every run was disturbed"))
            continue
        right = share(own)
        found.append(
            Row(f"{name} named", "share of runs", right, "limit", GOAL, right / GOAL, None, None, None, len(own))
        )
    found += [missing(f"{scenario.name} named", "share of runs", "limit", None, why) for scenario, why in left_out]
    return found


def table(graded: Sequence[Graded]) -> str:
    """A line for each run, in the order of the scenarios: scenario, strength, model, planted, named, certain."""
    heads = ("scenario", "strength", "model", "planted", "named", "certain", "")
    lines = [heads, *sorted((_cells(one) for one in graded), key=lambda cells: cells[:3])]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
                     for line in lines)  # fmt: skip


def _cells(one: Graded) -> tuple[str, ...]:
    case, answer = one.case, one.answer
    start = (case.scenario.name, case.strength, case.model, case.scenario.cause)
    if answer is None:
        return (*start, "-", "-", f"{'not graded' if one.disturbed else 'WRONG'}: {one.problem}")
    if one.right:
        verdict = ""
    elif answer.cause == case.scenario.cause:
        verdict = "WRONG: explain does not say so"
    else:
        verdict = "WRONG"
    return (*start, answer.cause, "yes" if answer.certain else "no", verdict)
