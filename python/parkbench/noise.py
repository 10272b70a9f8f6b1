"""Sensors for what disturbs a run from outside: read before it starts and after it has ended, compared, judged.

Nothing runs meanwhile, so that looking does not disturb. All files are read below a root that is `/` except in tests.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import resource
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parkbench import control_group, processes

STEAL_LIMIT = 0.01
FOREIGN_LIMIT = 0.05
ROOT = Path("/")
_SURE = 3.0  # standard deviations of counting by ticks, within which it is no finding


@dataclass(frozen=True)
class Look:
    """What the sensors said at one moment; None where this machine does not tell."""

    at_s: float
    cpus: int
    ticks: tuple[int, ...]  # of all CPUs: user nice system idle iowait irq softirq steal
    processes: Mapping[int, processes.Process]
    throttled_s: float | None
    memory_stall_s: float | None
    cpu_stall_s: float | None
    run_delay_s: float | None
    frequency_mhz: float | None
    involuntary_switches: int
    major_faults: int


class Watch:
    """The sensors over a stretch of time; `read` may be called any number of times."""

    def __init__(self, look: Callable[[], Look], own: Sequence[int]) -> None:
        self._look = look
        self._own = own
        self._before = look()

    def read(self, details: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """What happened since the watch began, judged; `details` of a run add what its server saw of itself."""
        return judge({**difference(self._before, self._look(), self._own), **_of_server(details or {})})


@contextlib.contextmanager
def watching(
    *, root: Path = ROOT, also: Sequence[int] = (), clock: Callable[[], float] = time.monotonic
) -> Iterator[Watch]:
    """Watch the machine over the block: begin before a run's process is started, read when it has ended.

    This process and all it starts are the run; so are the processes `also` (a service or database server of the user,
    by process number) and what they start. Everything else is foreign. Raises nothing: what cannot be read is None.
    """
    yield Watch(lambda: look(root, clock), [os.getpid(), *also])


def look(root: Path = ROOT, clock: Callable[[], float] = time.monotonic) -> Look:
    """Read every sensor once; about 10 microseconds for each process of the machine."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    everyone = processes.read_all(root)
    stat = _text(root / "proc/stat").splitlines() or [""]
    return Look(
        at_s=clock(),
        cpus=sum(re.match(r"cpu\d", line) is not None for line in stat),
        ticks=tuple(int(field) for field in stat[0].split()[1:9]),
        processes=everyone,
        throttled_s=control_group.throttled_s(root),
        memory_stall_s=_stalled_s(root, "memory"),
        cpu_stall_s=_stalled_s(root, "cpu"),
        run_delay_s=_run_delay_s(root),
        frequency_mhz=frequency_mhz(root),
        involuntary_switches=children.ru_nivcsw,
        major_faults=children.ru_majflt,
    )


def difference(before: Look, after: Look, own: Sequence[int]) -> dict[str, Any]:
    """The figures between two looks. Shares are of the time of all CPUs, those of pressure of the stretch."""
    window = max(after.at_s - before.at_s, 1e-9)
    ticks = [b - a for a, b in zip(before.ticks, after.ticks, strict=False)]
    total = sum(ticks)
    foreign, most = _foreign(before, after, own, ticks, window)
    return {
        "watched_s": window,
        "steal_share": ticks[7] / total if total > 0 and len(ticks) > 7 else None,
        "foreign_cpu_share": foreign,
        "foreign_most": most,
        "memory_pressure_share": _share(before.memory_stall_s, after.memory_stall_s, window),
        "cpu_pressure_share": _share(before.cpu_stall_s, after.cpu_stall_s, window),
        "throttled_s": _less(after.throttled_s, before.throttled_s),
        "frequency_mhz": after.frequency_mhz,
        "run_queue_delay_s": _less(after.run_delay_s, before.run_delay_s),
        "involuntary_switches": after.involuntary_switches - before.involuntary_switches,
        "major_faults": after.major_faults - before.major_faults,
    }


def judge(found: Mapping[str, Any]) -> dict[str, Any]:
    """The figures with `noisy` (steal above 1 %, or others' CPU above 5 %) and one sentence, `text`."""
    steal, foreign = found.get("steal_share"), found.get("foreign_cpu_share")
    noisy = (steal or 0.0) > STEAL_LIMIT or (foreign or 0.0) > FOREIGN_LIMIT
    parts = []
    if steal is not None:
        parts.append(f"steal {_percent(steal)}" + (f" (limit {_percent(STEAL_LIMIT)})" if steal > STEAL_LIMIT else ""))
    if foreign is not None:
        most = f", most of it {found['foreign_most']}" if foreign > FOREIGN_LIMIT and found.get("foreign_most") else ""
        limit = f" (limit {_percent(FOREIGN_LIMIT)}{most})" if foreign > FOREIGN_LIMIT else ""
        parts.append(f"other programs used {_percent(foreign)} of the CPUs{limit}")
    if found.get("throttled_s"):
        parts.append(f"the control group's quota held the run back for {found['throttled_s']:.2g} s")
    if (found.get("memory_pressure_share") or 0.0) >= 0.01:
        parts.append(f"programs waited for memory {_percent(found['memory_pressure_share'])} of the time")
    if found.get("major_faults"):
        parts.append(f"{found['major_faults']:,.0f} page faults had to wait for the disk")
    if not parts:
        return {**found, "noisy": False, "text": "no sensor could be read"}
    return {**found, "noisy": noisy, "text": f"{'noisy' if noisy else 'quiet'}: {', '.join(parts)}"}


def local_server_pid(dsn: str) -> int | None:
    """The process number of the PostgreSQL server behind a DSN if it runs on this machine, for `also`; else None.

    None as well where it cannot be asked: then its CPU time counts as foreign.
    """
    from parkbench.database.session import core_connect
    from parkbench.errors import DatabaseError

    try:
        session = core_connect(dsn)
        try:
            backend, address = session.execute("select pg_backend_pid(), host(inet_server_addr())")[0]
            process = processes.read_all().get(int(backend or 0))  # while the session lives
        finally:
            session.close()
    except (DatabaseError, ImportError):
        return None
    if address not in (None, "127.0.0.1", "::1"):
        return None
    return process.parent if process is not None and process.name.startswith("postgres") else None


def frequency_mhz(root: Path = ROOT) -> float | None:
    """Mean clock of the CPUs now, MHz; None where the machine does not tell."""
    folder = root / "sys/devices/system/cpu"
    texts = [_text(path) for path in sorted(folder.glob("cpu[0-9]*/cpufreq/scaling_cur_freq"))]
    found = [int(text) / 1000 for text in texts if text.isdigit()]
    if not found:
        lines = [line.partition(":") for line in _text(root / "proc/cpuinfo").splitlines()]
        found = [float(value) for key, _, value in lines if key.strip() == "cpu MHz"]
    return sum(found) / len(found) if found else None


def _foreign(
    before: Look, after: Look, own: Sequence[int], ticks: Sequence[int], window: float
) -> tuple[float | None, str | None]:
    """The share of the CPUs' time that others used, and who most.

    Two ways, the larger counts. By process: exact, but blind to what another container does. By the machine's ticks
    less what our own processes used: sees all, but is a sample of so many ticks, so only what exceeds three standard
    deviations of that sampling counts. Kernel threads and interrupts work for whoever asked and are nobody's.
    """
    total = sum(ticks)
    cpus = after.cpus
    if not after.processes or total <= 0 or not cpus:
        return None, None
    ours = processes.tree(before.processes, own) | processes.tree(after.processes, own)
    spent = processes.used_s(before.processes, after.processes)
    everyone = after.processes
    others = {pid: cpu for pid, cpu in spent.items() if pid not in ours and not everyone[pid].is_kernel}
    seen = sum(others.values()) / (window * cpus)
    busy = sum(ticks[:3]) / total
    known = sum(cpu for pid, cpu in spent.items() if pid not in others) / (window * cpus)
    unsure = _SURE * math.sqrt(max(busy * (1 - busy), 0.0) / total)
    share = min(1.0, max(seen, busy - known - unsure, 0.0))
    most = max(others, key=others.__getitem__, default=None)
    return share, everyone[most].name if most is not None and others[most] > 0 else None


def _of_server(details: Mapping[str, Any]) -> dict[str, Any]:
    """What the core counted for the server within the window takes the place of what was seen from outside."""
    keys = ("run_queue_delay_s", "involuntary_switches", "major_faults")
    return {key: details[key] for key in keys if isinstance(details.get(key), (int, float))}


def _run_delay_s(root: Path) -> float | None:
    """How long the threads of this process have waited for a CPU, s: the second figure of schedstat."""
    found = [_text(path).split() for path in (root / "proc/self/task").glob("*/schedstat")]
    waits = [int(fields[1]) / 1e9 for fields in found if len(fields) > 1 and fields[1].isdigit()]
    return sum(waits) if waits else None


def _stalled_s(root: Path, what: str) -> float | None:
    """Seconds since boot in which some task waited for this resource (pressure stall information)."""
    for line in _text(root / "proc/pressure" / what).splitlines():
        if line.startswith("some") and "total=" in line:
            return int(line.rpartition("total=")[2]) / 1e6
    return None


def _less(after: float | None, before: float | None) -> float | None:
    return None if after is None or before is None else max(0.0, after - before)


def _share(before: float | None, after: float | None, window: float) -> float | None:
    spent = _less(after, before)
    return None if spent is None else min(1.0, spent / window)


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %".replace(".0 %", " %")


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""
