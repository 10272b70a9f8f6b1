"""Run records as a sweep leaves them, made so that their figures belong together.

`record` simulates nothing in detail: from the mean phases it derives the mean response, from it the throughput of a
closed system (X = N / (R + think)), the ledger and the counters, and scatters them a little by repeat.
"""

from __future__ import annotations

import random
from typing import Any

from parkbench.hdr import lowest
from parkbench.record import PHASES

OPTIONS: dict[str, Any] = {
    "arrivals": "closed", "think_s": 0.0, "connections": 10, "connection_hold": "statement", "query_delay_ms": 0.0,
    "app_wait_ms": 0.0, "app_wait_at": "between", "cpu_us": 0.0, "timeout_s": 30.0, "limit": None,
}  # fmt: skip
OWN = {"thread_pool": {"workers": 200, "queue": 10_000}, "virtual_threads": {"carriers": 2}, "reactive": {"loops": 2}}


def record(
    model: str = "thread_pool",
    concurrency: int = 400,
    repeat: int = 0,
    *,
    phases: dict[str, float] | None = None,
    name: str | None = None,
    options: dict[str, Any] | None = None,
    unequal: tuple[str, ...] = (),
    threads: dict[str, float] | None = None,
    details: dict[str, Any] | None = None,
    duration_s: float = 2.0,
    workload: str = "pricing",
    noise: float = 0.01,
    **changes: Any,
) -> dict[str, Any]:
    """One run. `phases` are means in ms, `threads` what the model's threads wait for (mean), the rest overrides."""
    chosen = {**OPTIONS, **OWN[model], **(options or {})}
    rng = random.Random(f"{model} {name} {concurrency} {repeat}")
    factor = 1 + rng.uniform(-noise, noise)
    spent = dict.fromkeys(PHASES, 0.0) | {
        phase: value * factor for phase, value in (phases or {"connection": 20.0, "database": 0.3, "cpu": 0.02}).items()
    }
    response = sum(spent.values())
    rounds = str(chosen["arrivals"]).startswith("rounds")
    throughput = concurrency / (response / 1000 + chosen["think_s"]) * (0.9 if rounds else 1.0)
    count = round(throughput * duration_s)
    states = {"io": 0.0, "connection": 0.0, "app_wait": 0.0, "cpu": 0.0, "idle": 0.0, "pinned": 0.0} | (
        threads or {"io": 10.0, "connection": 188.0, "cpu": 1.5, "idle": 0.5}
    )
    blocked = states["io"] + states["connection"] + states["app_wait"] + states["pinned"]
    run: dict[str, Any] = {
        "name": name or model, "model": model, "workload": workload, "concurrency": concurrency, "repeat": repeat,
        "transport": "direct", "status": "ok", "started_at": f"2024-05-01T12:00:{repeat:02d}+00:00",
        "duration_s": duration_s, "offered_rps": count / duration_s, "throughput_rps": count / duration_s,
        "response_mean_ms": response, "response_p50_ms": response * 0.98, "response_p90_ms": response * 1.2,
        "response_p99_ms": response * 1.6 if count >= 1000 else None, "response_max_ms": response * 2,
        "from_send_mean_ms": response, "from_send_p99_ms": response * 1.6 if count >= 1000 else None,
        "threads_peak": round(sum(states.values())) + 3, "threads_mean": sum(states.values()) + 3,
        "threads_blocked_mean": blocked, "threads_blocked_max": blocked + 2,
        **{f"threads_{'' if s == 'pinned' else 'on_'}{s}_mean": states[s] for s in states if s != "idle"},
        "threads_idle_mean": states["idle"], "requests_waiting_mean": concurrency * 0.95,
        "rss_baseline_mib": 30.0, "rss_peak_mib": 30.0 + sum(states.values()) / 8, "cpu_s": 0.8 * duration_s,
        "context_switches": count * 4,
        "ledger": {"scheduled": count, "unsent": 0, "ok": count, "rejected": 0, "failed": 0, "timed_out": 0,
                   "in_flight_at_end": 0},
        "failures": {}, "phases_ms": spent, "options": chosen, "unequal": list(unequal),
        "details": {
            "answers_model_counted": count, "answers_received_counted": count, "late_answers": 0,
            "abandoned_in_model": 0, "requests_timed": count, "in_flight_mean": throughput * response / 1000,
            "lateness_p99_ms": 0.05, "response_max_ms": response * 2, "generator_cpu_share": 0.3,
            "connections_in_use_mean": 9.9, "connections_waiting_mean": states["connection"], "queue_depth_mean": 0.0,
            "process_cpu_share": 0.4, "host_cpu_share": 0.7, "cpus": 2, "database_queries": count * 2,
            "database_queries_expected": count * 2, "min_samples": None, "rounds": 3 if rounds else None, "steals": 0,
            "guard_mode": "mprotect", "histogram": {"unit": "ns", "counts": [[lowest(int(response * 1e6)), count]]},
            **(details or {}),
        },
    }  # fmt: skip
    run.update(changes)
    return run


def failed(
    model: str = "reactive", concurrency: int = 400, repeat: int = 0, why: str = "killed by signal 9"
) -> dict[str, Any]:
    """A run that left no figures."""
    whole = record(model, concurrency, repeat)
    keep = {"name", "model", "workload", "concurrency", "repeat", "transport", "started_at", "options", "unequal"}
    return {key: value if key in keep else None for key, value in whole.items()} | {"status": f"failed: {why}"}


def open_leg(
    model: str, repeat: int = 0, share: float = 0.8, rate: float = 1234.0, response_ms: float = 12.0, **more: Any
) -> dict[str, Any]:
    """A run of the open leg: poisson at a share of the lowest capacity, over 500 connections."""
    run = record(
        model, 500, repeat, phases={"connection": response_ms - 0.5, "database": 0.4, "cpu": 0.1},
        options={"arrivals": f"poisson:rate={rate:.12g}"}, leg="open", rate_rps=rate, load_share=share, **more,
    )  # fmt: skip
    count = round(rate * run["duration_s"])
    run["ledger"] = {**run["ledger"], "scheduled": count, "ok": count}
    return run | {"throughput_rps": rate, "offered_rps": rate}


def both_legs(
    names: tuple[str, ...] = ("thread_pool", "virtual_threads", "reactive"), repeats: int = 5
) -> list[dict[str, Any]]:
    """A sweep of both legs: 50 and 400 users, then 500, 800 and 950 requests per second."""
    closed = [starved(name, repeat, users) for repeat in range(repeats) for users in (50, 400) for name in names]
    return closed + [
        open_leg(name, repeat, share, 1000 * share, 8.0 / (1.02 - share))
        for repeat in range(repeats)
        for share in (0.5, 0.8, 0.95)
        for name in names
    ]


def not_steady(run: dict[str, Any], kind: str = "unstable", samples: int = 40) -> dict[str, Any]:
    """The run, as one whose throughput showed no steady state."""
    return {**run, "details": {**run["details"], "steady": {"kind": kind, "samples": samples}}}


def starved(model: str, repeat: int = 0, concurrency: int = 400, **more: Any) -> dict[str, Any]:
    """400 users, 200 workers, 10 connections, no delay: all wait for a connection (the pool's workers also queue)."""
    pool = model == "thread_pool"
    phases = {"queue": 0.4, "connection": 22.9, "database": 0.3, "wakeup": 0.1, "cpu": 0.02, "reply": 0.05}
    if pool:
        phases |= {"queue": 12.0, "connection": 11.4}
    threads = {"io": 9.8, "connection": 188.0, "cpu": 1.7, "idle": 0.5} if pool else {"cpu": 1.7, "idle": 0.3}
    details = {"queue_depth_mean": 198.0 if pool else 3.0, "connections_in_use_mean": 9.95,
               "connections_waiting_mean": 188.0 if pool else 380.0, "host_cpu_share": 0.98}  # fmt: skip
    return record(model, concurrency, repeat, phases=phases, threads=threads, details=details, **more)


def delayed(model: str, repeat: int = 0, concurrency: int = 100, **more: Any) -> dict[str, Any]:
    """100 users, 10 connections, 50 ms in each of the two queries: one second, nine tenths of it for a connection."""
    phases = {"connection": 900.0, "database": 100.4, "wakeup": 0.2, "cpu": 0.03, "reply": 0.1}
    pool = model == "thread_pool"
    threads = {"io": 10.0, "connection": 89.8, "cpu": 0.1, "idle": 100.1} if pool else {"cpu": 0.1, "idle": 1.9}
    details = {"connections_in_use_mean": 10.0, "connections_waiting_mean": 90.0, "host_cpu_share": 0.1,
               "process_cpu_share": 0.02}  # fmt: skip
    return record(model, concurrency, repeat, phases=phases, threads=threads, details=details, duration_s=10.0, **more)


def few_workers(model: str, repeat: int = 0, **more: Any) -> dict[str, Any]:
    """40 workers, 300 users, 300 connections, 50 ms in each query: the pool answers 400 a second, the others 2,900."""
    pool = model == "thread_pool"
    phases = {"queue": 0.0, "database": 100.6, "wakeup": 0.8, "cpu": 0.05, "reply": 0.3}
    threads = {"cpu": 0.9, "idle": 1.1}
    details = {"connections_in_use_mean": 296.0 if not pool else 39.8, "connections_waiting_mean": 0.0,
               "queue_depth_mean": 260.0 if pool else 0.4, "host_cpu_share": 0.5, "process_cpu_share": 0.2}  # fmt: skip
    if pool:
        phases["queue"] = 650.0
        threads = {"io": 39.7, "cpu": 0.2, "idle": 0.1}
    options = {"connections": 300, "query_delay_ms": 50.0} | ({"workers": 40} if pool else {})
    return record(model, 300, repeat, phases=phases, threads=threads, details=details, options=options,
                  duration_s=10.0, **more)  # fmt: skip


def article(model: str, hold: str, repeat: int = 0, **more: Any) -> dict[str, Any]:
    """Rounds of 300, ten connections, 300 ms of application wait: all turns on how long a connection is held."""
    held = hold == "request"
    phases = {"connection": 4500.0 if held else 20.0, "database": 1.0, "app_wait": 300.5, "wakeup": 3.0, "cpu": 0.05,
              "reply": 0.3}  # fmt: skip
    pool = model == "thread_pool"
    threads = {"connection": 270.0, "app_wait": 20.0, "idle": 10.0} if pool else {"cpu": 0.1, "idle": 1.9}
    options = {"arrivals": "rounds", "app_wait_ms": 300.0, "connection_hold": hold} | ({"workers": 300} if pool else {})
    details = {"connections_in_use_mean": 9.8 if held else 0.6, "connections_waiting_mean": 280.0 if held else 6.0,
               "host_cpu_share": 0.05, "process_cpu_share": 0.02}  # fmt: skip
    return record(model, 300, repeat, phases=phases, threads=threads, details=details, options=options,
                  duration_s=30.0, **more)  # fmt: skip


def over_http(model: str = "reactive", repeat: int = 0, concurrency: int = 1000, **more: Any) -> dict[str, Any]:
    """A gateway over HTTP whose downstream takes 50 ms: nothing of ours is used up."""
    phases = {"network": 2.0, "queue": 0.3, "downstream": 50.2, "wakeup": 0.2, "cpu": 0.05, "reply": 0.1}
    phases |= more.pop("phases", {})
    options = {"downstream": "http", "downstream_ms": 50.0, "downstream_connections": None, "aggregate": 1,
               "placement": "none", "faults": None} | more.pop("options", {})  # fmt: skip
    details = {"connections_in_use_mean": 0.0, "connections_waiting_mean": 0.0, "host_cpu_share": 0.7,
               "process_cpu_share": 0.4, "generator_cpu_share": 0.5} | more.pop("details", {})  # fmt: skip
    threads = {"cpu": 1.0, "idle": 1.0} | more.pop("threads", {})
    run = record(model, concurrency, repeat, workload="gateway", phases=phases, options=options, details=details,
                 threads=threads, **more)  # fmt: skip
    cpu = {"server_s": 1.6, "generator_s": 0.9, "downstream_s": 0.3}
    return run | {"transport": "http", "cpu": cpu, "cpu_s": 1.6}
