"""What the kernel says of a process and its children, read from /proc."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

_TICKS_PER_S: int = os.sysconf("SC_CLK_TCK")
_LISTEN = "0A"  # the kernel's number of that state


def tree(pid: int) -> list[int]:
    """The process and everything it started that still lives; empty when it is gone."""
    found: list[int] = []
    todo = [pid]
    while todo:
        current = todo.pop()
        with contextlib.suppress(OSError):
            children = [
                int(child)
                for task in Path(f"/proc/{current}/task").iterdir()
                for child in (task / "children").read_text().split()
            ]
            found.append(current)
            todo += children
    return found


def listeners(pids: Iterable[int], port: int) -> list[int]:
    """Those of the processes that hold a TCP socket listening on the port of 127.0.0.1 or of every address."""
    sockets = set()
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[3] == _LISTEN and int(fields[1].rsplit(":", 1)[1], 16) == port:
            sockets.add(f"socket:[{fields[9]}]")
    return [pid for pid in pids if not sockets.isdisjoint(_open_files(pid))]


def _open_files(pid: int) -> list[str]:
    found: list[str] = []
    with contextlib.suppress(OSError):
        for entry in os.listdir(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError):
                found.append(str(Path(f"/proc/{pid}/fd/{entry}").readlink()))
    return found


def resident_kib(pids: Iterable[int]) -> int:
    """Resident memory of the processes, KiB. A page that two of them share counts twice."""
    return _status(pids, "VmRSS:")


def threads(pids: Iterable[int]) -> int:
    """Threads of the processes."""
    return _status(pids, "Threads:")


def _status(pids: Iterable[int], name: str) -> int:
    total = 0
    for member in pids:
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{member}/status").read_text().splitlines():
                if line.startswith(name):
                    total += int(line.split()[1])
    return total


def cpu_s(pids: Iterable[int]) -> float:
    """User and system time of the processes, seconds, in steps of a tick (10 ms)."""
    ticks = 0
    for member in pids:
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{member}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / _TICKS_PER_S


def machine_cpu_s() -> float:
    """User, nice and system time of all CPUs since the start of the machine, seconds."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    return sum(int(field) for field in fields[1:4]) / _TICKS_PER_S


def descriptors(pids: Iterable[int]) -> int:
    """Open descriptors of the processes."""
    total = 0
    for member in pids:
        with contextlib.suppress(OSError):
            total += len(os.listdir(f"/proc/{member}/fd"))
    return total


def writes(pid: int) -> int:
    """How often the process has called write() or its like, all threads together. Raises OSError when it is gone."""
    return parse_writes(Path(f"/proc/{pid}/io").read_text())


def parse_writes(text: str) -> int:
    """The write calls in the text of a /proc/PID/io. Raises ValueError when it has none."""
    for line in text.splitlines():
        if line.startswith("syscw:"):
            return int(line.split()[1])
    raise ValueError("no syscw in /proc/PID/io")
