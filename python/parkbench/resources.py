"""What a sweep needs of the machine, checked before anything starts: memory, descriptors, threads, a place to write."""

from __future__ import annotations

import os
import resource
import tempfile
from collections.abc import Sequence
from pathlib import Path

from parkbench import validate
from parkbench.errors import ConfigError
from parkbench.plan import Cell
from parkbench.scenario import needs_downstream

# KiB. Counted by what becomes resident: of the 64 KiB of a virtual thread's stack two pages are touched.
_REQUEST_KIB = 0.5
_VIRTUAL_THREAD_KIB = 8.0
_WORKER_KIB = 32.0
_PROCESS_KIB = 65_536.0
_BACKEND_KIB = 6_144.0

_PROCESS_HTTP_KIB = 32_768.0  # of each further process on transport http
_CONNECTION_KIB = 24.0  # of a connection over HTTP: both sockets, with what the kernel keeps, and their sessions

# Beside the connections: standard streams, pollers, event descriptors, /proc files of the sampler.
_DESCRIPTORS = 64
_DESCRIPTORS_EACH = 2  # the socket, and the duplicate that the pollers watch
_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")
_SYSCTL = Path("/proc/sys")


def check(
    cells: Sequence[Cell], *, database: bool, embedded: bool, transport: str = "direct", workload: str = "pricing"
) -> None:
    """Raises `ConfigError` if a cell does not fit into this machine; says what it needs and what there is."""
    for cell in cells:
        check_memory(cell, available_mib(), backends=embedded, http=transport == "http")
        check_threads(cell, _thread_limit())
        if database:
            check_descriptors(cell, file_limits())
        if transport == "http":
            check_sockets(cell, file_limits(), database=database, downstream=needs_downstream(workload, cell.options))


def file_limits() -> tuple[int, int]:
    """The soft and the hard limit of open files."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)


def needed_mib(cell: Cell, *, backends: bool, http: bool = False) -> float:
    """Memory a run of this cell touches at most, MiB, by the costs above; all its processes together."""
    options, users = cell.options, cell.concurrency
    admitted = users if options["limit"] is None else min(users, options["limit"])
    kib = _PROCESS_KIB + users * _REQUEST_KIB
    handlers = admitted
    if cell.model == "thread_pool":
        handlers = min(admitted, options["workers"])
        kib += options["workers"] * _WORKER_KIB
    elif cell.model == "virtual_threads":
        kib += admitted * _VIRTUAL_THREAD_KIB
    kib += handlers * options["alloc_kib"]
    if http:
        kib += 2 * _PROCESS_HTTP_KIB + users * _CONNECTION_KIB
    if backends:
        kib += options["connections"] * _BACKEND_KIB
    return float(kib) / 1024.0


def available_mib() -> float:
    """MemAvailable, or what the control group leaves where that is less, MiB."""
    found = [
        float(line.split()[1]) / 1024.0 for line in _MEMINFO.read_text().splitlines() if line.startswith("MemAvailable")
    ]
    limit, used = _cgroup_number("memory.max"), _cgroup_number("memory.current")
    if limit is not None:
        found.append((limit - (used or 0)) / 1048576.0)
    return max(0.0, min(found, default=float("inf")))


def check_memory(cell: Cell, available: float, *, backends: bool, http: bool = False) -> None:
    """Raises `ConfigError` if the cell needs more than `available` MiB."""
    needed = needed_mib(cell, backends=backends, http=http)
    if needed <= available:
        return
    least = Cell(cell.name, cell.model, 1, cell.options, cell.unequal)
    fixed = needed_mib(least, backends=backends, http=http)
    word = validate.spell("concurrency")
    if fixed > available:
        raise ConfigError(
            f"{cell.name} needs about {fixed:,.0f} MiB even for one user, but only {available:,.0f} MiB are available; "
            f"lower {'workers, ' if cell.model == 'thread_pool' else ''}connections or alloc_kib"
        )
    raise ConfigError(
        f"{word} {cell.concurrency} needs about {needed:,.0f} MiB for {cell.name}, "
        f"but only {available:,.0f} MiB are available; lower {word}"
    )


def check_descriptors(cell: Cell, limits: tuple[int, int]) -> None:
    """Raises `ConfigError` if the soft limit of open files is below what the connections need."""
    soft, hard = limits
    needed = int(cell.options["connections"]) * _DESCRIPTORS_EACH + _DESCRIPTORS
    if soft == resource.RLIM_INFINITY or needed <= soft:
        return
    able = hard == resource.RLIM_INFINITY or needed <= hard
    remedy = f"run `ulimit -n {needed}` first" if able else f"the hard limit is {hard:,}: raise it in limits.conf, or"
    fits = max(1, (soft - _DESCRIPTORS) // _DESCRIPTORS_EACH)
    remedy += f"{', or' if able else ''} lower {validate.spell('connections')} to {fits}"
    raise ConfigError(
        f"{validate.spell('connections')} {cell.options['connections']} needs {needed:,} file descriptors, "
        f"but the limit of open files (ulimit -n) is {soft:,}; {remedy}"
    )


def check_sockets(cell: Cell, limits: tuple[int, int], *, database: bool, downstream: bool) -> None:
    """Raises `ConfigError` if the soft limit of open files is below what a process needs for its HTTP connections.

    Generator, server and downstream are processes of their own with the same limit; the server needs most.
    """
    soft, hard = limits
    users, options = cell.concurrency, cell.options
    parts = [f"{users:,} connections of the generator"]
    needed = users + _DESCRIPTORS
    if database:
        needed += int(options["connections"]) * _DESCRIPTORS_EACH
        parts.append(f"{int(options['connections']) * _DESCRIPTORS_EACH:,} for the database")
    if downstream:
        admitted = users if options["limit"] is None else min(users, int(options["limit"]))
        calls = admitted * (int(options["aggregate"]) if options["aggregate_order"] == "parallel" else 1)
        most = options["downstream_connections"]
        calls = calls if most is None else min(calls, int(most))
        needed += calls
        parts.append(f"{calls:,} to the downstream")
    if soft == resource.RLIM_INFINITY or needed <= soft:
        return
    able = hard == resource.RLIM_INFINITY or needed <= hard
    remedy = f"run `ulimit -n {needed}` first" if able else f"the hard limit is {hard:,}: raise it in limits.conf"
    raise ConfigError(
        f"{validate.spell('concurrency')} {users} needs {needed:,} file descriptors in the server's process "
        f"({validate.listed(parts)}), but the limit of open files (ulimit -n) is {soft:,}; "
        f"{remedy}, or lower {validate.spell('concurrency')}"
    )


def check_threads(cell: Cell, limit: tuple[str, int] | None) -> None:
    """Raises `ConfigError` if a pool has more workers than this user or control group may have threads."""
    if limit is None or cell.model != "thread_pool":
        return
    name, most = limit
    needed = int(cell.options["workers"]) + 32
    if needed > most:
        raise ConfigError(
            f"{validate.spell('workers')} {cell.options['workers']} needs {needed:,} threads, but {name} is {most:,}; "
            f"raise it or lower {validate.spell('workers')}"
        )


def check_out(directory: str | os.PathLike[str]) -> Path:
    """The directory for results: missing or empty, and writable. Nothing is created. Raises `ConfigError`."""
    word = validate.spell("out")
    shown = validate.shown(directory if isinstance(directory, str) else repr(directory))
    if isinstance(directory, str) and "\0" in directory:
        raise ConfigError(f"{word} {shown} cannot be used: it holds a zero byte")
    try:
        path = Path(directory).expanduser()
        if path.exists() and not path.is_dir():
            raise ConfigError(f"{word} {shown} is a file; name a directory")
        if path.is_dir() and any(path.iterdir()):
            raise ConfigError(
                f"{word} {shown} is not empty; name another directory, or go on in it with {validate.spell('resume')}"
            )
        parent = next(p for p in (path.absolute(), *path.absolute().parents) if p.exists())
        with tempfile.TemporaryFile(
            dir=parent
        ):  # asking for permission says yes to root even where nothing can be made
            pass
    except (OSError, TypeError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ConfigError(f"{word} {shown} cannot be written: {reason.lower()}; name a directory that can") from None
    return path


def _thread_limit() -> tuple[str, int] | None:
    """The tightest limit on threads with its name; None where nothing limits."""
    found: list[tuple[str, int]] = []
    soft, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    if soft != resource.RLIM_INFINITY and os.geteuid() != 0:
        found.append(("the limit of processes (ulimit -u)", soft))
    pids = _cgroup_number("pids.max")
    if pids is not None:
        found.append(("pids.max of the control group", pids))
    for name in ("kernel/threads-max", "kernel/pid_max"):
        found += [(name.replace("/", "."), int(text)) for text in _first_line(_SYSCTL / name)]
    # A thread's stack and the guard below it are two maps.
    found += [("half of vm.max_map_count", int(text) // 2) for text in _first_line(_SYSCTL / "vm/max_map_count")]
    return min(found, key=lambda pair: pair[1], default=None)


def _first_line(path: Path) -> list[str]:
    """The first line of a file, if it can be read and is a number."""
    try:
        text = path.read_text().strip()
    except OSError:
        return []
    return [text] if text.isdigit() else []


def _cgroup_number(name: str) -> int | None:
    """A limit of the own control group (version 2); None where there is none."""
    try:
        group = next(line for line in Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::"))[3:]
        text = (_CGROUP / group.lstrip("/") / name).read_text().strip()
    except (OSError, StopIteration):
        return None
    return int(text) if text.isdigit() else None
