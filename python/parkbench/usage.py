"""Utilisation, saturation and errors of every resource of a run, as Gregg's USE method asks for them.

Brendan Gregg, "Thinking methodically about performance", ACM Queue 10 (12), 2012: of each resource, how busy it is, how
much work waits for it, and what it refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from parkbench.bottleneck import RESOURCES
from parkbench.diagnosis.facts import THREADS, Facts
from parkbench.record import Record, detail, number
from parkbench.stats import mean

Usage = dict[str, Any]
FIGURES = ("size", "in_use", "utilisation", "saturation", "errors")

_ERRORS = {
    "workers": ("rejected", "queue_full"), "carriers": ("rejected", "admission_limit"),
    "loops": ("rejected", "admission_limit"), "connections": ("pool_timeout",),
    "database": ("db_connect", "db_connection_lost", "db_error"),
    "downstream": ("downstream_timeout", "downstream_failed", "circuit_open", "bulkhead_full"),
    "memory": ("out_of_memory",),
}  # fmt: skip


def usage(run: Record) -> list[Usage]:
    """One row for each resource: `resource` and FIGURES, None where the run does not tell.

    `size`: places; `in_use`: places in use, mean; `utilisation`: in_use / size, 0 to 1; `saturation`: requests (for the
    CPU threads) that wait for it, mean; `errors`: requests that it failed. By Little's law (1961) what waits, or is
    served, is the throughput times the time spent there. Of memory `saturation` is the share of the time in which
    something waited for it.
    """
    facts = Facts(run)
    found = {
        **{word: _threads(facts, word) for word in THREADS.values()},
        "connections": _connections(facts),
        "database": {"in_use": _present(facts, "database") if facts.uses_database else None},
        "cpu": _cpu(facts),
        "downstream": {"in_use": _present(facts, "downstream") if facts.is_gateway else None},
        "lock": {"saturation": detail(run, "lock_waiting_mean")},
        "memory": {"in_use": number(run, "rss_peak_mib"), "saturation": facts.noise("memory_pressure_share")},
        "generator": _generator(facts),
    }
    counted = run.get("failures") is not None
    rows = []
    for resource in RESOURCES:
        if resource == "none":
            continue
        row: Usage = {"resource": resource, **dict.fromkeys(FIGURES), **found[resource]}
        if row["errors"] is None and counted and resource in _ERRORS and _applies(facts, resource):
            row["errors"] = facts.failed(*_ERRORS[resource])
        rows.append(row)
    return rows


def mean_usage(runs: Sequence[Record]) -> list[Usage]:
    """The rows of several runs of one cell: means over the runs that tell; `errors` are summed."""
    rows = [usage(run) for run in runs]
    found = []
    for same in zip(*rows, strict=True):
        row: Usage = {"resource": same[0]["resource"]}
        for figure in FIGURES:
            values = [one[figure] for one in same if one[figure] is not None]
            row[figure] = None if not values else sum(values) if figure == "errors" else mean(values)
        found.append(row)
    return found


def _threads(facts: Facts, word: str) -> Usage:
    if facts.threads_word != word:
        return {}
    busy, threads = facts.busy, facts.threads or None
    in_use = busy * threads if busy is not None and threads else None
    return {"size": facts.size(word) or threads, "in_use": in_use, "utilisation": busy,
            "saturation": detail(facts.run, "queue_depth_mean")}  # fmt: skip


def _connections(facts: Facts) -> Usage:
    """Those of the database, or a gateway's to its downstream."""
    if facts.is_gateway:
        size, used = facts.size("downstream_connections"), _present(facts, "downstream")
        return {"size": size, "in_use": used, "utilisation": min(1.0, used / size) if size else None,
                "saturation": _present(facts, "connection")}  # fmt: skip
    if not facts.uses_database:
        return {}
    size, in_use = facts.size("connections"), detail(facts.run, "connections_in_use_mean")
    share = min(1.0, in_use / size) if size and in_use is not None else None
    return {"size": size, "in_use": in_use, "utilisation": share,
            "saturation": detail(facts.run, "connections_waiting_mean")}  # fmt: skip


def _cpu(facts: Facts) -> Usage:
    cpus, host = detail(facts.run, "cpus"), detail(facts.run, "host_cpu_share")
    delay, window = detail(facts.run, "run_queue_delay_s"), number(facts.run, "duration_s")
    return {"size": cpus, "in_use": cpus * host if cpus and host is not None else None, "utilisation": host,
            "saturation": delay / window if delay is not None and window else None}  # fmt: skip


def _generator(facts: Facts) -> Usage:
    share = detail(facts.run, "generator_cpu_share")
    return {"size": 1.0, "in_use": share, "utilisation": share, "saturation": _present(facts, "lateness"),
            "errors": number(facts.run.get("ledger") or {}, "unsent")}  # fmt: skip


def _present(facts: Facts, phase: str) -> float:
    """Requests that are in this phase, mean."""
    return facts.rate * facts.spent[phase] / 1000


def _applies(facts: Facts, resource: str) -> bool:
    if resource in THREADS.values():
        return facts.threads_word == resource
    if resource in ("connections", "database"):
        return facts.uses_database
    return facts.is_gateway if resource == "downstream" else True
