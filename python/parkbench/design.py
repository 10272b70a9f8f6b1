"""The design of a sweep as its file discloses it: what was decided before the first run, and how it ended."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from parkbench import plan, stopping
from parkbench.specification import Specification
from parkbench.stats import MARGIN

SESSION = secrets.token_hex(8)
"""Drawn once for each interpreter: runs of two sweeps of one session may have met the same machine, others have not."""

_ASLR = Path("/proc/sys/kernel/randomize_va_space")
ORDER = "interleaved: each repeat makes every cell once, in a random order of its own"


def describe(spec: Specification, session: str = SESSION) -> dict[str, Any]:
    """The block `design` of `sweep.json`.

    `id` and `session` (random), `legs`, the stopping rule (`repeats`, or `until` and `max_repeats`; `stopping` says how
    it ended), `order`, `seed`, `margin` (differences within it have no words), and what is randomised per process:
    `env_padding_bytes` from 0 to this, `aslr` as the kernel has it (2 is full, 0 is off), `server_port`.
    """
    return {
        "id": secrets.token_hex(8),
        "session": session,
        "legs": spec.legs,
        **spec.rule.recorded(),
        "order": ORDER,
        "seed": spec.seed,
        "margin": MARGIN,
        "processes": "one for each run",
        "env_padding_bytes": plan.MOST_PADDING,
        "aslr": aslr(),
        "server_port": "random" if spec.transport == "http" else None,
        "stopping": stopping.block(spec.rule),
    }


def gone_on(design: Mapping[str, Any], session: str = SESSION) -> dict[str, Any]:
    """The design of a sweep that goes on: in another session it is wholly of neither, and equals no other's."""
    before = str(design.get("session", ""))
    if before.rpartition("+")[2] == session:
        return dict(design)
    return {**design, "session": f"{before}+{session}"}


def aslr(path: Path = _ASLR) -> int | None:
    """How the kernel randomises addresses: 2 all, 1 without the heap, 0 not at all; None where it does not say."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None
