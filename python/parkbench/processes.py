"""What the processes of this machine have used of the CPUs, by process, from /proc.

Times of a process hold those of its ended children (cutime, cstime), so that what short-lived ones used is not lost.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/")
_TICKS_S = os.sysconf("SC_CLK_TCK")
_KERNEL_THREADS = 2  # kthreadd, the parent of all kernel threads


@dataclass(frozen=True)
class Process:
    """One process: its name, parent, start (ticks since boot) and CPU seconds so far, ended children included."""

    pid: int
    name: str
    parent: int
    started: int
    cpu_s: float

    @property
    def is_kernel(self) -> bool:
        """Whether it is a thread of the kernel, which works for whoever asked."""
        return _KERNEL_THREADS in (self.pid, self.parent)


def read_all(root: Path = ROOT) -> dict[int, Process]:
    """Every process that can be seen, by its number. One that ends meanwhile is left out."""
    found: dict[int, Process] = {}
    with contextlib.suppress(OSError):
        for folder in os.scandir(root / "proc"):
            if folder.name.isdigit():
                with contextlib.suppress(OSError, ValueError, IndexError):
                    process = parse(Path(folder.path, "stat").read_text(errors="replace"))
                    found[process.pid] = process
    return found


def parse(stat: str) -> Process:
    """The text of /proc/PID/stat. The name may hold blanks and parentheses; the fields after the last one are fixed."""
    head, _, tail = stat.rpartition(")")
    pid, _, name = head.partition("(")
    fields = tail.split()
    spent = sum(int(field) for field in fields[11:15])  # utime stime cutime cstime
    return Process(int(pid), name, int(fields[1]), int(fields[19]), spent / _TICKS_S)


def tree(processes: Mapping[int, Process], roots: Iterable[int]) -> set[int]:
    """The roots and all that descends from them."""
    children: dict[int, list[int]] = {}
    for process in processes.values():
        children.setdefault(process.parent, []).append(process.pid)
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.add(pid)
            waiting += children.get(pid, [])
    return found


def used_s(before: Mapping[int, Process], after: Mapping[int, Process]) -> dict[int, float]:
    """CPU seconds by process between two looks; a new process counts whole, never less than 0.

    What a child had used when first seen moves to its parent when it ends: it is taken off there.
    """
    moved: dict[int, float] = {}
    for pid, process in before.items():
        if not _is_same(process, after.get(pid)):
            moved[process.parent] = moved.get(process.parent, 0.0) + process.cpu_s
    spent = {}
    for pid, process in after.items():
        old = before.get(pid)
        begun = old.cpu_s if old is not None and _is_same(process, old) else 0.0
        spent[pid] = max(0.0, process.cpu_s - begun - moved.get(pid, 0.0))
    return spent


def _is_same(process: Process, other: Process | None) -> bool:
    return other is not None and other.started == process.started
