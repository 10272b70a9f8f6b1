"""What a test gets as `parkbench`: sweeps, and the assertion that nothing got slower."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from parkbench import signals
from parkbench.errors import ConfigError
from parkbench.plugin import baselines, beside, comparing, judging, lines, machine, measured, settings
from parkbench.plugin.comparing import Question, Row

if TYPE_CHECKING:
    from parkbench.result import SweepResult

_NOT_AGAIN = ("out", "resume", "until", "max_repeats", "settings", "models", "concurrency", "repeats", "seed")


class BenchmarkError(AssertionError):
    """A benchmark failed its test; the text says why."""


class RegressionError(BenchmarkError):
    """A figure got worse by more than allowed."""


class NotComparedError(BenchmarkError):
    """Under strict: there was nothing to compare with, or it must not be compared."""


@dataclass(frozen=True)
class Where:
    """What a benchmark knows of the session. `workers`: of pytest-xdist, that run tests at the same time."""

    test: str
    settings: settings.Settings
    defaults: Mapping[str, Any]
    workers: int = 1
    keep_runs: bool = False
    alone: Callable[[], AbstractContextManager[Any]] = contextlib.nullcontext


@dataclass
class Taken:
    """A sweep of the test. `arguments`: to make it again, None for a result from elsewhere; `entry`: its report."""

    result: SweepResult
    summary: dict[str, Any]
    entry: dict[str, Any]
    arguments: dict[str, Any] | None
    sides: beside.Sides | None = None

    @property
    def twins(self) -> Mapping[str, str]:
        """The twin of each name, in the strong form."""
        return self.sides.twins if self.sides else {}


class Benchmark:
    """The fixture `parkbench`. One object for each test; its sweeps are kept under the test's node id."""

    def __init__(self, where: Where) -> None:
        self._where = where
        self._taken: list[Taken] = []

    @property
    def entries(self) -> list[dict[str, Any]]:
        """A report of each sweep, as plain values."""
        return [taken.entry for taken in self._taken]

    def sweep(self, workload: str = "pricing", **arguments: Any) -> SweepResult:
        """`pb.sweep` without a progress bar: same arguments, same result, same exceptions."""
        return self._sweep(workload, arguments, None)

    async def asweep(self, workload: str = "pricing", **arguments: Any) -> SweepResult:
        """`sweep` for a test under asyncio: the event loop goes on meanwhile. A cancelled task stops the sweep."""
        return await _in_thread(lambda: self.sweep(workload, **arguments))

    def against(self, baseline: Any) -> Beside:
        """The strong form: sweeps in which every model has a twin, measured interleaved with it.

        `baseline`: options of the twin (`{"workers": 100}`), or the path of another build: a compiled core, or a Python
        environment that holds parkbench. Raises ConfigError.
        """
        if not isinstance(baseline, Mapping):
            beside.core_file(baseline)
        return Beside(self, baseline)

    def assert_no_regression(
        self,
        result: SweepResult | None = None,
        *,
        against: str | SweepResult | None = None,
        figure: str | None = None,
        threshold: float | str | None = None,
        confirm: bool | None = None,
    ) -> list[dict[str, Any]]:
        """Fail the test if a figure is worse than the baseline's by more than `threshold`, beyond doubt.

        `result`: of this test's sweeps; default: the last one. `against`: the name of a saved baseline, or a result;
        default: `--parkbench-compare`, else the baseline saved last; a sweep of `against(...)` is compared with its
        twins. `figure`: default response_mean_ms; the worse of two throughputs is the lower one. `threshold`: a
        share, 0.05 or "5%". `confirm=False` judges the first look, without measuring again what looks slower.

        Where there is no baseline, the result becomes it. Returns the comparison, a mapping for each cell. Raises
        RegressionError, NotComparedError (under strict), BenchmarkError (a run failed), ConfigError.
        """
        __tracebackhide__ = True
        defaults, chosen = self._where.defaults, self._where.settings
        taken = self._find(result)
        asked = settings.Limit(
            settings.figure("figure", figure or defaults.get("figure") or chosen.figure),
            settings.threshold("threshold", threshold or defaults.get("threshold") or chosen.threshold),
        )
        confirms = defaults.get("confirm", True) if confirm is None else confirm
        rows = self._compare(taken, [asked], against, confirm=confirms)
        self._judge(taken, rows)
        return [row.as_dict() for row in rows]

    def finish(self) -> None:
        """After the test: compares what it did not compare itself, where the command line asks for it."""
        __tracebackhide__ = True
        chosen = self._where.settings
        if not chosen.compares:
            return
        for taken in self._taken:
            done = {row["figure"] for row in taken.entry["rows"]}
            asked = [limit for limit in chosen.fail if limit.figure not in done]
            if chosen.fail and asked:
                self._judge(taken, self._compare(taken, asked, None, confirm=True))
            elif not done:
                shown = settings.Limit(chosen.figure, chosen.threshold)
                rows = self._compare(taken, [shown], None, confirm=False)
                # Shown only: no limit was asked for, so nothing is called worse for good.
                taken.entry["rows"] += [replace(row, verdict=_mild(row.verdict)).as_dict() for row in rows]

    def _sweep(self, workload: str, arguments: dict[str, Any], baseline: Any) -> SweepResult:
        sides = None
        if baseline is not None:
            sides = beside.sides(baseline, arguments.get("models"), arguments.get("settings"))
        result, speed = self._measure(workload, arguments, sides)
        kept = measured.summary(result.runs, speed)
        entry = self._entry(kept, sides, measured.broken(result.runs), workers=self._where.workers)
        if self._where.keep_runs:
            from parkbench.record import public

            entry["sweep"] = {k: result.sweep.get(k) for k in ("workload", "transport", "repeats", "seed", "given")}
            entry["runs"] = [public(run) for run in result.runs]
        # A sweep that was gone on with is not made again: what it is stands in its directory.
        again = None if arguments.get("resume") else {"workload": workload, **arguments}
        self._taken.append(Taken(result, kept, entry, again, sides))
        return result

    def _entry(
        self, kept: Mapping[str, Any], sides: beside.Sides | None, broken: str | None, *, workers: int
    ) -> dict[str, Any]:
        """The report of the next sweep, before anything is compared."""
        number = len(self._taken) + 1
        return {
            "test": self._where.test if number == 1 else f"{self._where.test}#{number}",
            "form": "stored" if sides is None else "pairs",
            "summary": {**kept, "cells": comparing.storable(kept, sides.twins if sides else None)},
            "broken": broken,
            "workers": workers,
            "confirmations": 0,
            "record": None,
            "rows": [],
        }

    def _measure(
        self, workload: str, arguments: Mapping[str, Any], sides: beside.Sides | None
    ) -> tuple[SweepResult, float]:
        from parkbench.sweeping import sweep

        given: dict[str, Any] = {"quiet": True, **arguments}
        if sides is not None:
            given.update(models=sides.models, settings=None, **({"_cores": sides.cores} if sides.cores else {}))
        with self._where.alone():
            before = machine.speed_us()
            result = sweep(workload, **given)
            return result, (before + machine.speed_us()) / 2

    def _find(self, result: SweepResult | None) -> Taken:
        if result is None:
            if not self._taken:
                raise ConfigError(
                    "assert_no_regression has no result: call parkbench.sweep(...) before it, or give it one"
                )
            return self._taken[-1]
        found = next((taken for taken in self._taken if taken.result is result), None)
        if found is None:  # of another fixture, or loaded
            kept = measured.summary(result.runs)
            entry = self._entry(kept, None, measured.broken(result.runs), workers=1)
            found = Taken(result, kept, entry, None)
            self._taken.append(found)
        return found

    def _compare(self, taken: Taken, limits: Sequence[settings.Limit], against: Any, *, confirm: bool) -> list[Row]:
        """The rows of all limits, after confirmations. Raises BenchmarkError where a run failed."""
        __tracebackhide__ = True
        if taken.entry["broken"]:
            raise BenchmarkError(f"a run failed, so that nothing is compared: {taken.entry['broken']}")
        baseline: baselines.Baseline | None = None
        if not taken.twins:
            baseline, missing = self._baseline(taken, against)
            if baseline is None:
                return [row for limit in limits for row in _all_unjudged(taken, limit, *missing)]
        asked = [cell for cell in taken.summary["cells"] if cell["name"] in taken.twins]
        together = len(asked or taken.entry["summary"]["cells"]) * len(limits)
        able = confirm and taken.arguments is not None

        def look(kept: Mapping[str, Any], *, final: bool) -> list[Row]:
            found = []
            for limit in limits:
                question = Question(limit.figure, limit.threshold, together, final)
                if baseline is None:
                    found += comparing.with_twins(kept, taken.twins, question)
                else:
                    found += comparing.with_stored(kept, baseline, question)
            return found

        rows = look(taken.summary, final=not able)
        again: dict[str, Any] | None = None
        for index in range(len(judging.CONFIRMATIONS) if able else 0):
            doubtful = [row for row in rows if row.suspected or (row.blind and index == 0)]
            pending = {(row.cell, row.figure) for row in doubtful if not row.failed}
            if not pending:
                break
            fresh = self._confirm(taken, {cell for cell, _ in pending}, index)
            again = fresh if again is None else measured.joined(again, fresh)
            confirmed = {(row.cell, row.figure): row for row in look(again, final=True)}
            rows = [
                comparing.merge(row, confirmed[key])
                if (key := (row.cell, row.figure)) in pending & confirmed.keys()
                else row
                for row in rows
            ]
        return rows

    def _baseline(self, taken: Taken, against: Any) -> tuple[baselines.Baseline | None, tuple[str, str]]:
        """The baseline, or the verdict and the note of having none. What is missing is recorded."""
        if against is not None and not isinstance(against, str):
            if not hasattr(against, "runs"):
                raise ConfigError("against takes the name of a saved baseline or a result of pb.sweep or pb.load")
            return baselines.Baseline("the given result", [measured.summary(against.runs)]), ("", "")
        name = settings.baseline_name("against", against) or self._where.settings.compare or settings.LATEST
        if self._where.workers > 1:
            return None, (
                "not comparable",
                f"measured while {self._where.workers} workers ran tests (-n); run it alone",
            )
        storage = baselines.Storage(self._where.settings.storage, machine.describe())
        test = taken.entry["test"]
        found = storage.find(test, name)
        if found is not None:
            return found, ("", "")
        other = storage.elsewhere(test, name)
        to = settings.DEFAULT_NAME if name == settings.LATEST else name
        if not self._where.settings.strict:
            taken.entry["record"] = to
        done = "" if self._where.settings.strict else f"; recorded as {to}"
        if other is not None:
            return None, ("not comparable", f"the baseline is of another machine: {other}{done}")
        return None, ("new", f"no baseline yet{done}")

    def _confirm(self, taken: Taken, cells: set[measured.Cell], index: int) -> dict[str, Any]:
        """Measures the suspected cells again, more often. Raises BenchmarkError where a run failed."""
        __tracebackhide__ = True
        from parkbench import models as known

        before = dict(taken.arguments or {})
        given = {name: value for name, value in before.items() if name not in _NOT_AGAIN}
        wanted = {cell[0] for cell in cells}
        wanted |= {twin for name, twin in taken.twins.items() if name in wanted}
        all_models = (
            taken.sides.models if taken.sides
            else known.with_options(known.resolve(before.get("models")), before.get("settings") or {})
        )  # fmt: skip
        whole = before.get("legs") == "both"  # its second leg needs all of the first
        given["models"] = all_models if whole else [model for model in all_models if model.name in wanted]
        given["concurrency"] = before.get("concurrency") if whole else sorted({cell[2] for cell in cells})
        repeats = math.ceil(len(taken.result.runs) / max(1, len(measured.cells(taken.result.runs))))
        given["repeats"] = judging.confirmation_repeats(index, repeats)
        given["seed"] = (int(taken.result.sweep["seed"]) + 1 + index) % 2**63
        sides = taken.sides and replace(taken.sides, models=given["models"])
        result, speed = self._measure(given.pop("workload"), given, sides)
        taken.entry["confirmations"] += 1
        if (why := measured.broken(result.runs)) is not None:
            raise BenchmarkError(f"a run failed while it was measured again: {why}")
        return measured.summary(result.runs, speed)

    def _judge(self, taken: Taken, rows: Sequence[Row]) -> None:
        """Keeps the rows; raises where one fails the test."""
        __tracebackhide__ = True
        taken.entry["rows"] += [row.as_dict() for row in rows]
        failed = [lines.sentence(row.as_dict()) for row in rows if row.failed]
        if failed:
            raise RegressionError("\n".join(failed))
        open_ones = [lines.sentence(row.as_dict()) for row in rows if not row.judged]
        if open_ones and self._where.settings.strict:
            raise NotComparedError("\n".join(["strict, and not everything could be compared:", *open_ones]))


class Beside:
    """Sweeps beside a baseline, made by `parkbench.against(...)`."""

    def __init__(self, benchmark: Benchmark, baseline: Any) -> None:
        self._benchmark, self._baseline = benchmark, baseline

    def sweep(self, workload: str = "pricing", **arguments: Any) -> SweepResult:
        """As `parkbench.sweep`; every model has a twin `NAME (baseline)` in the result. Raises ConfigError."""
        return self._benchmark._sweep(workload, arguments, self._baseline)

    async def asweep(self, workload: str = "pricing", **arguments: Any) -> SweepResult:
        """As `parkbench.asweep`, with twins."""
        return await _in_thread(lambda: self.sweep(workload, **arguments))


def _all_unjudged(taken: Taken, limit: settings.Limit, verdict: str, note: str) -> Iterator[Row]:
    for entry in comparing.storable(taken.summary, taken.twins):
        yield Row(measured.key_of(entry), str(entry.get("load")), limit.figure, limit.threshold, verdict,
                  now=comparing.middle(measured.values(taken.summary, measured.key_of(entry), limit.figure)),
                  notes=(note,))  # fmt: skip


def _mild(verdict: str) -> str:
    return "unsure" if verdict == "worse" else verdict


async def _in_thread(work: Callable[[], SweepResult]) -> SweepResult:
    """The work in a thread of its own; when the task is cancelled, the sweep is asked to stop and waited for."""

    def caught() -> SweepResult | KeyboardInterrupt:
        try:
            return work()
        except KeyboardInterrupt as error:  # raised in here it would end the event loop
            return error

    running = asyncio.ensure_future(asyncio.to_thread(caught))
    try:
        found = await asyncio.shield(running)
    except asyncio.CancelledError:
        while not running.done():
            signals.ask_all()
            await asyncio.wait([running], timeout=0.05)
        raise
    if isinstance(found, KeyboardInterrupt):
        raise found
    return found
