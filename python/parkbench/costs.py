"""What measuring costs on this machine, looked at once before a sweep: the clock, waking a thread, the generator.

Waking an idle core can take 20 microseconds, ten times a hand-off on a busy one, and decides every result at few users;
a clock that is coarse or slow blurs what is short; and no server can be seen to answer more than the generator can ask.
"""

from __future__ import annotations

import importlib
import math
import time
from collections.abc import Callable, Mapping
from typing import Any

from parkbench import child, plan, scenario
from parkbench.signals import StopRequest
from parkbench.wording import amount

CEILING_USERS = 64
CEILING_S = 0.3
WORTH_S = 5.0
"""A sweep that measures for less than this is not made longer by looking for the generator's ceiling."""


def measure(
    core: Any = None, ceiling: Callable[[], float | None] | None = None, resolution_s: float | None = None
) -> dict[str, Any]:
    """The block `machine_costs` of a sweep: about 30 ms, and what `ceiling` takes.

    `core`: what has `clock_cost_ns()` and `wake_up_cost_us()`; default: the compiled core. `ceiling`: finds the rate of
    a server that does nothing, 1/s. `resolution_s`: of the clock; default: as the kernel tells it. None stands for what
    could not be measured. `wake_up_us` is half a round trip between two threads that sleep in turn, on one core and on
    two: the other core then idles in between.
    """
    core = _core() if core is None else core
    resolution = time.clock_getres(time.CLOCK_MONOTONIC) if resolution_s is None else resolution_s
    wake_up = core.wake_up_cost_us() if core is not None else {}
    return {
        "clock_read_ns": _finite(core.clock_cost_ns()) if core is not None else None,
        "clock_resolution_ns": resolution * 1e9,
        "wake_up_us": {
            "same_core": _finite(wake_up.get("same_core")),
            "other_core": _finite(wake_up.get("cross_core")),
        },
        "generator_ceiling_rps": None if ceiling is None else _finite(ceiling()),
    }


def finds_ceiling(transport: str, measured_s: float) -> bool:
    """Whether a sweep that measures for so many seconds in all looks for the ceiling: over http, and not for long."""
    return transport == "http" and measured_s >= WORTH_S


def ceiling(core_path: str, placement: str = "none", stop: StopRequest | None = None) -> float | None:
    """What a server that does nothing answers over http to 64 users in 0.3 s, 1/s; None where the run failed.

    `stop` ends the run early. It is the ceiling of generator and server together, each on what CPUs the sweep gives it:
    no run over http with this generator shows more.
    """
    given = {"duration": CEILING_S, "warmup": 0.1, "placement": placement}
    options = scenario.complete(given, "noop")
    sent = scenario.to_core("noop", "reactive", CEILING_USERS, options, seed=1, dsn=None, transport="http")
    outcome = child.run(sent, core_path, stop, plan.longest_s(options))
    report = outcome.report or {}
    throughput = report.get("throughput_rps")
    return float(throughput) if throughput else None


def describe(sweep: Mapping[str, Any]) -> str:
    """The costs in one sentence, for the end of a summary; empty where the sweep has none."""
    costs = sweep.get("machine_costs") or {}
    parts = []
    read, resolution = costs.get("clock_read_ns"), costs.get("clock_resolution_ns")
    if read is not None and resolution is not None:
        parts.append(f"reading the clock takes {amount(read)} ns (resolution {amount(resolution)} ns)")
    wake_up = costs.get("wake_up_us") or {}
    same, other = wake_up.get("same_core"), wake_up.get("other_core")
    if same is not None:
        text = f"waking a thread {amount(same)} us on its own core"
        parts.append(text + (f" and {amount(other)} us on another one that idles" if other is not None else ""))
    rate = costs.get("generator_ceiling_rps")
    if rate is not None:
        parts.append(f"a server that does nothing answers {rate:,.0f}/s over http to {CEILING_USERS} users")
    return f"On this machine {', '.join(parts)}." if parts else ""


def _core() -> Any:
    try:
        return importlib.import_module("parkbench._core")
    except ImportError:
        return None


def _finite(value: Any) -> float | None:
    if value is None or not math.isfinite(float(value)):
        return None
    return float(value)
