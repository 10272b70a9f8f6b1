"""The machine: cores, frequency, and what others take of the CPU while we look."""

from __future__ import annotations

import os
import time
from pathlib import Path

from parkbench import environment
from parkbench.doctor.check import Check

_STAT = Path("/proc/stat")
_LOOK_S = 0.3
_STEAL = 0.01
_BUSY = 0.10


def checks() -> list[Check]:
    """Cores, governor, and 0.3 s of /proc/stat."""
    usable = len(os.sched_getaffinity(0))
    before = _STAT.read_text()
    time.sleep(_LOOK_S)
    return [
        cores(usable, os.cpu_count() or usable),
        governor(environment.governor()),
        sharing(environment.autogroup()),
        others(before, _STAT.read_text()),
    ]


def cores(usable: int, total: int) -> Check:
    """Generator, model and database share them on one machine."""
    text = f"{usable} of {total} cores usable, {environment.cpu_model()}, Linux {os.uname().release}"
    if usable >= 2:
        return Check("cores", "fine", text)
    return Check(
        "cores", "note", f"{text}: generator, model and database take turns on one", "figures are for comparison only"
    )


def sharing(by_session: bool) -> Check:
    """How the kernel shares the cores out. By session, each process of a database may be weighed as one group."""
    if not by_session:
        return Check("scheduling", "fine", "the kernel shares the cores out by thread or control group")
    text = "the kernel shares the cores out by session (sched_autogroup_enabled)"
    return Check(
        "scheduling",
        "note",
        f"{text}: the embedded PostgreSQL is kept in the sweep's session, a server of your own is not and may stall",
        "for `--database`: `sysctl kernel.sched_autogroup_enabled=0`, or run both in control groups",
    )


def governor(name: str | None) -> Check:
    """A frequency that follows the load makes runs differ."""
    if name is None:
        return Check("frequency", "fine", "no governor is visible (a virtual machine, as a rule)")
    if name == "performance":
        return Check("frequency", "fine", "governor performance")
    return Check(
        "frequency", "note", f"governor {name}: the clock follows the load", "cpupower frequency-set -g performance"
    )


def others(before: str, after: str) -> Check:
    """Steal and the CPU time of others between two texts of /proc/stat."""
    spent = [b - a for a, b in zip(_first_line(before), _first_line(after), strict=True)]
    total = sum(spent[:8]) or 1
    steal = (spent[7] if len(spent) > 7 else 0) / total
    busy = 1.0 - (spent[3] + spent[4]) / total - steal
    text = f"others use {busy:.0%} of the CPUs, steal {steal:.0%}".replace("%", " %")
    if steal > _STEAL:
        return Check(
            "quiet", "note", text, "the host is shared: compare only runs of one sweep, with five repeats or more"
        )
    if busy > _BUSY:
        return Check("quiet", "note", text, "end other programs before a sweep")
    return Check("quiet", "fine", text)


def _first_line(text: str) -> list[int]:
    """The ticks of user nice system idle iowait irq softirq steal ... of all CPUs together."""
    return [int(number) for number in text.splitlines()[0].split()[1:]]
