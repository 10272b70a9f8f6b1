"""On what a baseline was measured: what must be the same for its figures to mean anything, and how fast it is now."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import time
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from parkbench import environment

_WORK = bytes(65_536)
_PIECES = 60


@cache
def describe() -> dict[str, Any]:
    """CPU, CPUs usable, memory, kernel (major.minor), build of the core. Loads the core.

    The version of parkbench, the commit, Python's and PostgreSQL's versions are not in it: they may be what is tested.
    """
    build = environment.build_info() or {}
    kernel = re.match(r"\d+(\.\d+)?", platform.release())
    memory = environment.memory_mib()
    return {
        "machine": platform.machine(),
        "cpu_model": environment.cpu_model(),
        "cpus": len(os.sched_getaffinity(0)),
        "memory_gib": None if memory is None else round(memory / 1024),
        "kernel": kernel[0] if kernel else platform.release(),
        "build_type": build.get("build_type"),
        "sanitizer": build.get("sanitizer") or None,
    }


def identity(machine: Mapping[str, Any]) -> str:
    """A short name for a machine, the same for the same description: `x86_64-2cpus-1a2b3c4d`."""
    text = json.dumps(dict(machine), sort_keys=True)
    word = re.sub(r"\W", "", str(machine.get("machine") or "unknown"))
    return f"{word}-{machine.get('cpus')}cpus-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def difference(then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """What is not the same, as `cpus 4 and 2`; empty for the same machine."""
    names = [name for name in dict.fromkeys([*then, *now]) if then.get(name) != now.get(name)]
    return ", ".join(f"{name} {then.get(name)} and {now.get(name)}" for name in names)


def speed_us(clock: Callable[[], int] = time.perf_counter_ns) -> float:
    """How long a fixed piece of work takes now, microseconds: the median over 60 pieces, some 5 ms in all.

    A canary: it watches the machine, not the program under test (Ingo and Daly, "Automated system performance testing
    at MongoDB", DBTest 2020). The median leaves out pieces in which the CPU was taken away; those are counted as steal.
    """
    taken = []
    for _ in range(_PIECES):
        begun = clock()
        hashlib.sha256(_WORK).digest()
        taken.append(clock() - begun)
    return sorted(taken)[_PIECES // 2] / 1000
