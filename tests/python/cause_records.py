"""Run records with one thing each that holds them back, clear or doubtful; their figures belong together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import run_records as records

Run = dict[str, Any]
BLANKED = (
    "query_delay_ms",
    "app_wait_ms",
    "app_wait_at",
    "connection_hold",
    "cpu_us",
    "alloc_kib",
    "sleep_ms",
    "downstream_ms",
    "downstream_jitter_ms",
    "filter_lock",
    "faults",
    "rejection",
    "rate_limit",
)
"""Options that can plant a cause: a diagnosis must not need them."""


def blanked(run: Run) -> Run:
    """The run as an exam shows it: without what was planted."""
    kept = {key: value for key, value in run["options"].items() if key not in BLANKED}
    return {**run, "options": kept, "unequal": []}


def pool(connections: int, query_ms: float, host: float = 0.4, **phases: float) -> Run:
    """50 users on a reactive service whose pool of connections is used up by two queries of each request."""
    spent = {"database": 2 * query_ms, "wakeup": 0.02, "cpu": 0.02, **phases}
    hold = 2 * query_ms + phases.get("app_wait", 0.0) + phases.get("held", 0.0)
    spent.pop("held", None)
    response = 50 * hold / connections
    spent["connection"] = max(response - sum(spent.values()), 0.06 * response)
    details = {
        "connections_in_use_mean": 0.99 * connections,
        "connections_waiting_mean": 50.0 - connections,
        "host_cpu_share": host,
        "process_cpu_share": host / 3,
    }
    return records.record(
        "reactive",
        50,
        phases=spent,
        options={"connections": connections},
        details=details,
        threads={"cpu": 0.2, "idle": 1.8},
        noise=0.0,
    )


def gateway(model: str = "reactive", downstream: float = 50.0, **more: Any) -> Run:
    phases = {"downstream": downstream, "network": 0.2, "wakeup": 0.05, "cpu": 0.05, "reply": 0.05}
    quiet = {"host_cpu_share": 0.3, "process_cpu_share": 0.1, "generator_cpu_share": 0.1}
    phases, details = phases | more.pop("phases", {}), quiet | more.pop("details", {})
    return records.over_http(model, phases=phases, details=details, noise=0.0, **more)


def waiting_workers(workers: int, downstream: float) -> Run:
    """All workers of a pool are downstream, and requests queue."""
    threads = {"io": workers - 0.1, "cpu": 0.05, "idle": 0.05}
    queue = downstream * (1000 - workers) / workers
    return gateway(
        "thread_pool",
        downstream,
        phases={"queue": queue},
        threads=threads,
        options={"workers": workers},
        details={"queue_depth_mean": 1000.0 - workers},
    )


def held_thread(model: str, share: float, **details: Any) -> Run:
    """Two carriers or loops that something holds for a share of the time, so that requests wait to run."""
    threads = {"pinned": 2 * share, "cpu": 0.1, "idle": max(0.0, 1.9 - 2 * share)}
    return gateway(
        model,
        20.0,
        phases={"queue": 100.0, "wakeup": 100.0},
        threads=threads,
        details={"queue_depth_mean": 400.0, **details},
    )


def computing(own: float, host: float, **noise: float) -> Run:
    details = {
        "host_cpu_share": host,
        "process_cpu_share": own,
        "connections_in_use_mean": 0.0,
        "queue_depth_mean": 30.0,
        "generator_cpu_share": 0.1,
        "noise": {"foreign_cpu_share": 0.0, "steal_share": 0.0, **noise},
    }
    return records.record(
        "virtual_threads",
        50,
        phases={"queue": 40.0, "cpu": 5.0},
        threads={"cpu": 2.0},
        workload="cpu",
        details=details,
        noise=0.0,
    )


def refused(model: str, cause: str, share: float = 0.05, workload: str = "gateway", **more: Any) -> Run:
    run = gateway(model, **more)
    if workload != "gateway":
        run |= {"workload": workload, "transport": "direct"}
    count = round(share * run["ledger"]["scheduled"])
    run["ledger"] = {**run["ledger"], "ok": run["ledger"]["ok"] - count, "rejected": count}
    return {**run, "failures": {cause: count}}


def slow_to_connect(overflows: int, waiting: float) -> Run:
    return gateway(phases={"client_wait": 800.0}, details={"accept_overflows": overflows, "accept_queue_mean": waiting})


def asleep() -> Run:
    return records.record(
        "virtual_threads",
        50,
        phases={"app_wait": 300.0, "wakeup": 0.1, "cpu": 0.01},
        workload="sleep",
        threads={"idle": 2.0},
        details={"connections_in_use_mean": 0.0, "host_cpu_share": 0.1, "lock_waiting_mean": 0.0},
    )


def locked(line: float | None, wait: float = 500.0) -> Run:
    details: dict[str, Any] = {} if line is None else {"lock_waiting_mean": line}
    return gateway("virtual_threads", phases={"app_wait": wait}, details=details)


def at_ease(wakeup: float = 0.02, host: float = 0.2) -> Run:
    return records.record(
        "reactive",
        10,
        phases={"database": 0.3, "wakeup": wakeup, "cpu": 0.2},
        noise=0.0,
        threads={"idle": 2.0},
        details={
            "connections_in_use_mean": 2.0,
            "connections_waiting_mean": 0.0,
            "host_cpu_share": host,
            "process_cpu_share": host / 2,
        },
    )


CERTAIN: dict[str, tuple[str, Callable[[], Run]]] = {
    "40 workers on queries of 50 ms, 300 connections": ("few_workers", lambda: records.few_workers("thread_pool")),
    "20 workers on a downstream of 50 ms": ("few_workers", lambda: waiting_workers(20, 50.0)),
    "2 connections, queries of 1 ms": ("few_connections", lambda: pool(2, 1.0)),
    "10 connections, queries of 0.3 ms, room on the CPUs": ("few_connections", lambda: pool(10, 0.3)),
    "10 connections held over a wait of 300 ms": ("held_connections", lambda: pool(10, 0.5, app_wait=300.0)),
    "the same in rounds": ("held_connections", lambda: records.article("reactive", "request")),
    "10 connections held while computing": ("held_connections", lambda: pool(10, 0.5, held=20.0, cpu=20.0)),
    "10 connections, queries of 50 ms": ("slow_query", lambda: records.delayed("virtual_threads")),
    "300 connections, queries of 50 ms": ("slow_query", lambda: records.few_workers("reactive")),
    "a downstream of 800 ms": ("slow_downstream", lambda: gateway(downstream=800.0)),
    "200 workers on a downstream of 2 s": ("slow_downstream", lambda: waiting_workers(200, 2000.0)),
    "100 connections to a downstream of 50 ms": (
        "few_downstream_connections",
        lambda: gateway(phases={"connection": 450.0}, options={"downstream_connections": 100}),
    ),
    "both carriers pinned": ("pinned_carriers", lambda: held_thread("virtual_threads", 0.95)),
    "both loops blocked": ("stalled_loop", lambda: held_thread("reactive", 0.9)),
    "a loop blocked for 40 ms now and then": (
        "stalled_loop",
        lambda: held_thread("reactive", 0.35, loop_lag_max_ms=40.0),
    ),
    "the model computes": ("cpu", lambda: computing(0.9, 0.99)),
    "a generator that was late": (
        "generator",
        lambda: gateway(phases={"lateness": 60.0}, status="client_limited", details={"generator_cpu_share": 0.99}),
    ),
    "a line for a lock": ("lock", lambda: locked(880.0)),
    "no memory": ("memory", lambda: refused("virtual_threads", "out_of_memory")),
    "memory swapped": (
        "memory",
        lambda: (
            at_ease()
            | {"details": {**at_ease()["details"], "major_faults": 5000, "noise": {"memory_pressure_share": 0.4}}}
        ),
    ),
    "a hog on all CPUs": ("noisy_neighbour", lambda: computing(0.3, 1.0, foreign_cpu_share=0.65)),
    "an accept queue that overflows": ("accept_queue", lambda: slow_to_connect(300, 4.0)),
    "a line before the server accepts": ("accept_queue", lambda: slow_to_connect(0, 900.0)),
    "a full queue": ("full_queue", lambda: refused("thread_pool", "rejected", options={"queue": 500})),
    "a rate limit": ("rate_limit", lambda: refused("reactive", "status_4xx")),
    "a bulkhead": ("bulkhead", lambda: refused("reactive", "bulkhead_full")),
    "an admission limit": ("admission_limit", lambda: refused("virtual_threads", "rejected", workload="sleep")),
    "a limit below the queue of a pool": (
        "admission_limit",
        lambda: refused("thread_pool", "rejected", workload="sleep", options={"limit": 300}),
    ),
    "a downstream that fails": ("failing_downstream", lambda: refused("reactive", "downstream_failed")),
    "a slow downstream that answers too late": (
        "slow_downstream",
        lambda: refused("reactive", "downstream_timeout", downstream=900.0),
    ),
    "a sleep": ("own_wait", asleep),
    "nothing": ("none", at_ease),
}
"""What it is: the cause, and a run that shows it beyond doubt."""

GUESSED: dict[str, tuple[str, Callable[[], Run]]] = {
    "200 workers on a downstream of 80 ms": ("few_workers", lambda: waiting_workers(200, 80.0)),
    "200 workers on a downstream of 120 ms": ("slow_downstream", lambda: waiting_workers(200, 120.0)),
    "2 connections and busy CPUs": ("few_connections", lambda: pool(2, 0.3, host=0.97)),
    "4 connections, queries of 10 ms": ("few_connections", lambda: pool(4, 10.0)),
    "5 connections, queries of 15 ms": ("slow_query", lambda: pool(5, 15.0)),
    "10 connections and busy CPUs": ("cpu", lambda: records.starved("reactive")),
    "held longer than the application waits": ("held_connections", lambda: pool(10, 2.0, app_wait=9.0, held=6.0)),
    "a downstream of 50 ms, as usual": ("slow_downstream", gateway),
    "few connections to a downstream of 150 ms": (
        "few_downstream_connections",
        lambda: gateway(downstream=150.0, phases={"connection": 450.0}),
    ),
    "carriers pinned at times": ("pinned_carriers", lambda: held_thread("virtual_threads", 0.4)),
    "loops blocked at times, no lag seen": ("stalled_loop", lambda: held_thread("reactive", 0.4)),
    "loops late, nothing says why": (
        "stalled_loop",
        lambda: gateway(
            phases={"wakeup": 30.0},
            details={"loop_lag_mean_ms": 3.0, "process_cpu_share": 0.5, "host_cpu_share": 0.8, "loop_lag_max_ms": 50.0},
        ),
    ),
    "busy CPUs, the model's part is small": ("cpu", lambda: computing(0.3, 0.99)),
    "a busy generator that was on time": ("generator", lambda: gateway(details={"generator_cpu_share": 0.95})),
    "waits that only a lock explains": ("lock", lambda: locked(None, 30.0)),
    "some pressure on memory": (
        "memory",
        lambda: at_ease() | {"details": {**at_ease()["details"], "noise": {"memory_pressure_share": 0.2}}},
    ),
    "killed": ("memory", lambda: records.failed()),
    "others have a third of the CPUs": ("noisy_neighbour", lambda: computing(0.6, 1.0, foreign_cpu_share=0.33)),
    "others have the CPUs, no sensor looked": (
        "noisy_neighbour",
        lambda: gateway(phases={"queue": 300.0}, details={"host_cpu_share": 1.0, "process_cpu_share": 0.07}),
    ),
    "connections wait to be accepted": ("accept_queue", lambda: slow_to_connect(0, 3.0)),
    "a queue or a limit": (
        "full_queue",
        lambda: refused("thread_pool", "rejected", options={"limit": 50_000, "queue": 10_000}),
    ),
    "some 4xx where there is a token to check": (
        "rate_limit",
        lambda: refused("reactive", "status_4xx", options={"gateway_token": "x"}),
    ),
    "a downstream that is quick or too late": ("failing_downstream", lambda: refused("reactive", "downstream_timeout")),
    "a gateway's 503": ("admission_limit", lambda: refused("virtual_threads", "rejected")),
    "a gateway's 503 with a bulkhead": ("bulkhead", lambda: refused("reactive", "rejected", options={"bulkhead": 50})),
    "workers that are never all busy": (
        "admission_limit",
        lambda: refused("thread_pool", "rejected", workload="sleep", threads={"app_wait": 34.0, "idle": 166.0}),
    ),
    "a bulkhead before a slow downstream": ("bulkhead", lambda: refused("reactive", "bulkhead_full", downstream=900.0)),
    "a pool busy for part of the window": (
        "slow_downstream",
        lambda: waiting_workers(200, 150.0) | {"threads_on_io_mean": 120.0, "threads_idle_mean": 79.9},
    ),
    "waits to run, nothing used up": ("none", lambda: at_ease(wakeup=0.15)),
}
"""What it is: the best guess, and a run that leaves doubt."""
