"""Causes in the pools that a request goes through: database connections, connections downstream, a lock, workers.

Whether a pool is too small or each of its places is held too long are two sides of one product (capacity = places /
time of holding). What the measurements carry is which of the two is further from the usual; near a tie the cause is a
guess.
"""

from __future__ import annotations

from parkbench.diagnosis.cause import Cause
from parkbench.diagnosis.facts import Facts
from parkbench.record import detail
from parkbench.wording import amount, percent

BUSY = 0.90
"""A pool, or the CPUs, used this much of the time is used up."""
FULL = 0.95
"""CPUs used this much of the time leave nothing to more connections."""
NOTICEABLE = 0.05
"""A wait of this share of the mean response time counts."""
LARGE = 0.20
"""A wait of this share of the mean response time matters whatever else there is."""
CLEAR = 2.0
"""One explanation is certain when it is this many times as strong as the other."""

USUAL_WORKERS = 200.0
USUAL_CONNECTIONS = 10.0
USUAL_QUERY_MS = 5.0
"""A query by key takes well under a millisecond, over a network a few: where requests stand in line for a connection it
is the query that is slow only from here on."""
CPU_QUERY_MS = 2.0
"""Busy CPUs alone make a quick query this slow."""
USUAL_CALL_MS = 100.0
USUAL_WAIT_MS = 50.0
"""What a worker may wait for a query before the query, and not the number of workers, is unusual."""


def held_connections(facts: Facts) -> Cause | None:
    """All connections are in use, for longer than the database works: the application waits or computes meanwhile."""
    hold, database = facts.hold_ms, facts.spent["database"]
    if not _pool_is_short(facts) or hold is None or hold < 2 * database:
        return None
    beyond = hold - database
    waits, computes = facts.spent["app_wait"], facts.spent["cpu"]
    if max(waits, computes) < 0.5 * beyond:
        return None  # what is beyond is not the application's own: it waits to run again
    what = "waits" if waits >= computes else "computes"
    text = (
        f"all {facts.pool_size or 0:,.0f} connections are in use and each request holds one for {amount(hold)} ms, "
        f"of which the database works {amount(database)} ms: it is held while the application {what}"
    )
    evidence = {"hold_ms": hold, "database_ms": database, "app_wait_ms": waits, "cpu_ms": computes,
                "connections": facts.pool_size or 0.0, "connections_waiting_mean": facts.waiting}  # fmt: skip
    certain = waits >= 0.75 * beyond or (computes >= 0.75 * beyond and facts.host < BUSY)
    return Cause("held_connections", certain, text, evidence)


def connections(facts: Facts) -> Cause | None:
    """All connections are in use while the database works: they are few, or its queries are slow."""
    size, query = facts.pool_size, facts.query_ms
    if not _pool_is_short(facts) or size is None or held_connections(facts) is not None:
        return None
    evidence = {"connections": size, "query_ms": query, "hold_ms": facts.hold_ms or 0.0, "host_cpu_share": facts.host,
                "connections_waiting_mean": facts.waiting}  # fmt: skip
    text = (
        f"all {size:,.0f} connections are in use, {amount(facts.waiting)} requests wait for one, and a query takes "
        f"{amount(query)} ms"
    )
    if facts.host >= FULL and query < CPU_QUERY_MS and size > 2 * facts.cpus:
        return Cause("cpu", False, f"{text}; the CPUs are {percent(facts.host)} busy, where more would queue", evidence)
    if query <= USUAL_QUERY_MS:
        return Cause("few_connections", facts.host < BUSY, text, evidence)
    few, slow = USUAL_CONNECTIONS / size, query / USUAL_QUERY_MS
    if few > slow:
        return Cause("few_connections", few >= CLEAR * slow and facts.host < BUSY, text, evidence)
    return Cause("slow_query", slow >= CLEAR * max(few, CLEAR) and facts.host < BUSY, text, evidence)


def downstream_connections(facts: Facts) -> Cause | None:
    """A gateway whose requests stand in line for a connection to the downstream."""
    share, call = facts.share("connection"), facts.spent["downstream"]
    size = facts.size("downstream_connections")
    used = facts.rate * call / 1000 * (facts.size("aggregate") or 1.0)
    if not facts.is_gateway or share < LARGE or (size is not None and used < BUSY * size):
        return None
    shown = "" if size is None else f" of {size:,.0f}"
    text = (
        f"about {used:,.0f}{shown} connections to the downstream are in use, a call takes {amount(call)} ms, and "
        f"requests wait {amount(facts.spent['connection'])} ms for one"
    )
    evidence = {"in_use": used, "downstream_ms": call, "connection_ms": facts.spent["connection"]}
    slow = call >= 5 * USUAL_CALL_MS
    return Cause("slow_downstream" if slow else "few_downstream_connections", call <= USUAL_CALL_MS, text, evidence)


def lock(facts: Facts) -> Cause | None:
    """Requests that stand in line for a lock: what they wait in the application is that line."""
    waits, line = facts.spent["app_wait"], facts.detail("lock_waiting_mean")
    if facts.share("app_wait") < LARGE:
        return None
    in_wait = facts.rate * waits / 1000  # by Little's law, the requests in the application's own waits
    counted = detail(facts.run, "lock_waiting_mean") is not None
    if counted and (line < 0.5 or line < 0.5 * in_wait):
        return None
    if not counted and not facts.is_gateway:
        return None
    text = f"{amount(line or in_wait)} requests stand in line for a lock, {amount(waits)} ms of each response"
    certain = (line >= 0.75 * in_wait and line >= 1) if counted else facts.share("app_wait") >= 0.5
    return Cause("lock", certain, text, {"lock_waiting_mean": line, "app_wait_ms": waits})


def workers(facts: Facts) -> Cause | None:
    """All workers of a pool wait for something and requests queue: they are few, or what they wait for is slow."""
    size = facts.threads
    if facts.model != "thread_pool" or not size or not _workers_are_short(facts):
        return None
    waits = {name: facts.spent[name] for name in ("database", "downstream", "app_wait")}
    on = max(waits, key=lambda name: waits[name])
    served = sum(facts.spent[name] for name in (*waits, "connection", "wakeup", "cpu"))
    if waits[on] < 0.5 * served:
        return None  # they compute or wait for a CPU; or for a connection, which is a cause of its own
    usual = {"database": USUAL_WAIT_MS, "downstream": USUAL_CALL_MS, "app_wait": 3 * USUAL_CALL_MS}[on]
    length = facts.query_ms if on == "database" else waits[on]
    few, slow = USUAL_WORKERS / size, length / usual
    name = {"database": "slow_query", "downstream": "slow_downstream", "app_wait": "few_workers"}[on]
    chosen, other = ("few_workers", slow) if few >= slow else (name, few)
    text = (
        f"all {size:,.0f} workers are busy, most of their time in the phase {on} ({amount(waits[on])} ms each), "
        f"and {amount(facts.queued)} requests queue"
    )
    evidence = {"workers": size, f"{on}_ms": waits[on], "queue_depth_mean": facts.queued}
    clear = max(few, slow) >= CLEAR * other or name == chosen == "few_workers"
    return Cause(chosen, clear, text, evidence)


def _pool_is_short(facts: Facts) -> bool:
    """Requests stand in line for a connection, which they do only while all are in use."""
    waited = facts.share("connection") >= NOTICEABLE or facts.failed("pool_timeout") >= 0.01 * facts.scheduled > 0
    return not facts.is_gateway and facts.in_use > 0 and facts.waiting >= 0.5 and waited


def _workers_are_short(facts: Facts) -> bool:
    """All are busy and requests queue; or they are for part of the window, and most of a response is that queue."""
    busy, queue = facts.busy, facts.share("queue")
    if facts.queued < 0.5 or queue < NOTICEABLE:
        return False
    return (busy is not None and busy >= 0.95) or (queue >= 0.5 and facts.queued >= 1)
