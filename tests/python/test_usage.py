"""Utilisation, saturation and errors of each resource, null where a run does not tell."""

from __future__ import annotations

from typing import Any

import cause_records
import pytest
import run_records as records

from parkbench.bottleneck import RESOURCES
from parkbench.usage import FIGURES, mean_usage, usage


def of(run: dict[str, Any], resource: str) -> dict[str, Any]:
    return next(row for row in usage(run) if row["resource"] == resource)


def test_a_row_for_every_resource_with_every_figure() -> None:
    for model in ("thread_pool", "virtual_threads", "reactive"):
        rows = usage(records.starved(model))
        assert [row["resource"] for row in rows] == [name for name in RESOURCES if name != "none"]
        assert all(set(row) == {"resource", *FIGURES} for row in rows)


def test_of_a_pool_that_waits_for_connections() -> None:
    run = records.starved("thread_pool")
    assert of(run, "connections") == {
        "resource": "connections",
        "size": 10.0,
        "in_use": 9.95,
        "utilisation": pytest.approx(0.995),
        "saturation": 188.0,
        "errors": 0.0,
    }
    workers = of(run, "workers")
    assert (workers["size"], workers["saturation"]) == (200.0, 198.0)
    assert workers["utilisation"] == pytest.approx(1 - 0.5 / 200)
    assert of(run, "carriers")["utilisation"] is None
    assert of(run, "loops")["errors"] is None
    assert of(run, "database")["in_use"] == pytest.approx(run["throughput_rps"] * run["phases_ms"]["database"] / 1000)
    assert (of(run, "cpu")["utilisation"], of(run, "cpu")["in_use"]) == (0.98, 1.96)
    assert of(run, "downstream")["in_use"] is None


def test_of_a_gateway() -> None:
    run = cause_records.gateway(options={"downstream_connections": 2000}, failures={"bulkhead_full": 3})
    used = run["throughput_rps"] * 0.05
    assert of(run, "connections")["in_use"] == pytest.approx(used)
    assert of(run, "connections")["utilisation"] == pytest.approx(used / 2000)
    assert of(run, "downstream")["errors"] == 3
    assert of(run, "database") == {"resource": "database", **dict.fromkeys(FIGURES)}


def test_what_the_kernel_says_about_waiting_for_a_cpu() -> None:
    run = records.starved("reactive")
    assert of(run, "cpu")["saturation"] is None
    run["details"]["run_queue_delay_s"] = 5.0  # thread seconds in a window of two seconds
    assert of(run, "cpu")["saturation"] == 2.5
    run["details"] |= {"lock_waiting_mean": 7.0, "noise": {"memory_pressure_share": 0.2}}
    assert (of(run, "lock")["saturation"], of(run, "memory")["saturation"]) == (7.0, 0.2)


def test_a_run_that_left_nothing_has_rows_without_figures() -> None:
    rows = usage({"name": "x"})
    assert len(rows) == len(RESOURCES) - 1
    assert all(row["utilisation"] is None and row["errors"] is None for row in rows)


def test_the_mean_of_repeats_keeps_what_is_unknown_and_sums_errors() -> None:
    runs = [{**records.starved("reactive", r), "failures": {"pool_timeout": 2 + r}} for r in range(2)]
    runs[1]["details"]["connections_in_use_mean"] = 8.95
    rows = {row["resource"]: row for row in mean_usage(runs)}
    assert rows["connections"]["in_use"] == pytest.approx(9.45)
    assert rows["connections"]["errors"] == 5
    assert rows["workers"]["utilisation"] is None
