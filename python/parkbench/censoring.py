"""Timed-out requests as what they are: responses of at least the timeout, whose real length nobody knows.

Quantiles over the ok requests leave them out and so look better the more time out. Where a quantile of all that were
waited for lies among the timed-out ones, only ">= timeout" is true of it (right censoring).
"""

from __future__ import annotations

import math

from parkbench.checks import entry
from parkbench.record import Record, number, option

QUANTILES = {"response_p50_ms": 0.5, "response_p90_ms": 0.9, "response_p99_ms": 0.99}
"""The quantiles of a run record that a timeout can censor."""


def timeout_ms(run: Record) -> float | None:
    """When a request of this run is given up, ms; None where the record does not say."""
    for key in ("timeout", "timeout_s"):
        found = option(run, key)
        if isinstance(found, (int, float)) and not isinstance(found, bool):
            return float(found) * 1000
    return None


def share(run: Record) -> float:
    """Timed-out requests as a share of those that were answered well or timed out; 0 where there were none."""
    ledger = run.get("ledger")
    lost, ok = entry(ledger, "timed_out"), entry(ledger, "ok")
    return lost / (lost + ok) if lost else 0.0


def at_least_ms(run: Record, quantile: float) -> float | None:
    """The timeout (ms) if this quantile (0 to 1) of ok and timed-out requests lies among the timed-out ones, else None.

    Where the record does not say the timeout, the largest response seen stands for it.
    """
    ledger = run.get("ledger")
    lost, ok = entry(ledger, "timed_out"), entry(ledger, "ok")
    # The rounding guards 1,000 * 0.99, which is a little over 990.
    if not lost or math.ceil(quantile * (ok + lost) - 1e-6) <= ok:
        return None
    limit = timeout_ms(run)
    return limit if limit is not None else number(run, "response_max_ms")


def censored(run: Record) -> dict[str, float]:
    """The quantiles of the record that must be shown as ">= ms": key -> ms. Empty where no timeout reaches them."""
    found = {key: at_least_ms(run, quantile) for key, quantile in QUANTILES.items()}
    return {key: limit for key, limit in found.items() if limit is not None}
