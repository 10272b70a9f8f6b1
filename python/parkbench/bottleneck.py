"""Names the bottleneck of a run: the deepest resource that is used up and for which requests queue.

A request goes downwards: through the generator, a worker (carrier, loop), a connection, the database; all of them need
CPUs. When a lower resource is short, everything above it fills up as well: 200 workers that sit and wait for one of 10
connections are all busy, and yet more workers would not help. So the rules are asked from the bottom upwards, and the
first one that holds gives the name. A resource counts as short only when it is used up (utilisation) and waited for
(saturation), or when it refuses (errors). Why it is short is the cause's matter: see `parkbench.diagnosis`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from parkbench.diagnosis import Facts, pools, refusals
from parkbench.record import Record, detail, has_figures, model_threads, number, option, phases

RESOURCES = (
    "workers", "carriers", "loops", "connections", "database", "cpu", "downstream", "lock", "memory", "generator",
    "none",
)  # fmt: skip

BUSY = 0.90
"""A resource used this much of the time is used up."""
IDLE = 0.05
"""Threads of a model that are idle less than this are all busy."""
NOTICEABLE = 0.05
"""A wait of this share of the mean response time counts as waiting."""
DOMINANT = 0.50
"""A phase of this share of the mean response time is most of it."""
FOREIGN = 0.20
"""Other programs matter when they use this share of the CPUs."""
FAILING = 0.01
"""A resource that makes this share of the requests fail is short, whatever its utilisation says."""

_FAULTS = {"pool_timeout": "connections", "out_of_memory": "memory", "db_connect": "database",
           "db_connection_lost": "database", "db_error": "database", "downstream_timeout": "downstream",
           "downstream_failed": "downstream", "circuit_open": "downstream",
           "bulkhead_full": "downstream"}  # fmt: skip
_THREADS = {"thread_pool": "workers", "virtual_threads": "carriers", "reactive": "loops"}


@dataclass(frozen=True)
class Bottleneck:
    """The resource (one of RESOURCES), a sentence that gives the reason, and the figures that decided."""

    name: str
    text: str
    figures: dict[str, float] = field(default_factory=dict)


def find_bottleneck(run: Record) -> Bottleneck:
    """The bottleneck of one run, from its record alone. A run without figures has `none`."""
    if not has_figures(run):
        return Bottleneck("none", "the run has no figures")
    for rule in _RULES:
        found = rule(run)
        if found is not None:
            return found
    return _no_shortage(run)


def _generator(run: Record) -> Bottleneck | None:
    lateness, share = detail(run, "lateness_p99_ms") or 0.0, detail(run, "generator_cpu_share") or 0.0
    if run.get("status") != "client_limited":
        if run.get("transport") != "http" or share < BUSY:
            return None
        text = f"the generator used {share:.0%} of its core: what it saw is partly about itself"
        return Bottleneck("generator", text, {"generator_cpu_share": share})
    text = f"the generator could not send on time (p99 of its lateness {lateness:.3g} ms, {share:.0%} of its core)"
    return Bottleneck("generator", text, {"lateness_p99_ms": lateness, "generator_cpu_share": share})


def _errors(run: Record) -> Bottleneck | None:
    scheduled = (run.get("ledger") or {}).get("scheduled") or 0
    counts: dict[str, int] = {}
    for cause, count in (run.get("failures") or {}).items():
        if cause in _FAULTS:
            counts[_FAULTS[cause]] = counts.get(_FAULTS[cause], 0) + count
    name = max(counts, key=lambda resource: counts[resource], default=None)
    if name is None or counts[name] < FAILING * scheduled:
        return None
    what = {
        "connections": "waited in vain for a connection",
        "memory": "found no memory",
        "downstream": "failed at the downstream, or were kept from it",
    }.get(name, "failed in the database")
    return Bottleneck(name, f"{counts[name]:,} of {scheduled:,} requests {what}", {"failures": counts[name]})


def _connections(run: Record) -> Bottleneck | None:
    size, used, waiting = option(run, "connections"), detail(run, "connections_in_use_mean"), _waiting(run)
    if not size or used is None or used < BUSY * size or waiting < 0.5 or _share(run, "connection") < NOTICEABLE:
        return None
    text = f"all {size} connections are in use ({used:.3g} on average) and {waiting:.3g} requests wait for one"
    figures = {"connections": float(size), "connections_in_use_mean": used, "connections_waiting_mean": waiting}
    return Bottleneck("connections", f"{text}; {_while_held(run)}", figures | _cpu_figures(run))


def _downstream_connections(run: Record) -> Bottleneck | None:
    """A gateway's connections to its downstream: by Little's law, busy ones are the rate times the time of a call."""
    size, rate = option(run, "downstream_connections"), number(run, "throughput_rps")
    if run.get("workload") != "gateway" or not size or not rate or _share(run, "connection") < NOTICEABLE:
        return None
    used = rate * phases(run)["downstream"] / 1000 * (option(run, "aggregate") or 1)
    if used < BUSY * size:
        return None
    text = f"about {min(used, size):.3g} of {size} connections to the downstream are in use and requests wait for one"
    return Bottleneck("connections", text, {"downstream_connections": float(size), "in_use": used} | _cpu_figures(run))


def _while_held(run: Record) -> str:
    """What a connection does while a request holds it, and so what would make it free sooner."""
    spent, hold = phases(run), option(run, "connection_hold") or "statement"
    wait, delay = spent["app_wait"], 2 * (option(run, "query_delay_ms") or 0.0)
    cpu = _cpu_figures(run).get("host_cpu_share", 0.0)
    if hold == "request" and wait > spent["database"]:
        return f"it is held while the application waits ({wait:,.3g} ms of each request)"
    if delay and spent["database"] < 2 * delay:
        return f"the database takes {spent['database']:,.3g} ms of each request, as asked by query_delay_ms"
    if cpu >= BUSY:
        return f"the CPUs are {cpu:.0%} busy, so that more connections would queue there"
    return f"the database takes {spent['database']:,.3g} ms of each request"


def _threads(run: Record) -> Bottleneck | None:
    """Workers, carriers or loops: all busy, and requests queue for them."""
    plural = _THREADS.get(str(run.get("model")))
    threads, idle = model_threads(run), number(run, "threads_idle_mean")
    queued = detail(run, "queue_depth_mean") or 0.0
    if not plural or not threads or idle is None:
        return None
    if queued < 0.5 or _share(run, "queue") + _share(run, "wakeup") < NOTICEABLE:
        return None
    # A pool may be used up for a part of the window alone: then most of a mean response is the queue in front of it.
    at_times = run.get("model") == "thread_pool" and _share(run, "queue") >= DOMINANT
    if idle >= IDLE * threads and not at_times:
        return None
    on_cpu = number(run, "threads_on_cpu_mean") or 0.0
    if on_cpu > threads / 2 and _cpu_figures(run).get("host_cpu_share", 0.0) >= BUSY:
        return None  # they are busy because they have no CPU: more of them would queue for one
    size = option(run, plural) or round(threads)
    text = (
        f"all {size} {plural} are busy{' at times' if idle >= IDLE * threads else ''} "
        f"({idle:.2g} idle on average, most {_busy_with(run)}) "
        f"and {queued:,.3g} requests queue"
    )
    figures = {plural: float(size), "threads_idle_mean": idle, "queue_depth_mean": queued}
    return Bottleneck(plural, text, figures | _cpu_figures(run))


def _lock(run: Record) -> Bottleneck | None:
    """Requests that stand in line for a lock, where the run counts them."""
    found = pools.lock(Facts(run)) if detail(run, "lock_waiting_mean") is not None else None
    return None if found is None else Bottleneck("lock", found.text, dict(found.evidence) | _cpu_figures(run))


def _memory(run: Record) -> Bottleneck | None:
    """Programs wait for memory and pages come back from disk."""
    found = refusals.memory(Facts(run))
    return Bottleneck("memory", found.text, dict(found.evidence)) if found is not None and found.certain else None


def _busy_with(run: Record) -> str:
    states = {"waiting for I/O": "threads_on_io_mean", "waiting for a connection": "threads_on_connection_mean",
              "in the application's own wait": "threads_on_app_wait_mean", "pinned": "threads_pinned_mean",
              "computing": "threads_on_cpu_mean"}  # fmt: skip
    return max(states, key=lambda text: number(run, states[text]) or 0.0)


def _cpu(run: Record) -> Bottleneck | None:
    figures = _cpu_figures(run)
    host, own = figures.get("host_cpu_share", 0.0), figures.get("process_cpu_share", 0.0)
    if max(host, own) < BUSY or 1 - _share(run, "downstream") - _share(run, "app_wait") < NOTICEABLE:
        return None  # also where nearly all of a response is a wait that no CPU would shorten
    foreign = Facts(run).foreign or 0.0
    if foreign >= FOREIGN and host - foreign < BUSY / 2:
        return None  # others use them; the cause says so, and no resource of the run is used up
    cpus = int(detail(run, "cpus") or 1)
    text = f"the {cpus} CPUs are {max(host, own):.0%} busy ({own:.0%} by the model)" if cpus > 1 else (
        f"the CPU is {max(host, own):.0%} busy ({own:.0%} by the model)")  # fmt: skip
    return Bottleneck("cpu", f"{text} and no other resource is used up", figures)


def _downstream(run: Record) -> Bottleneck | None:
    """Nothing of ours is used up, and most of a response is spent in the downstream."""
    share, response = _share(run, "downstream"), number(run, "response_mean_ms") or 0.0
    if share < DOMINANT:
        return None
    text = f"nothing here is used up; the downstream takes {share:.0%} of a response ({response:,.4g} ms)"
    return Bottleneck("downstream", text, {"downstream_share": share} | _cpu_figures(run))


def _no_shortage(run: Record) -> Bottleneck:
    spent, figures = phases(run), _cpu_figures(run)
    largest = max(spent, key=lambda phase: spent[phase])
    response = number(run, "response_mean_ms") or 0.0
    text = (
        f"no resource is used up; the largest part of a response is {largest} "
        f"({spent[largest]:,.3g} of {response:,.4g} ms)"
    )
    return Bottleneck("none", text, figures)


_RULES: tuple[Callable[[Record], Bottleneck | None], ...] = (
    _generator, _errors, _memory, _connections, _downstream_connections, _lock, _threads, _cpu, _downstream,
)  # fmt: skip


def _share(run: Record, phase: str) -> float:
    response = number(run, "response_mean_ms") or 0.0
    return phases(run)[phase] / response if response > 0 else 0.0


def _waiting(run: Record) -> float:
    return detail(run, "connections_waiting_mean") or 0.0


def _cpu_figures(run: Record) -> dict[str, float]:
    found = {key: detail(run, key) for key in ("host_cpu_share", "process_cpu_share")}
    return {key: value for key, value in found.items() if value is not None}
