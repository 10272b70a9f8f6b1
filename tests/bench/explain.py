"""The planted-bottleneck exam: plants one cause after the other into real runs and asks what the cause is.

Twenty causes at three strengths and over the models that can have them, and healthy runs that have none. The options
that plant a cause are blanked in the record, and so is everything that says it in words; then the diagnosis and
`explain` get the record. Asked for: the cause named in 9 of 10 runs, and none named wrongly with certainty.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Sequence

from bench import rows
from bench.exam import driver, score
from bench.exam.asking import ask
from bench.exam.blanking import blanked
from bench.exam.neighbours import Neighbours
from bench.exam.scenarios import SCENARIOS, Case, Scenario, cases
from bench.exam.score import Graded
from parkbench import child
from parkbench.database import open_database
from parkbench.signals import terminating

SEED = 77_400_321
"""Of an exam that counts. Whoever builds the diagnosis takes another one."""
_QUICK_S, _FULL_S = 38.0, 450.0  # of running; no run is begun later
_NO_TIME = "no time was left"
_ATTEMPTS = 3  # at a run that something else than the planted cause disturbs


def grade(case: Case, core: str, dsn: str | None, beside: Neighbours, until: float) -> Graded:
    """Makes the run, blanks its record and asks; a run that failed has no answer and says why.

    A run that the machine disturbed has two causes. It is made again, and not graded when that does not help; whether
    it was is read from the sensors before the diagnosis is asked. After `until` (monotonic, s) nothing is made again.
    """
    for _ in range(_ATTEMPTS):
        record = driver.make(case, core, dsn, beside)
        if not (disturbed := driver.disturbance(case, record)) or time.monotonic() >= until:
            break
    if why := driver.cannot(record):
        return Graded(case, None, why, lacking=True)
    if disturbed:
        return Graded(case, None, disturbed, disturbed=True)
    if record.get("response_mean_ms") is None:
        return Graded(case, None, f"the run left no figures: {record.get('status')}")
    return Graded(case, ask(blanked(record, case.planted)))


def examine(
    chosen: Sequence[Scenario], seed: int, *, quick: bool, quiet: bool
) -> tuple[list[Graded], list[tuple[Scenario, str]]]:
    """All runs of the scenarios, and the scenarios of which there is none, with the reason."""
    core = child.core_path()
    planned = cases(tuple(chosen), seed, quick=quick)
    left_out: dict[str, tuple[Scenario, str]] = {}
    past = 0
    until = time.monotonic() + (_QUICK_S if quick else _FULL_S)
    graded: list[Graded] = []
    with contextlib.ExitStack() as stack:
        stack.enter_context(terminating())
        dsn = None
        if connections := max((driver.connections(case) for case in planned), default=0):
            dsn = stack.enter_context(open_database(None, connections)).dsn
        beside = stack.enter_context(Neighbours())
        for case in planned:
            if time.monotonic() >= until:
                print(f"{len(planned) - past} of {len(planned)} runs were not made: {_NO_TIME}", file=sys.stderr)
                break
            past += 1
            if case.scenario.name in left_out:
                continue
            one = grade(case, core, dsn, beside, until)
            if one.lacking:
                left_out[case.scenario.name] = (case.scenario, one.problem)
            else:
                graded.append(one)
            if not quiet:
                _progress(past, len(planned), one)
    done = {one.case.scenario.name for one in graded} | set(left_out)
    return graded, [*left_out.values(), *((one, _NO_TIME) for one in chosen if one.name not in done)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench explain", description=__doc__)
    parser.add_argument("--prepare", action="store_true", help="nothing to prepare: there is no peer")
    parser.add_argument("--quick", action="store_true", help="each scenario once, at medium strength; at most 45 s")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--only", metavar="SCENARIO", help="these scenarios, by comma")
    parser.add_argument(
        "--seed", type=int, default=SEED, help="draws the order and the exact amounts (default %(default)s)"
    )
    asked = parser.parse_args()
    known = {one.name: one for one in SCENARIOS}
    names = [name.strip() for name in asked.only.split(",")] if asked.only else list(known)
    if unknown := [name for name in names if name not in known]:
        parser.error(f"--only knows {', '.join(known)}, not {unknown[0]!r}")
    if asked.prepare:
        return
    graded, left_out = examine([known[name] for name in names], asked.seed, quick=asked.quick, quiet=asked.json)
    found = score.rows(graded, left_out)
    if asked.json:
        print(rows.to_json("explain", found))
        return
    print(score.table(graded))
    print()
    print(rows.to_text(found))


def _progress(number: int, count: int, one: Graded) -> None:
    case = one.case
    what = f"{case.scenario.name}, {case.strength}, {case.model}"
    said = one.problem if one.answer is None else one.answer.cause
    print(f"{number}/{count} {what}: {said}{'' if one.right else '  <- not as planted'}", file=sys.stderr)


if __name__ == "__main__":
    main()
