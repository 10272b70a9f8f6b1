"""The disclosure block of a sweep: on what it ran, with what, and how it was called."""

from __future__ import annotations

import importlib
import os
import platform
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from parkbench import control_group
from parkbench._version import __version__
from parkbench.database.dsn import redact
from parkbench.disclosure import REQUIRED as REQUIRED
from parkbench.disclosure import missing as missing
from parkbench.disclosure import unfit_build
from parkbench.errors import ConfigError
from parkbench.redact import without_password

ALLOW_DEBUG = "PARKBENCH_ALLOW_DEBUG"
_CPU = Path("/sys/devices/system/cpu")
_VULNERABILITIES = Path("/sys/devices/system/cpu/vulnerabilities")
_LIMITS = {
    "open_files": resource.RLIMIT_NOFILE,
    "processes": resource.RLIMIT_NPROC,
    "stack_bytes": resource.RLIMIT_STACK,
}


def describe(postgres: Mapping[str, Any] | None = None, command: Sequence[str] | None = None) -> dict[str, Any]:
    """Machine, kernel, Python, build, database and limits as plain values; no password in any text.

    `postgres` is what the database says of itself (provider, version, settings), `command` the program's arguments.
    Every key is always there; null where the machine does not tell, or where it does not apply.
    """
    return {
        "machine": platform.machine(),
        "cpu_model": cpu_model(),
        "cpus": os.cpu_count(),
        "cpus_usable": len(os.sched_getaffinity(0)),
        "cpu_governor": governor(),
        "cpu_turbo": turbo(),
        "cpu_shared_by_session": autogroup(),
        "cpu_quota": control_group.cpu_quota(),
        "memory_mib": memory_mib(),
        "memory_limit_mib": control_group.memory_limit_mib(),
        "swap_mib": swap_mib(),
        "transparent_huge_pages": huge_pages(),
        "kernel": platform.release(),
        "system": _system(),
        "mitigations": mitigations(),
        "aslr": aslr(),
        "clock_source": clock_source(),
        "python": platform.python_version(),
        "python_implementation": platform.python_implementation(),
        "parkbench": __version__,
        "commit": commit(),
        "build": build_info(),
        "postgres": dict(postgres) if postgres else None,
        "limits": limits(),
        "command": None if command is None else [without_password(part) for part in command],
    }


def check_build(build: Mapping[str, Any] | None = None, environ: Mapping[str, str] = os.environ) -> None:
    """Raises `ConfigError` if the core was built with a sanitizer, assertions or as Debug: its times are not for use.

    PARKBENCH_ALLOW_DEBUG=1 lets it measure all the same; the result says what it was built as. `build`: default is
    what the loaded core says.
    """
    found = build_info() if build is None else build
    why = unfit_build({"environment": {"build": found}})
    if why is not None and environ.get(ALLOW_DEBUG) != "1":
        raise ConfigError(
            f"the core is {why}, whose times are not for use; install it again by `pip install .`, "
            f"or set {ALLOW_DEBUG}=1 to measure all the same"
        )


def cautions(found: Mapping[str, Any], *, own_server: bool = False) -> list[str]:
    """What of this environment (as `describe` gives it) can sway a result, a sentence each; empty where nothing does.

    `own_server`: the database is a server of the user's on this machine, not the embedded one.
    """
    told = []
    if found.get("cpu_shared_by_session") and own_server:
        told.append(
            "the kernel shares the CPUs out by session (sched_autogroup_enabled), so that each process of a database "
            "server of your own may be weighed as much as all of the service: "
            "`sysctl kernel.sched_autogroup_enabled=0` ends that"
        )
    if found.get("cpu_governor") not in (None, "performance"):
        told.append(f"the CPUs' clock follows the load (governor {found['cpu_governor']})")
    swap = found.get("swap_mib") or {}
    if swap.get("used"):
        told.append(f"{swap['used']:,.0f} MiB are swapped out")
    if found.get("cpu_quota"):
        told.append(f"a control group gives the run {found['cpu_quota']:.3g} CPUs and stops it when they are used up")
    return told


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


def turbo() -> bool | None:
    """Whether single cores may run faster than their base clock; None where the machine does not tell."""
    for path, on in ((_CPU / "intel_pstate/no_turbo", "0"), (_CPU / "cpufreq/boost", "1")):
        lines = _lines(path)
        if lines:
            return lines[0].strip() == on
    return None


def clock_source() -> str | None:
    """From what the kernel takes the time: tsc, kvm-clock, hpet, ...; None where it does not tell."""
    lines = _lines(Path("/sys/devices/system/clocksource/clocksource0/current_clocksource"))
    return lines[0].strip() if lines else None


def aslr() -> int | None:
    """How the kernel randomises addresses: 2 all, 1 without the heap, 0 not at all; None where it does not tell."""
    lines = _lines(Path("/proc/sys/kernel/randomize_va_space"))
    return int(lines[0]) if lines and lines[0].strip().isdigit() else None


def huge_pages() -> str | None:
    """Transparent huge pages: always, madvise or never; None where the kernel has none."""
    for line in _lines(Path("/sys/kernel/mm/transparent_hugepage/enabled")):
        return line.partition("[")[2].partition("]")[0] or None
    return None


def swap_mib() -> dict[str, int] | None:
    """Swap space of the machine and how much of it is used, MiB; None where that cannot be read."""
    found = {line.split(":")[0]: line.split()[1] for line in _lines(Path("/proc/meminfo")) if line.startswith("Swap")}
    if not {"SwapTotal", "SwapFree"} <= found.keys():
        return None
    total, free = int(found["SwapTotal"]), int(found["SwapFree"])
    return {"total": total // 1024, "used": (total - free) // 1024}


def commit(package: Path = Path(__file__).parent) -> str | None:
    """The commit of the checkout that parkbench runs from, with `+changes` where files differ; None if it is installed.

    Only a checkout of parkbench itself counts: it may be installed inside the repository of somebody else's project.
    """
    top = package.parent.parent
    if not (top / ".git").exists() or not (top / "python" / "parkbench" / "_version.py").is_file():
        return None
    try:
        head, changed = (
            subprocess.run(["git", "-C", str(top), *s], capture_output=True, text=True, timeout=10, check=True).stdout
            for s in (("rev-parse", "HEAD"), ("status", "--porcelain", "--untracked-files=no"))
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return head.strip() + ("+changes" if changed.strip() else "")


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
