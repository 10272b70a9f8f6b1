"""Causes where nothing is used up: the response is one long wait for something that takes its time."""

from __future__ import annotations

from parkbench.diagnosis.cause import Cause
from parkbench.diagnosis.facts import Facts
from parkbench.diagnosis.pools import CLEAR, CPU_QUERY_MS, USUAL_CALL_MS, USUAL_QUERY_MS
from parkbench.record import detail
from parkbench.wording import amount, percent

MOST = 0.50
"""A phase of this share of the mean response time is most of it."""


def slow_query(facts: Facts) -> Cause | None:
    """Most of a response is spent in the database, whose connections are not used up."""
    query, share = facts.query_ms, facts.share("database")
    if share < MOST or query < CPU_QUERY_MS:
        return None
    text = (
        f"nothing here is used up; the database takes {percent(share)} of a response, {amount(query)} ms for each query"
    )
    certain = query >= CLEAR * USUAL_QUERY_MS and facts.host < 0.9
    return Cause("slow_query", certain, text, {"query_ms": query, "database_share": share})


def slow_downstream(facts: Facts) -> Cause | None:
    """Most of a response is spent downstream."""
    call, share = facts.spent["downstream"], facts.share("downstream")
    if share < MOST:
        return None
    text = f"nothing here is used up; the downstream takes {percent(share)} of a response ({amount(call)} ms)"
    return Cause(
        "slow_downstream", call >= CLEAR * USUAL_CALL_MS, text, {"downstream_ms": call, "downstream_share": share}
    )


def own_wait(facts: Facts) -> Cause | None:
    """Most of a response the application waits by itself, and not for a lock."""
    waits, share = facts.spent["app_wait"], facts.share("app_wait")
    if share < MOST:
        return None
    of = f"{percent(share)} of a response ({amount(waits)} ms)"
    text = f"nothing here is used up; the application waits by itself for {of}"
    counted = detail(facts.run, "lock_waiting_mean") is not None
    return Cause("own_wait", counted or not facts.is_gateway, text, {"app_wait_ms": waits, "app_wait_share": share})
