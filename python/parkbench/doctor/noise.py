"""What would disturb a sweep on this machine: other programs, a shared host, a clock that moves, memory that moves."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from parkbench import control_group, environment
from parkbench import noise as sensors
from parkbench.doctor.check import Check

_LOOK_S = 1.0


def checks() -> list[Check]:
    """The sensors over a second, and the settings that move figures."""
    with sensors.watching() as watch:
        time.sleep(_LOOK_S)
        found = watch.read()
    return [
        steal(found),
        others(found),
        governor(environment.governor()),
        turbo(environment.turbo()),
        sharing(environment.autogroup()),
        huge_pages(environment.huge_pages()),
        swap(environment.swap_mib()),
        control_groups(control_group.cpu_quota(), control_group.memory_limit_mib(), found.get("throttled_s")),
    ]


def steal(found: Mapping[str, Any]) -> Check:
    """CPU time that the host gave to other virtual machines."""
    share = found.get("steal_share")
    if share is None:
        return Check("steal", "fine", "the kernel counts no steal")
    text = f"the host took {_percent(share)} of the CPU time"
    if share <= sensors.STEAL_LIMIT:
        return Check("steal", "fine", text)
    remedy = "the host is shared: compare only runs of one sweep, with five repeats or more, or use another machine"
    limit = _percent(sensors.STEAL_LIMIT)
    return Check("steal", "note", f"{text}, more than {limit}: runs will be flagged noisy", remedy)


def others(found: Mapping[str, Any]) -> Check:
    """CPU time of programs that are no part of a sweep."""
    share = found.get("foreign_cpu_share")
    if share is None:
        return Check("quiet", "note", "the CPU time of other programs cannot be read")
    text = f"other programs use {_percent(share)} of the CPUs"
    if share <= sensors.FOREIGN_LIMIT:
        return Check("quiet", "fine", text)
    most = f", most of it {found['foreign_most']}" if found.get("foreign_most") else ""
    return Check(
        "quiet",
        "note",
        f"{text}{most}: more than {_percent(sensors.FOREIGN_LIMIT)}, runs will be flagged noisy",
        "end other programs before a sweep",
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


def turbo(on: bool | None) -> Check:
    """A core that runs faster while others idle favours whoever uses few."""
    if on is None:
        return Check("turbo", "fine", "not visible (a virtual machine, as a rule)")
    if not on:
        return Check("turbo", "fine", "off")
    return Check(
        "turbo",
        "note",
        "on: a core is faster while the others idle, which favours runs that use few",
        "for figures that repeat: echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, "
        "or echo 0 > /sys/devices/system/cpu/cpufreq/boost",
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


def huge_pages(word: str | None) -> Check:
    """Pages that the kernel joins by itself make memory figures jump and stacks of virtual threads large."""
    if word != "always":
        return Check("huge pages", "fine", f"transparent huge pages: {word or 'not in this kernel'}")
    return Check(
        "huge pages",
        "note",
        "transparent huge pages are always on: resident memory grows in steps of 2 MiB",
        "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
    )


def swap(mib: Mapping[str, int] | None) -> Check:
    """What is swapped out must be read back, and a run waits for it."""
    if mib is None or not mib["total"]:
        return Check("swap", "fine", "no swap space")
    text = f"{mib['used']:,} of {mib['total']:,} MiB of swap are used"
    if not mib["used"]:
        return Check("swap", "fine", text)
    remedy = "end other programs, then swapoff -a; swapon -a"
    return Check("swap", "note", f"{text}: a run may wait for the disk", remedy)


def control_groups(quota: float | None, memory_mib: float | None, throttled_s: float | None) -> Check:
    """A quota stops all threads at once when it is used up, for up to a tenth of a second."""
    memory = "" if memory_mib is None else f", memory {memory_mib:,.0f} MiB"
    if quota is None:
        return Check("control group", "fine", f"no CPU quota{memory or ', no memory limit'}")
    text = f"a quota of {quota:.3g} CPUs{memory}"
    text += f", which held it back for {throttled_s:.2g} s just now" if throttled_s else ""
    return Check(
        "control group",
        "note",
        f"{text}: when it is used up, everything stops until the next period",
        "give whole CPUs instead (a cpuset), or take the quota away for the sweep",
    )


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %".replace(".0 %", " %")
