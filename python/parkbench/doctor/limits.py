"""Limits of this user and kernel: open files, processes, memory maps, memory."""

from __future__ import annotations

import resource
from pathlib import Path

from parkbench.doctor.check import Check
from parkbench.resources import available_mib

_MAPS = Path("/proc/sys/vm/max_map_count")
_ENOUGH_FILES = 4096
_ENOUGH_PROCESSES = 4096
_ENOUGH_MAPS = 65_530
_ENOUGH_MIB = 1024.0


def checks() -> list[Check]:
    """Each limit against what the largest ordinary sweep needs."""
    maps = int(_MAPS.read_text()) if _MAPS.exists() else None
    return [
        open_files(*resource.getrlimit(resource.RLIMIT_NOFILE)),
        processes(resource.getrlimit(resource.RLIMIT_NPROC)[0]),
        map_count(maps),
        memory(available_mib()),
    ]


def open_files(soft: int, hard: int) -> Check:
    """One descriptor for each connection, and about sixty more."""
    text = f"open files: {_number(soft)} (hard limit {_number(hard)})"
    if soft == resource.RLIM_INFINITY or soft >= _ENOUGH_FILES:
        return Check("descriptors", "fine", text)
    return Check(
        "descriptors", "note", f"{text}: enough for {max(0, soft - 64)} connections", f"ulimit -n {_ENOUGH_FILES}"
    )


def processes(soft: int) -> Check:
    """Every worker of a pool is one, and every connection of the embedded server."""
    text = f"processes and threads: {_number(soft)}"
    if soft == resource.RLIM_INFINITY or soft >= _ENOUGH_PROCESSES:
        return Check("processes", "fine", text)
    return Check("processes", "note", f"{text}: a pool of more workers fails", f"ulimit -u {_ENOUGH_PROCESSES}")


def map_count(maps: int | None) -> Check:
    """What mprotect guards and a million stacks are limited by."""
    if maps is None:
        return Check("memory maps", "note", "vm.max_map_count cannot be read")
    text = f"vm.max_map_count {maps:,}"
    if maps >= _ENOUGH_MAPS:
        return Check("memory maps", "fine", text)
    return Check("memory maps", "note", f"{text}: fewer guarded stacks", f"sysctl vm.max_map_count={_ENOUGH_MAPS}")


def memory(available: float) -> Check:
    """What is free now."""
    text = f"{available:,.0f} MiB available"
    if available >= _ENOUGH_MIB:
        return Check("memory", "fine", text)
    return Check("memory", "note", f"{text}: runs with many users will be refused", "end other programs")


def _number(limit: int) -> str:
    return "unlimited" if limit == resource.RLIM_INFINITY else f"{limit:,}"
