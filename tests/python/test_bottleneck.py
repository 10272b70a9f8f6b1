"""The bottleneck is the deepest resource that is used up and waited for."""

from __future__ import annotations

from typing import Any

import pytest
import run_records as records

from parkbench.bottleneck import RESOURCES, find_bottleneck

MODELS = ("thread_pool", "virtual_threads", "reactive")


@pytest.mark.parametrize("model", MODELS)
def test_ten_connections_for_four_hundred_users(model: str) -> None:
    found = find_bottleneck(records.starved(model))
    assert found.name == "connections"
    assert found.figures["connections_in_use_mean"] == 9.95
    assert "all 10 connections are in use" in found.text
    assert "the CPUs are 98% busy" in found.text  # more connections would not help, and the text says so


@pytest.mark.parametrize("model", MODELS)
def test_slow_queries_on_ten_connections(model: str) -> None:
    run = records.delayed(model, options={"query_delay_ms": 50.0})
    found = find_bottleneck(run)
    assert found.name == "connections"
    assert "as asked by query_delay_ms" in found.text


def test_few_workers_hold_back_the_pool_alone() -> None:
    found = find_bottleneck(records.few_workers("thread_pool"))
    assert (found.name, found.figures["workers"]) == ("workers", 40)
    assert "most waiting for I/O" in found.text
    assert find_bottleneck(records.few_workers("virtual_threads")).name == "none"
    busy = records.few_workers("virtual_threads")
    busy["details"]["host_cpu_share"] = 0.95
    assert find_bottleneck(busy).name == "cpu"


def test_a_connection_held_while_the_application_waits() -> None:
    assert "held while the application waits" in find_bottleneck(records.article("reactive", "request")).text
    assert find_bottleneck(records.article("reactive", "statement")).name == "none"


def test_full_use_without_a_queue_is_no_bottleneck() -> None:
    run = records.few_workers("reactive")
    assert run["details"]["connections_in_use_mean"] >= 0.9 * run["options"]["connections"]
    assert find_bottleneck(run).name == "none"


def _computing(model: str, host: float, **threads: float) -> dict[str, Any]:
    return records.record(
        model, phases={"queue": 50.0, "cpu": 5.0}, threads=threads, options={"workers": 100},
        details={"host_cpu_share": host, "queue_depth_mean": 90.0, "connections_in_use_mean": 0.0},
    )  # fmt: skip


def test_threads_that_only_lack_a_cpu_are_not_named() -> None:
    assert find_bottleneck(_computing("thread_pool", 0.99, cpu=100.0)).name == "cpu"
    assert find_bottleneck(_computing("thread_pool", 0.30, app_wait=99.0, cpu=1.0)).name == "workers"


@pytest.mark.parametrize(("model", "name"), [("virtual_threads", "carriers"), ("reactive", "loops")])
def test_carriers_and_loops(model: str, name: str) -> None:
    assert find_bottleneck(_computing(model, 0.55, cpu=1.0)).name == name  # one of them on two CPUs
    assert find_bottleneck(_computing(model, 0.55, pinned=2.0)).name == name
    assert find_bottleneck(_computing(model, 0.97, cpu=2.0)).name == "cpu"
    assert find_bottleneck(_computing(model, 0.20, cpu=0.2, idle=1.8)).name == "none"


def test_a_limited_client_comes_first() -> None:
    assert find_bottleneck(records.starved("reactive", status="client_limited")).name == "generator"


def test_errors_name_the_resource_that_refuses() -> None:
    run = records.record("reactive", details={"connections_in_use_mean": 1.0})
    count = run["ledger"]["scheduled"]
    assert find_bottleneck({**run, "failures": {"pool_timeout": count // 50}}).name == "connections"
    assert find_bottleneck({**run, "failures": {"db_error": count // 50, "out_of_memory": 1}}).name == "database"
    assert find_bottleneck({**run, "failures": {"out_of_memory": count // 50}}).name == "memory"
    assert find_bottleneck({**run, "failures": {"out_of_memory": count // 500}}).name == "none"


def test_a_failed_run_and_the_list_of_names() -> None:
    assert find_bottleneck(records.failed()).name == "none"
    assert find_bottleneck({}).name == "none"
    assert len(set(RESOURCES)) == 11


def test_a_downstream_that_takes_the_time_while_nothing_here_is_used_up() -> None:
    found = find_bottleneck(records.over_http())
    assert found.name == "downstream"
    assert "the downstream takes 95% of a response" in found.text
    half = records.over_http(phases={"app_wait": 60.0})
    assert find_bottleneck(half).name == "none"
    busy = {"host_cpu_share": 0.99}
    assert find_bottleneck(records.over_http(phases={"network": 8.0}, details=busy)).name == "cpu"
    assert find_bottleneck(records.over_http(phases={"network": 0.5}, details=busy)).name == "downstream"


def test_a_generator_at_its_own_limit() -> None:
    busy = records.over_http(details={"generator_cpu_share": 0.95})
    assert find_bottleneck(busy).name == "generator"
    assert "95% of its core" in find_bottleneck(busy).text
    assert find_bottleneck({**busy, "transport": "direct"}).name == "downstream"
    assert find_bottleneck(records.over_http(details={"generator_cpu_share": 0.8})).name == "downstream"


def test_few_connections_to_the_downstream() -> None:
    waiting: dict[str, Any] = {"phases": {"connection": 450.0}, "options": {"downstream_connections": 100}}
    found = find_bottleneck(records.over_http(**waiting))
    assert found.name == "connections"
    assert "of 100 connections to the downstream are in use" in found.text
    many = records.over_http(phases={"connection": 450.0}, options={"downstream_connections": 1000})
    assert find_bottleneck(many).name == "none"


@pytest.mark.parametrize("cause", ["downstream_timeout", "downstream_failed", "circuit_open", "bulkhead_full"])
def test_calls_that_fail_name_the_downstream(cause: str) -> None:
    run = records.over_http(phases={"app_wait": 500.0})
    count = run["ledger"]["scheduled"]
    assert find_bottleneck({**run, "failures": {cause: count // 20}}).name == "downstream"
    assert find_bottleneck({**run, "failures": {cause: 0}}).name == "none"


def test_a_line_for_a_lock_is_the_lock() -> None:
    waiting = records.over_http(phases={"app_wait": 500.0}, details={"lock_waiting_mean": 880.0})
    assert find_bottleneck(waiting).name == "lock"
    assert "880 requests stand in line for a lock" in find_bottleneck(waiting).text
    alone = records.over_http(phases={"app_wait": 500.0}, details={"lock_waiting_mean": 0.0})
    assert find_bottleneck(alone).name == "none"


def test_memory_that_is_waited_for() -> None:
    pressed = {"major_faults": 5000, "noise": {"memory_pressure_share": 0.4}}
    assert find_bottleneck(records.over_http(details=pressed)).name == "memory"
    assert find_bottleneck(records.over_http(details={"noise": {"memory_pressure_share": 0.4}})).name == "downstream"


def test_cpus_that_others_use_are_no_bottleneck_of_the_run() -> None:
    busy = {"host_cpu_share": 0.99, "process_cpu_share": 0.07, "generator_cpu_share": 0.1}
    slow = {"network": 30.0, "queue": 30.0}
    assert find_bottleneck(records.over_http(phases=slow, details=busy)).name == "none"
    seen = {**busy, "noise": {"foreign_cpu_share": 0.7}}
    assert find_bottleneck(records.over_http(phases=slow, details=seen)).name == "none"
    own = {**busy, "noise": {"foreign_cpu_share": 0.05}}
    assert find_bottleneck(records.over_http(phases=slow, details=own)).name == "cpu"


def test_workers_that_are_used_up_for_part_of_the_window() -> None:
    """A brown-out: the queue is most of a mean response, though some workers were idle before and after."""
    slow = records.over_http(
        "thread_pool", phases={"queue": 1600.0, "downstream": 300.0}, threads={"io": 120.0, "idle": 80.0},
        details={"queue_depth_mean": 900.0, "host_cpu_share": 0.99, "process_cpu_share": 0.07},
        options={"workers": 200},
    )  # fmt: skip
    found = find_bottleneck(slow)
    assert found.name == "workers"
    assert "busy at times" in found.text
    assert find_bottleneck({**slow, "model": "reactive"}).name != "loops"
