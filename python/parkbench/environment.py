"""The disclosure block of a sweep: on what it ran, with what, and how it was called."""

from __future__ import annotations

import importlib
import os
import platform
import resource
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from parkbench._version import __version__
from parkbench.database.dsn import redact
from parkbench.redact import without_password

_VULNERABILITIES = Path("/sys/devices/system/cpu/vulnerabilities")
_LIMITS = {
    "open_files": resource.RLIMIT_NOFILE,
    "processes": resource.RLIMIT_NPROC,
    "stack_bytes": resource.RLIMIT_STACK,
}


def describe(postgres: Mapping[str, Any] | None = None, command: Sequence[str] | None = None) -> dict[str, Any]:
    """Machine, kernel, Python, build, database and limits as plain values; no password in any text.

    `postgres` is what the database says of itself (provider, version, settings), `command` the program's arguments.
    """
    return {
        "machine": platform.machine(),
        "cpu_model": cpu_model(),
        "cpus": os.cpu_count(),
        "cpus_usable": len(os.sched_getaffinity(0)),
        "cpu_governor": governor(),
        "cpu_shared_by_session": autogroup(),
        "memory_mib": memory_mib(),
        "kernel": platform.release(),
        "system": _system(),
        "mitigations": mitigations(),
        "python": platform.python_version(),
        "python_implementation": platform.python_implementation(),
        "parkbench": __version__,
        "build": build_info(),
        "postgres": dict(postgres) if postgres else None,
        "limits": limits(),
        "command": None if command is None else [without_password(part) for part in command],
    }


def build_info() -> dict[str, Any] | None:
    """What the compiled core says of its build; None where it cannot be loaded."""
    try:
        core: Any = importlib.import_module("parkbench._core")
        return dict(core.build_info())
    except (ImportError, AttributeError):
        return None


def cpu_model() -> str:
    """The processor's name."""
    for line in _lines(Path("/proc/cpuinfo")):
        key, _, value = line.partition(":")
        if key.strip() in ("model name", "Model", "Hardware"):
            return value.strip()
    return platform.processor() or "unknown"


def autogroup() -> bool:
    """Whether the kernel shares the CPUs out by session: it is told to, and no control group for CPU is in the way."""
    try:
        on = Path("/proc/sys/kernel/sched_autogroup_enabled").read_text().strip() == "1"
        groups = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines()]
    except OSError:
        return False
    of_cpu = [path for _, names, path in groups if "cpu" in names.split(",")]
    return on and all(path == "/" for path in of_cpu or [path for _, names, path in groups if not names])


def governor() -> str | None:
    """The frequency governor of the first CPU; None where the kernel (or a virtual machine) hides it."""
    lines = _lines(Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"))
    return lines[0].strip() if lines else None


def memory_mib() -> int | None:
    """The machine's memory."""
    for line in _lines(Path("/proc/meminfo")):
        if line.startswith("MemTotal"):
            return int(line.split()[1]) // 1024
    return None


def limits() -> dict[str, dict[str, int | None]]:
    """Soft and hard limits of this process; None is unlimited."""
    found = {name: resource.getrlimit(which) for name, which in _LIMITS.items()}
    return {name: {"soft": _limit(soft), "hard": _limit(hard)} for name, (soft, hard) in found.items()}


def mitigations() -> dict[str, str]:
    """What the kernel says of each hardware weakness."""
    try:
        return {path.name: " ".join(path.read_text().split()) for path in sorted(_VULNERABILITIES.iterdir())}
    except OSError:
        return {}


def command_line() -> list[str]:
    """The program's own arguments, without passwords."""
    shown: list[str] = []
    for before, part in zip(["", *sys.argv], sys.argv, strict=False):
        option, equals, dsn = part.partition("=")
        if before == "--database":
            part = redact(part)
        elif option == "--database" and equals:
            part = f"{option}={redact(dsn)}"
        shown.append(without_password(part))
    return shown


def _limit(value: int) -> int | None:
    return None if value == resource.RLIM_INFINITY else value


def _system() -> str:
    for line in _lines(Path("/etc/os-release")):
        if line.startswith("PRETTY_NAME="):
            return line.partition("=")[2].strip().strip('"')
    return platform.system()


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(errors="replace").splitlines()
    except OSError:
        return []
