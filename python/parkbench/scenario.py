"""The options of a scenario: one table of names, defaults and limits, and the record that goes to the core."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

from parkbench import arrivals, brownout, placement, validate
from parkbench.errors import ConfigError

MODELS = ("thread_pool", "virtual_threads", "reactive")
TRANSPORTS = ("http", "direct")
WORKLOADS = ("pricing", "sleep", "noop", "gateway", "cpu", "file", "stream", "mixed")
LATER_WORKLOADS = ("pinning", "stalling")


class ScenarioOptions(TypedDict, total=False):
    """The options of a scenario as keywords; `parkbench run --help` says what each is for."""

    arrivals: Any
    duration: float | str
    max_duration: float | str
    warmup: float | str
    requests_per_user: int | None
    timeout: float | str
    acquire_timeout: float | str
    connections: int
    workers: int
    queue: int
    rejection: str
    stack_kib: int
    carriers: int
    loops: int
    limit: int | None
    stealing: str
    query_delay_ms: float | str
    connection_hold: str
    app_wait_ms: float | str
    app_wait_at: str
    cpu_us: float | str
    alloc_kib: int
    sleep_ms: float | str
    products: int
    downstream: str
    downstream_ms: float | str
    downstream_jitter_ms: float | str
    downstream_timeout: float | str
    downstream_connections: int | None
    filter_lock: str
    aggregate: int
    aggregate_order: str
    bulkhead: int | None
    circuit_breaker: bool
    gateway_token: str | None
    rate_limit: float
    faults: str | None
    file_kib: int
    rows: int
    row_every_ms: float | str
    mixed_fast_ms: float | str
    mixed_slow_ms: float | str
    mixed_slow_share: float
    placement: str
    pipeline: int
    driver: str
    service: str


@dataclass(frozen=True)
class Option:
    """One option: its default, how a value is checked, and to whom it belongs."""

    name: str
    default: Any
    check: Callable[[str, Any], Any]
    help: str
    model: str | None = None  # the only model that has it
    workload: tuple[str, ...] = ()  # the workloads on which it has an effect; empty: all
    of_workload: Mapping[str, Any] = field(default_factory=dict)  # other defaults, by workload

    def default_for(self, workload: str | None) -> Any:
        """The default on that workload."""
        return self.of_workload.get(workload or "", self.default)


def cpus() -> int:
    """The CPUs this process may use."""
    return len(os.sched_getaffinity(0))


def _time(unit: str, *, above: float | None = None, low: float | None = 0.0) -> Callable[[str, Any], float]:
    day = 86_400.0 / {"s": 1.0, "ms": 1e-3, "us": 1e-6}[unit]
    return lambda option, value: validate.real(option, value, unit, above=above, low=low, high=day)


def _count(low: int, high: int, unit: str = "") -> Callable[[str, Any], int]:
    return lambda option, value: validate.whole(option, value, low=low, high=high, unit=unit)


def _count_or_none(low: int, high: int) -> Callable[[str, Any], int | None]:
    def check(option: str, value: Any) -> int | None:
        if value is None or (isinstance(value, str) and value.strip().lower() == "none"):
            return None
        return validate.whole(option, value, low=low, high=high)

    return check


def _word(*words: str) -> Callable[[str, Any], str]:
    return lambda option, value: validate.one_of(option, value, words)


def _token(option: str, value: Any) -> str | None:
    """A bearer token as a header can carry it; None for none."""
    if value is None or (isinstance(value, str) and value.strip().lower() == "none"):
        return None
    if not isinstance(value, str) or re.fullmatch(r"[A-Za-z0-9._~+/-]{1,256}=*", value) is None:
        raise ConfigError(f"{validate.spell(option)} takes up to 256 letters, digits and . _ ~ + / -, or none")
    return value


def _options() -> tuple[Option, ...]:
    pool, virtual, reactive = MODELS
    o = Option
    priced, gateway, computing = ("pricing",), ("gateway",), ("pricing", "cpu")
    return (
        o(
            "arrivals",
            "closed",
            lambda _, value: arrivals.parse(value),
            "when requests are due: closed[:think=S], rounds[:pause=S|every=S], constant:rate=R, poisson:rate=R",
        ),
        o("duration", 2.0, _time("s", above=0.0), "least length of the measured window, s"),
        o("max_duration", 60.0, _time("s", above=0.0), "a window is extended at most to this, s"),
        o("warmup", 0.5, _time("s"), "least time before the window opens, s"),
        o("requests_per_user", None, _count_or_none(1, 10**9), "stop after so many requests of each user"),
        o("timeout", 30.0, _time("s", above=0.0), "a request fails after this, s"),
        o("acquire_timeout", 30.0, _time("s", above=0.0), "waiting for a connection fails after this, s"),
        o("connections", 10, _count(1, 10_000), "database connections, one pool for all"),
        o("workers", 200, _count(1, 1_000_000), "threads of thread_pool", pool),
        o("queue", 10_000, _count(1, 10**9), "places in the queue of thread_pool", pool),
        o(
            "rejection",
            "reject",
            _word("reject", "caller_runs", "block"),
            "thread_pool, queue full: reject, caller_runs or block",
            pool,
        ),
        o("stack_kib", 1024, _count(64, 1_048_576, "KiB"), "stack of a thread_pool worker, KiB", pool),
        o("carriers", None, _count(1, 1024), "OS threads of virtual_threads; default: the CPUs it has", virtual),
        o("loops", None, _count(1, 1024), "event loops of reactive; default: the CPUs it has", reactive),
        o("limit", None, _count_or_none(1, 10**9), "admission limit: requests in the model at once"),
        o(
            "stealing",
            "started",
            _word("started", "unstarted", "off"),
            "virtual_threads, idle carriers take: started, unstarted or off",
            virtual,
        ),
        o(
            "placement",
            "none",
            _word(*placement.WORDS),
            "CPUs: none, or split: the server on the first half, generator and downstream on the other",
        ),
        o("query_delay_ms", 0.0, _time("ms"), "time the database adds to each of the two queries, ms", None, priced),
        o(
            "connection_hold",
            "statement",
            _word("statement", "request", "transaction"),
            "a connection is held for a statement, request or transaction",
            None,
            priced,
        ),
        o("app_wait_ms", 0.0, _time("ms"), "time the application waits by itself, ms", None, priced),
        o("app_wait_at", "between", _word("between", "after"), "where it waits: between the queries or after them"),
        o(
            "cpu_us",
            0.0,
            _time("us"),
            "CPU time a request burns, microseconds; 1000 for the workload cpu",
            None,
            computing,
            {"cpu": 1000.0},
        ),
        o("alloc_kib", 0, _count(0, 1_048_576, "KiB"), "memory a request allocates and touches, KiB", None, computing),
        o("sleep_ms", 300.0, _time("ms"), "length of the sleep workload's wait, ms", None, ("sleep",)),
        o("products", 10_000, _count(1, 10_000_000), "rows in the table of products"),
        o("downstream", "timer", _word("timer", "http"), "what answers the gateway: timer or http", None, gateway),
        o("downstream_ms", 50.0, _time("ms"), "how long the downstream takes, ms", None, gateway),
        o("downstream_jitter_ms", 0.0, _time("ms"), "up to this on top, evenly spread, ms", None, gateway),
        o("downstream_timeout", 10.0, _time("s", above=0.0), "a downstream call fails after this, s", None, gateway),
        o(
            "downstream_connections",
            None,
            _count_or_none(1, 100_000),
            "connections to the downstream at most",
            None,
            gateway,
        ),
        o(
            "filter_lock",
            "none",
            _word("none", "pinning", "parking"),
            "a filter holds a lock across the call: none, pinning (the thread's) or parking (the model's own)",
            None,
            gateway,
        ),
        o("aggregate", 1, _count(1, 1000), "downstream calls of one request", None, gateway),
        o(
            "aggregate_order",
            "parallel",
            _word("parallel", "sequential"),
            "those calls: parallel or sequential",
            None,
            gateway,
        ),
        o("bulkhead", None, _count_or_none(1, 10**9), "requests at the downstream at once; more: 503", None, gateway),
        o("circuit_breaker", False, validate.truth, "stop calling a downstream that fails", None, gateway),
        o("gateway_token", None, _token, "bearer token the gateway asks for and the generator sends", None, gateway),
        o(
            "rate_limit",
            1e6,
            lambda option, value: validate.real(option, value, "", above=0.0, low=None, high=1e9),
            "requests per second the gateway lets through; more: 429",
            None,
            gateway,
        ),
        o(
            "faults",
            None,
            lambda _, value: brownout.parse(value),
            "brownout[:from=S,until=S,delay=S]: the downstream is slow for a while",
            None,
            gateway,
        ),
        o(
            "file_kib",
            64,
            _count(1, 1_048_576, "KiB"),
            "what a request of the workload file reads, KiB",
            None,
            ("file",),
        ),
        o("rows", 100, _count(1, 1_000_000), "events of one answer of the workload stream", None, ("stream",)),
        o("row_every_ms", 0.0, _time("ms"), "between two events; 0: as fast as they are taken, ms", None, ("stream",)),
        o("mixed_fast_ms", 5.0, _time("ms"), "length of a short wait, ms", None, ("mixed",)),
        o("mixed_slow_ms", 500.0, _time("ms"), "length of a long wait, ms", None, ("mixed",)),
        o(
            "mixed_slow_share",
            0.05,
            lambda option, value: validate.real(option, value, "", above=None, low=0.0, high=1.0),
            "share of the requests that wait long",
            None,
            ("mixed",),
        ),
    )


OPTIONS: dict[str, Option] = {option.name: option for option in _options()}
SHARED_BY_ALL = ("products",)  # one database serves every model
SWEEP_WIDE = (
    "concurrency", "seed", "repeats", "until", "max_repeats", "legs", "database", "out", "models", "transport",
)  # fmt: skip

# Options of later releases: the only values they have today, and what is said to others.
LATER: dict[str, tuple[tuple[Any, ...], str]] = {
    "pipeline": ((1, "1"), "this release sends one statement at a time (pipeline 1)"),
    "driver": (("async",), "this release has the driver async"),
    "service": ((), "this release compares thread_pool, virtual_threads and reactive, each as a server of its own"),
    "live": ((False, None), "this release shows a progress bar; the charts come at the end"),
}


def check_later(name: str, value: Any) -> None:
    """Raises `ConfigError` if an option of a later release is given anything but what holds today."""
    allowed, available = LATER[name]
    if any(value is one or (value == one and not isinstance(value, bool)) for one in allowed):
        return
    raise ConfigError(f"{validate.spell(name)} is not in this release; {available}")


def check_workload(workload: Any) -> str:
    """The workload's name, if this release has it."""
    if isinstance(workload, str) and workload.strip() in LATER_WORKLOADS:
        raise ConfigError(
            f"the workload {workload.strip()} is not in this release; there are {validate.listed(WORKLOADS)}"
        )
    if not isinstance(workload, str) or workload.strip() not in WORKLOADS:
        hint = validate.did_you_mean(workload, WORKLOADS) if isinstance(workload, str) else ""
        raise ConfigError(
            f"unknown workload {validate.shown(workload)}{hint or ';'} there are {validate.listed(WORKLOADS)}"
        )
    return workload.strip()


def checked(options: Mapping[str, Any], *, model: str | None = None, owner: str | None = None) -> dict[str, Any]:
    """The options that were given, each checked and in its own unit.

    `model` is set for options of one model: what belongs to another model is refused. `owner` is that model's name
    in the sweep, for the sentences. Options of later releases are refused unless they say what holds today.
    """
    given: dict[str, Any] = {}
    for name, value in options.items():
        if name in LATER:
            check_later(name, value)
            continue
        if name not in OPTIONS and name in SWEEP_WIDE:
            raise ConfigError(f"{name} holds for the whole sweep and cannot be set for {owner or 'one model'} alone")
        validate.known_option(name, OPTIONS)
        option = OPTIONS[name]
        if owner is not None and name in SHARED_BY_ALL:
            raise ConfigError(f"{name} cannot be set for {owner} alone: one database serves all models")
        if model is not None and option.model not in (None, model):
            own = validate.listed(o.name for o in OPTIONS.values() if o.model == model)
            raise ConfigError(f"{name} belongs to the {option.model} model; {model} has {own}")
        if value is None and option.default is None and name in ("carriers", "loops"):
            continue
        given[name] = option.check(f"{owner}.{name}" if owner else name, value)
    return given


def check_transport(transport: Any) -> str:
    """The transport's name; None is the default, http."""
    return TRANSPORTS[0] if transport is None else validate.one_of("transport", transport, TRANSPORTS)


def check_effect(
    workload: str, given: Mapping[str, Any], owner: str | None = None, transport: str = TRANSPORTS[0]
) -> None:
    """Raises if a given option can change nothing here: a silent no-effect would be a wrong result."""
    for name, value in given.items():
        option = OPTIONS[name]
        word = validate.spell(f"{owner}.{name}" if owner else name)
        if option.workload and workload not in option.workload and value != option.default:
            whose = f"{validate.listed(option.workload)} workload{'s' if len(option.workload) > 1 else ''}"
            raise ConfigError(f"{word} belongs to the {whose}; {workload} would not notice it")
        if name == "placement" and value == "split":
            placement.check(word, transport, cpus())


def complete(given: Mapping[str, Any], workload: str | None = None) -> dict[str, Any]:
    """Every option: the given values and the defaults of that workload. `max_duration` follows a longer `duration`."""
    values = {name: option.default_for(workload) for name, option in OPTIONS.items()}
    # A server on half of the CPUs has half of the carriers and loops: more would only take turns.
    able = len(placement.server_cpus()) if given.get("placement") == "split" else cpus()
    values.update(carriers=able, loops=able, arrivals=arrivals.parse("closed"))
    values.update(given)
    if values["duration"] > values["max_duration"]:
        if "max_duration" in given:
            raise ConfigError(
                f"{validate.spell('duration')} {values['duration']:g} s is longer than "
                f"{validate.spell('max_duration')} {values['max_duration']:g} s"
            )
        values["max_duration"] = values["duration"]
    if arrivals.is_open(values["arrivals"]["kind"]) and values["requests_per_user"] is not None:
        raise ConfigError(
            f"{validate.spell('requests_per_user')} needs users, as closed and rounds have; "
            f"with {values['arrivals']['kind']} arrivals {validate.spell('duration')} ends the run"
        )
    if values["faults"] is not None:
        values["faults"] = brownout.complete(values["faults"], values["duration"])
    return values


def needs_downstream(workload: str, values: Mapping[str, Any]) -> bool:
    """Whether a run of these options has a downstream server in a process of its own."""
    return workload == "gateway" and values["downstream"] == "http"


def to_core(
    workload: str,
    model: str,
    concurrency: int,
    values: Mapping[str, Any],
    *,
    seed: int,
    dsn: str | None,
    transport: str = "direct",
) -> dict[str, Any]:
    """The scenario as the core takes it: every key present, times of a run in seconds (`_s`).

    The run's process fills in what only it knows: `server_fd`, `server_port`, `downstream_fd`, `downstream_port`.
    """
    seconds = ("duration", "max_duration", "warmup", "timeout", "acquire_timeout", "downstream_timeout")
    own = ("placement", "faults")  # of the process that starts the others; the core gets what follows from them
    scenario = {f"{name}_s" if name in seconds else name: values[name] for name in OPTIONS if name not in own}
    split = values["placement"] == "split"
    scenario.update(workload=workload, model=model, concurrency=concurrency, seed=seed, dsn=dsn, plant={})
    scenario.update(transport=transport, brownout=values["faults"])
    scenario.update(server_fd=None, server_port=0, downstream_fd=None, downstream_port=0)
    scenario["server_cpus"] = placement.server_cpus() if split else None
    scenario["generator_cpus"] = placement.generator_cpus() if split else None
    return scenario
