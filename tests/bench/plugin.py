"""How often the pytest plugin is wrong: unchanged benchmarks that it calls slower, slowdowns of 10 % that it misses.

A benchmark of the workload `cpu`, one user whose requests burn 0.2 ms of CPU: on two cores the generator has the other
one, and what others do on either disturbs it. First its baseline is saved in sessions of their own; then, in random
order, sessions of the unchanged benchmark and of one whose requests burn 0.22 ms, against the stored baseline and
against a twin in the same sweep. Each is a pytest session in a process of its own, as a user starts it.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.rows import Row, to_json, to_text

CPU_US = 200.0
SLOWDOWN = 1.10
LIMIT_PASSED = 0.99
LIMIT_CAUGHT = 1.0

SOURCE = """
import os

CPU_US = float(os.environ["PARKBENCH_BENCH_CPU_US"])
QUICK = {"models": "thread_pool", "concurrency": 1, "duration": 0.2, "warmup": 0.05, "transport": "direct",
         "repeats": int(os.environ["PARKBENCH_BENCH_REPEATS"])}

def test_stored(parkbench):
    parkbench.sweep("cpu", cpu_us=CPU_US, **QUICK)
    parkbench.assert_no_regression()

def test_beside(parkbench):
    parkbench.against({"cpu_us": 200.0}).sweep("cpu", cpu_us=CPU_US, **QUICK)
    parkbench.assert_no_regression()
"""


@dataclass(frozen=True)
class Session:
    """How a pytest session ended. `change`: the ratio it found, `looks`: how often it looked."""

    form: str
    slow: bool
    failed: bool
    verdict: str
    change: float
    looks: int
    seconds: float


@dataclass(frozen=True)
class Plan:
    """How many sessions of each kind; `until_s`: none is begun after so many seconds."""

    saved: int
    unchanged: int
    slow: int
    repeats: int
    until_s: float = math.inf


FULL = Plan(saved=5, unchanged=100, slow=10, repeats=5)
QUICK = Plan(saved=3, unchanged=2, slow=1, repeats=4, until_s=20.0)


def session(folder: Path, form: str, *, slow: bool, repeats: int, options: Sequence[str] = ()) -> Session:
    """One pytest session. Raises RuntimeError where it did not measure."""
    out = folder / "out.json"
    out.unlink(missing_ok=True)
    known = importlib.metadata.entry_points(group="pytest11", name="parkbench")
    plugin = [] if known else ["-p", "parkbench.plugin"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin]
    command += [f"--parkbench-json={out}", *options, f"test_plugin_bench.py::test_{form}"]
    cpu_us = CPU_US * (SLOWDOWN if slow else 1.0)
    environment = os.environ | {"PARKBENCH_BENCH_CPU_US": str(cpu_us), "PARKBENCH_BENCH_REPEATS": str(repeats)}
    begun = time.monotonic()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    took = time.monotonic() - begun
    if done.returncode not in (0, 1) or not out.exists():
        raise RuntimeError(f"pytest ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    (row,) = json.loads(out.read_text())["tests"][0]["rows"]
    failed = done.returncode == 1
    if failed != (row["verdict"] == "worse"):
        raise RuntimeError(f"the test failed for another reason:\n{done.stdout}{done.stderr}")
    return Session(form, slow, failed, row["verdict"], row["ratio"] or 1.0, len(row["looks"]), took)


def ordered(plan: Plan, seed: int) -> list[tuple[str, bool]]:
    """Form and slowness of each session: spread evenly, in random order, so that whenever it stops none is missing."""
    left = {
        (form, slow): plan.slow if slow else plan.unchanged for form in ("stored", "beside") for slow in (False, True)
    }
    draw, order = random.Random(seed), []
    most = max(left.values())
    for turn in range(most):
        kinds = [kind for kind, count in left.items() if turn * count // most != (turn + 1) * count // most]
        order += draw.sample(kinds, len(kinds))
    return order


def measure(folder: Path, plan: Plan, seed: int, say: Any) -> list[Session]:
    """All sessions of the plan, in random order after the baseline was saved."""
    (folder / "test_plugin_bench.py").write_text(SOURCE)
    (folder / "pytest.ini").write_text("[pytest]\n")
    end = time.monotonic() + plan.until_s
    for _ in range(plan.saved):
        session(folder, "stored", slow=False, repeats=plan.repeats, options=["--parkbench-save", "--no-summary"])
    order, found = ordered(plan, seed), []
    for form, slow in order:
        if time.monotonic() > end:
            break
        found.append(session(folder, form, slow=slow, repeats=plan.repeats))
        say(f"{len(found):4}/{len(order)} {found[-1]}")
    return found


def share(what: str, hits: int, of: int, limit: float, note: str) -> Row:
    """A row about a share of sessions, to be met as it is and not within its interval, which stands in the note.

    The interval is Wilson's (JASA 22, 1927), of 95 %.
    """
    if not of:
        return Row(what, "share of sessions", None, "limit", limit, None, None, None, 1.0, 0, "no session was run")
    rate, z = hits / of, 1.96
    centre = (rate + z * z / (2 * of)) / (1 + z * z / of)
    half = z / (1 + z * z / of) * math.sqrt(rate * (1 - rate) / of + z * z / (4 * of * of))
    note = f"{hits} of {of}, interval {max(0.0, centre - half):.3f} to {min(1.0, centre + half):.3f}; {note}"
    return Row(what, "share of sessions", rate, "limit", limit, rate / limit, None, None, 1.0, of, note)


def rows(sessions: Sequence[Session], saved: int) -> list[Row]:
    """What is promised of each form, and what it costs."""
    made = []
    words = {"stored": f"stored baseline ({saved} sessions)", "beside": "twin in the same sweep"}
    for form, word in words.items():
        for slow in (False, True):
            own = [one for one in sessions if one.form == form and one.slow == slow]
            hits = sum(one.failed == slow for one in own)
            spread = statistics.pstdev([math.log(one.change) for one in own]) if own else 0.0
            note = (f"found {statistics.median(one.change for one in own):.3f}, spread {spread:.1%}, looked again in "
                    f"{sum(one.looks > 1 for one in own)}, unsure in {sum(one.verdict == 'unsure' for one in own)}, "
                    f"{statistics.median(one.seconds for one in own):.1f} s each") if own else ""  # fmt: skip
            what = "10 % slower: caught" if slow else "unchanged: passes"
            made.append(share(f"{what}, {word}", hits, len(own), LIMIT_CAUGHT if slow else LIMIT_PASSED, note))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench plugin", description=__doc__)
    parser.add_argument("--prepare", action="store_true", help="nothing to prepare: there is no peer")
    parser.add_argument("--quick", action="store_true", help="a few sessions, at most 45 s in all")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--unchanged", type=int, help="sessions of the unchanged benchmark, of each form (100)")
    parser.add_argument("--slow", type=int, help="sessions of the slower one, of each form (10)")
    parser.add_argument("--seed", type=int, default=1, help="of their order")
    asked = parser.parse_args()
    if asked.prepare:
        return
    if importlib.util.find_spec("pytest") is None:
        parser.error("pytest is not installed; ./dev test installs it")
    base = QUICK if asked.quick else FULL
    plan = Plan(base.saved, base.unchanged if asked.unchanged is None else asked.unchanged,
                base.slow if asked.slow is None else asked.slow, base.repeats, base.until_s)  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="parkbench-plugin-") as folder:
        found = measure(
            Path(folder), plan, asked.seed, (lambda _: None) if asked.json else lambda text: print(text, flush=True)
        )
    made = rows(found, plan.saved)
    print(to_json("plugin", made) if asked.json else to_text(made))


if __name__ == "__main__":
    main()
