"""The options of a scenario: one table of names, defaults and limits, and the record that goes to the core."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from parkbench import arrivals, validate
from parkbench.errors import ConfigError

MODELS = ("thread_pool", "virtual_threads", "reactive")
WORKLOADS = ("pricing", "sleep", "noop")
LATER_WORKLOADS = ("gateway", "cpu", "file", "stream", "mixed", "pinning", "stalling")


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
    pipeline: int
    driver: str
    downstream: str
    service: str
    faults: str


@dataclass(frozen=True)
class Option:
    """One option: its default, how a value is checked, and to whom it belongs."""

    name: str
    default: Any
    check: Callable[[str, Any], Any]
    help: str
    model: str | None = None  # the only model that has it
    workload: str | None = None  # the only workload on which it has an effect


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


def _options() -> tuple[Option, ...]:
    pool, virtual, reactive = MODELS
    o = Option
    return (
        o("arrivals", "closed", lambda _, value: arrivals.parse(value), "closed[:think=S] or rounds[:pause=S|every=S]"),
        o("duration", 2.0, _time("s", above=0.0), "least length of the measured window, seconds"),
        o("max_duration", 60.0, _time("s", above=0.0), "a window is extended at most to this, seconds"),
        o("warmup", 0.5, _time("s"), "least time before the window opens, seconds"),
        o("requests_per_user", None, _count_or_none(1, 10**9), "stop after so many requests of each user"),
        o("timeout", 30.0, _time("s", above=0.0), "a request fails after this, seconds"),
        o("acquire_timeout", 30.0, _time("s", above=0.0), "waiting for a connection fails after this, seconds"),
        o("connections", 10, _count(1, 10_000), "database connections, one pool for all"),
        o("workers", 200, _count(1, 1_000_000), "threads of thread_pool", pool),
        o("queue", 10_000, _count(1, 10**9), "places in the queue of thread_pool", pool),
        o(
            "rejection",
            "reject",
            _word("reject", "caller_runs", "block"),
            "when the queue of thread_pool is full",
            pool,
        ),
        o("stack_kib", 1024, _count(64, 1_048_576, "KiB"), "stack of a thread_pool worker, KiB", pool),
        o("carriers", None, _count(1, 1024), "OS threads of virtual_threads; default: the CPUs", virtual),
        o("loops", None, _count(1, 1024), "event loops of reactive; default: the CPUs", reactive),
        o("limit", None, _count_or_none(1, 10**9), "admission limit: requests in the model at once"),
        o("stealing", "started", _word("started", "unstarted", "off"), "what idle carriers take from others", virtual),
        o("query_delay_ms", 0.0, _time("ms"), "time the database adds to each query, ms", workload="pricing"),
        o(
            "connection_hold",
            "statement",
            _word("statement", "request", "transaction"),
            "how long a request keeps its connection",
            workload="pricing",
        ),
        o("app_wait_ms", 0.0, _time("ms"), "time the application waits by itself, ms", workload="pricing"),
        o("app_wait_at", "between", _word("between", "after"), "where it waits: between the queries or after", None),
        o("cpu_us", 0.0, _time("us"), "CPU time a request burns, microseconds", workload="pricing"),
        o("alloc_kib", 0, _count(0, 1_048_576, "KiB"), "memory a request allocates, KiB", workload="pricing"),
        o("sleep_ms", 300.0, _time("ms"), "length of the sleep workload's wait, ms", workload="sleep"),
        o("products", 10_000, _count(1, 10_000_000), "rows in the table of products"),
    )


OPTIONS: dict[str, Option] = {option.name: option for option in _options()}
SHARED_BY_ALL = ("products",)  # one database serves every model

# Options of later releases: the only values they have today, and what is said to others.
LATER: dict[str, tuple[tuple[Any, ...], str]] = {
    "transport": (("direct",), "this release has the transport direct"),
    "pipeline": ((1, "1"), "this release sends one statement at a time (pipeline 1)"),
    "driver": (("async",), "this release has the driver async"),
    "downstream": ((), "it belongs to the gateway workload; this release has the workloads pricing, sleep and noop"),
    "service": ((), "it needs the http transport; this release compares thread_pool, virtual_threads and reactive"),
    "faults": ((), "this release runs without planted faults"),
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
        if name not in OPTIONS and name in ("concurrency", "seed", "repeats", "database", "out", "models"):
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


def check_effect(workload: str, given: Mapping[str, Any], owner: str | None = None) -> None:
    """Raises if a given option can change nothing on this workload: a silent no-effect would be a wrong result."""
    for name, value in given.items():
        option = OPTIONS[name]
        if option.workload not in (None, workload) and value != option.default:
            word = validate.spell(f"{owner}.{name}" if owner else name)
            raise ConfigError(f"{word} belongs to the {option.workload} workload; {workload} would not notice it")


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """Every option: the given values and the defaults. `max_duration` follows a longer `duration`."""
    values = {name: option.default for name, option in OPTIONS.items()}
    values.update(carriers=cpus(), loops=cpus(), arrivals=arrivals.parse("closed"))
    values.update(given)
    if values["duration"] > values["max_duration"]:
        if "max_duration" in given:
            raise ConfigError(
                f"{validate.spell('duration')} {values['duration']:g} s is longer than "
                f"{validate.spell('max_duration')} {values['max_duration']:g} s"
            )
        values["max_duration"] = values["duration"]
    return values


def to_core(
    workload: str, model: str, concurrency: int, values: Mapping[str, Any], *, seed: int, dsn: str | None
) -> dict[str, Any]:
    """The scenario as the core takes it: every key present, times of a run in seconds (`_s`)."""
    seconds = ("duration", "max_duration", "warmup", "timeout", "acquire_timeout")
    scenario = {f"{name}_s" if name in seconds else name: values[name] for name in OPTIONS}
    scenario.update(workload=workload, model=model, concurrency=concurrency, seed=seed, dsn=dsn, plant={})
    return scenario
