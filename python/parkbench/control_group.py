"""What the control group of this process lets it have, and how often it was held back: cgroup version 1 and 2.

Files are read below a root that is `/` except in tests. A limit may stand at any level above a process, so every level
up to the mount is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path("/")
_UNLIMITED_KIB = 1 << 50
_MOUNTS = {
    "cpu": ("sys/fs/cgroup/cpu", "sys/fs/cgroup/cpu,cpuacct"),
    "memory": ("sys/fs/cgroup/memory",),
    "": ("sys/fs/cgroup", "sys/fs/cgroup/unified"),
}


def throttled_s(root: Path = ROOT) -> float | None:
    """Seconds for which the CPU quota has held back this control group so far; None where no file tells."""
    found = []
    for text in _texts("cpu", "cpu.stat", root):
        fields = dict(line.split()[:2] for line in text.splitlines() if len(line.split()) >= 2)
        if "throttled_usec" in fields:  # version 2
            found.append(int(fields["throttled_usec"]) / 1e6)
        elif "throttled_time" in fields:  # version 1
            found.append(int(fields["throttled_time"]) / 1e9)
    return max(found, default=None)


def cpu_quota(root: Path = ROOT) -> float | None:
    """How many CPUs' worth of time the control group may use; None without a limit."""
    found = []
    for text in _texts("cpu", "cpu.max", root):
        quota, _, period = text.partition(" ")
        if quota.isdigit() and period.strip().isdigit():
            found.append(int(quota) / int(period))
    for directory in _directories("cpu", root):
        quota, period = _read(directory / "cpu.cfs_quota_us"), _read(directory / "cpu.cfs_period_us")
        if quota.isdigit() and period.isdigit() and int(period):
            found.append(int(quota) / int(period))
    return min(found, default=None)


def memory_limit_mib(root: Path = ROOT) -> float | None:
    """The memory the control group may use, MiB; None without a limit."""
    texts = [*_texts("memory", "memory.max", root), *_texts("memory", "memory.limit_in_bytes", root)]
    found = [int(text) for text in texts if text.isdigit()]
    limits = [value / 1048576 for value in found if value < _UNLIMITED_KIB * 1024]
    return min(limits, default=None)


def _texts(controller: str, name: str, root: Path) -> Iterator[str]:
    for directory in _directories(controller, root):
        text = _read(directory / name)
        if text:
            yield text


def _directories(controller: str, root: Path) -> Iterator[Path]:
    """The folders of this process's groups for a controller, innermost first, up to the mount; both versions."""
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and controller not in controllers.split(","):
            continue
        inside = PurePosixPath(path.strip() or "/")
        for mount in _MOUNTS[controller if controllers else ""]:
            for level in (inside, *inside.parents):
                yield root / mount / str(level).lstrip("/")


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
