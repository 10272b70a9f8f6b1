"""What a throughput cannot exceed: bounds by operational laws, which hold for any system. A result above one is wrong.

Denning and Buzen, "The Operational Analysis of Queueing Network Models" (ACM Computing Surveys 10, 1978): the response
time law X = N / (R + Z) with the least response gives the bound of the users, the utilisation law U = X S <= servers
those of connections and CPUs. They are stated for counts inside a window, where they hold exactly but for its edges.
"""

from __future__ import annotations

import math
from typing import Any

from parkbench import arrivals
from parkbench.checks import Check, figure, made, not_made
from parkbench.errors import ConfigError
from parkbench.record import Record, arrivals_kind, cores, detail, number, option, phases, think_s

BUCKET = 0.001
"""A bucket of the histogram begins at most this share below its values."""
TOLERANCE = 0.05
"""Of mean holding times and CPU times, whose counts and windows are not those of the requests."""


def bounds(run: Record) -> list[Check]:
    """Four checks of a run that has figures: users, connections, CPUs, and that no answer beat its own waits."""
    return [_users(run), _connections(run), _cpu(run), _waits(run)]


def least_response_ms(run: Record) -> float | None:
    """The least response seen: told by the core, or the low edge of the histogram's first bucket, ms."""
    told = detail(run, "response_min_ms")
    if told is not None:
        return told
    histogram = (run.get("details") or {}).get("histogram") or {}
    counts = histogram.get("counts") or []
    return float(counts[0][0]) / 1e6 if counts and histogram.get("unit") == "ns" else None


def pure_waits_ms(run: Record) -> float:
    """The waits that every answer of this workload contains by its own options, ms; 0 where nothing is known."""

    def asked(key: str) -> float:
        found = option(run, key)
        return float(found) if isinstance(found, (int, float)) and not isinstance(found, bool) else 0.0

    workload = run.get("workload")
    if workload == "pricing":
        return 2 * asked("query_delay_ms") + asked("app_wait_ms")
    if workload == "gateway":
        calls = asked("aggregate") if option(run, "aggregate_order") == "sequential" else 1.0
        return max(1.0, calls) * asked("downstream_ms")
    if workload == "mixed":
        return min(asked("mixed_fast_ms"), asked("mixed_slow_ms"))
    return asked("sleep_ms") if workload == "sleep" else 0.0


def _users(run: Record) -> Check:
    """Dues of one user lie at least R0 + Z apart, so a window of length T holds at most T / (R0 + Z) + 1 of them."""
    name = "users_bound"
    throughput, window, least = number(run, "throughput_rps"), number(run, "duration_s"), least_response_ms(run)
    if not throughput or not window or least is None:
        return not_made(name, "the least response is not known")
    period = _period_s(run, least / 1000 * (1 - BUCKET))
    if period is None:
        return not_made(name, "requests of open arrivals come whether or not there were answers")
    if period <= 0:
        return not_made(name, "the least response is 0")
    users = float(run["concurrency"])
    bound = users * (math.floor(window / period) + 1) / window
    text = (
        f"{figure(throughput)}/s; {users:,.0f} users cannot do more than {figure(users / period)}/s, "
        f"as no answer came within {figure(least)} ms ({figure(bound)}/s with the edges of the window)"
    )
    return made(name, throughput <= bound, throughput, bound, text)


def _period_s(run: Record, least_s: float) -> float | None:
    """The least time between two requests of a user, or two rounds; None for open arrivals."""
    kind = arrivals_kind(run)
    if kind == "closed":
        return least_s + think_s(run)
    if kind != "rounds":
        return None
    try:
        asked: dict[str, Any] = arrivals.parse(option(run, "arrivals"))
    except ConfigError:
        return least_s
    return float(asked["every_s"]) if asked["every_s"] else least_s + float(asked["pause_s"])


def _connections(run: Record) -> Check:
    name = "connections_bound"
    throughput, window = number(run, "throughput_rps"), number(run, "duration_s")
    pool, held = option(run, "connections"), held_ms(run)
    if not throughput or not window or not held:
        return not_made(name, "no time on a database connection was measured")
    if not isinstance(pool, int):
        return not_made(name, "the number of connections is not known")
    pool *= int(option(run, "pipeline") or 1)
    # Holding times of the window's requests lie in the window and the time that the last of them takes.
    edges = 1 + (number(run, "response_max_ms") or 0.0) / 1000 / window
    bound = pool / (held / 1000) * edges * (1 + TOLERANCE)
    text = (
        f"{figure(throughput)}/s; {pool:,} connections, each held {figure(held)} ms for a request, carry at most "
        f"{figure(pool / (held / 1000))}/s ({figure(bound)}/s with the edges of the window and 5 %)"
    )
    return made(name, throughput <= bound, throughput, bound, text)


def held_ms(run: Record) -> float:
    """How long a request holds a connection, ms: the pool's own figure, at least the time in the database."""
    lease = detail(run, "connection_hold_mean_ms")
    leases = 2 if option(run, "connection_hold") == "statement" else 1
    return max(phases(run).get("database", 0.0), (lease or 0.0) * leases)


def _cpu(run: Record) -> Check:
    """By the model's own count of answers where it is of the window, so that answers booked twice show."""
    name = "cpu_bound"
    throughput, window, cpus = number(run, "throughput_rps"), number(run, "duration_s"), detail(run, "cpus")
    used = sum(cores(run).values())
    if run.get("transport") != "http" and "generator" not in cores(run):
        used += detail(run, "generator_cpu_share") or 0.0
    if not throughput or not window or not cpus or not used:
        return not_made(name, "CPU time or the number of CPUs is not known")
    answers = detail(run, "answers_model_counted") if run.get("transport") == "direct" else None
    each_s = used * window / (answers or throughput * window)
    bound = cpus / each_s * (1 + TOLERANCE)
    text = (
        f"{figure(throughput)}/s; {cpus:,.0f} CPUs, of which a request takes {figure(each_s * 1e6)} us, carry at most "
        f"{figure(cpus / each_s)}/s, the database's part not counted"
    )
    return made(name, throughput <= bound, throughput, bound, text)


def _waits(run: Record) -> Check:
    waits, least = pure_waits_ms(run), least_response_ms(run)
    if not waits:
        return not_made("waits", "no wait is known that every answer contains")
    if least is None:
        return not_made("waits", "the least response is not known")
    limit = waits * (1 - BUCKET)
    text = f"the fastest answer took {figure(least)} ms, the waits in each are {figure(waits)} ms"
    return made("waits", least >= limit, least, limit, text)
