"""The clock and the price of a wake-up, measured by the core."""

from __future__ import annotations

import importlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from parkbench.doctor.check import Check

_SOURCE = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
READS_PER_REQUEST = 12  # of a pricing request, all phases on
REQUEST_CPU_US = 50.0  # what a pricing request takes of a CPU, about
_SHARE = 0.03


def checks() -> list[Check]:
    """Resolution, cost per read, the share of a request, and what waking a thread costs."""
    source = _SOURCE.read_text().strip() if _SOURCE.exists() else "unknown"
    try:
        core: Any = importlib.import_module("parkbench._core")
    except ImportError:
        return [Check("clock", "note", f"source {source}; its cost is measured by the core, which cannot be loaded")]
    resolution = time.clock_getres(time.CLOCK_MONOTONIC) * 1e9
    cost = float(core.clock_cost_ns())
    return [clock(source, resolution, cost), share(cost), wake_up(core.wake_up_cost_us())]


def clock(source: str, resolution_ns: float, cost_ns: float) -> Check:
    """A clock that is a system call costs ten times as much."""
    text = f"source {source}, resolution {resolution_ns:.0f} ns, {cost_ns:.0f} ns a read"
    if resolution_ns > 1000:
        return Check("clock", "problem", f"{text}: too coarse", "boot with a high-resolution clock source (tsc)")
    if cost_ns > 200:
        return Check(
            "clock", "note", f"{text}: slow", "choose tsc in /sys/devices/system/clocksource, where the machine has it"
        )
    return Check("clock", "fine", text)


def share(cost_ns: float) -> Check:
    """The part of a pricing request's CPU that goes into reading the clock: computed, at most 3 %."""
    part = READS_PER_REQUEST * cost_ns / 1000.0 / REQUEST_CPU_US
    text = (
        f"{part:.1%}".replace("%", " %") + f" of a pricing request's CPU goes into {READS_PER_REQUEST} clock reads "
        f"(computed: {READS_PER_REQUEST} x {cost_ns:.0f} ns of about {REQUEST_CPU_US:.0f} us)"
    )
    if part <= _SHARE:
        return Check("phases", "fine", text)
    return Check("phases", "note", f"{text}, more than 3 %", "a faster clock source (tsc) lowers it")


def wake_up(cost: Mapping[str, float]) -> Check:
    """What a hand-off between threads costs, on one core and between two."""
    same, cross = float(cost["same_core"]), cost.get("cross_core")
    text = f"waking a thread takes {same:.1f} us on its own core"
    if cross is not None:
        text += f", {float(cross):.1f} us on another"
    return Check("wake-up", "fine", text)
