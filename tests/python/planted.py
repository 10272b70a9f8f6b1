"""Faults planted in sound run records."""

from __future__ import annotations

from typing import Any


def doubled(run: dict[str, Any]) -> dict[str, Any]:
    """Every answer booked twice, in all books of the generator, so that they still agree with each other."""
    details = {**run["details"]}
    for key in ("answers_received_counted", "requests_timed", "database_queries", "database_queries_expected"):
        if details.get(key) is not None:
            details[key] *= 2
    details["histogram"] = {"unit": "ns", "counts": [[value, 2 * n] for value, n in details["histogram"]["counts"]]}
    ledger = {key: 2 * value for key, value in run["ledger"].items()}
    twice = {key: 2 * run[key] for key in ("throughput_rps", "offered_rps")}
    return {**run, **twice, "ledger": ledger, "details": details}
