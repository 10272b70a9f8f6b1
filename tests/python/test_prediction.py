"""What doubling the bottleneck would bring, and whether the sweep bears it out."""

from __future__ import annotations

from typing import Any

import pytest
import run_records as records
from test_explain import judged

from parkbench.points import Point, points_of
from parkbench.prediction import System, predict_doubled, system_of
from parkbench.result import SweepResult


def points(*runs: dict[str, Any]) -> list[Point]:
    return [point for cell in points_of(judged(list(runs))) for point in cell]


def test_twice_the_connections_give_twice_the_answers_where_nothing_else_is_short() -> None:
    (point,) = points(*(records.delayed("reactive", r) for r in range(3)))
    found = predict_doubled(point)
    assert found is not None
    assert (found["resource"], found["from"], found["to"]) == ("connections", 10, 20)
    measured = sum(run["throughput_rps"] for run in point.runs) / 3
    assert found["throughput_rps"] == pytest.approx(2 * measured, rel=0.05)
    assert found["response_ms"] == pytest.approx(1000 * 100 / found["throughput_rps"])
    assert found["checked"] is None
    assert found["text"].startswith("With 20 connections instead of 10 the model of queues predicts ")


def test_the_point_is_looked_up_where_the_sweep_has_it() -> None:
    few = [records.delayed("reactive", r) for r in range(3)]
    many = [
        records.record("reactive", 100, r, name="more", phases={"connection": 410.0, "database": 100.4, "wakeup": 0.2},
                       options={"connections": 20}, threads={"idle": 2.0}, duration_s=10.0,
                       details={"connections_in_use_mean": 19.9, "host_cpu_share": 0.1, "process_cpu_share": 0.02})
        for r in range(3)
    ]  # fmt: skip
    first, second = points(*few, *many)
    assert (first.name, second.name) == ("reactive", "more")
    checked = predict_doubled(first, [first, second])
    assert checked is not None
    assert checked["checked"]["name"] == "more"
    assert abs(checked["checked"]["error"]) < 0.05
    assert "Measured so (more): " in checked["text"]
    many[0]["options"]["timeout_s"] = 1.0
    other = points(*few, many[0])
    assert predict_doubled(other[0], other)["checked"] is None  # type: ignore[index]


def test_where_the_cpus_come_next_it_says_that_nothing_would_be_won() -> None:
    (point,) = points(*(records.starved("reactive", r) for r in range(3)))
    found = predict_doubled(point)
    assert found is not None
    assert found["throughput_rps"] < 1.1 * point.runs[0]["throughput_rps"]
    assert found["text"].endswith("measured: the CPUs are next.")


def test_workers_limit_who_is_inside() -> None:
    (point,) = points(*(records.few_workers("thread_pool", r) for r in range(3)))
    found = predict_doubled(point)
    assert found is not None
    assert (found["resource"], found["to"]) == ("workers", 80)
    assert found["throughput_rps"] == pytest.approx(2 * point.runs[0]["throughput_rps"], rel=0.1)


def test_users_who_think_do_not_fill_the_places() -> None:
    system = System(users=10, think_s=0.9, stations={}, delay_s=0.1, places=5)
    assert system.throughput() == pytest.approx(10.0, rel=0.35)  # one of ten is inside at a time
    full = System(users=1000, think_s=0.9, stations={}, delay_s=0.1, places=5)
    assert full.throughput() == pytest.approx(50.0)
    assert full.doubled("workers").throughput() == pytest.approx(100.0)


@pytest.mark.parametrize(
    "run",
    [
        records.few_workers("reactive"),  # nothing is short
        records.article("reactive", "request"),  # rounds are no closed load of a steady number
        records.over_http(),  # a downstream cannot be doubled
        {**records.delayed("reactive"), "leg": "open", "rate_rps": 80.0},
        records.failed(),
    ],
)
def test_no_prediction(run: dict[str, Any]) -> None:
    (point,) = points(run)
    assert predict_doubled(point) is None


def test_the_demands_are_measured_by_little() -> None:
    run = records.delayed("reactive", noise=0.0)
    system = system_of([run])
    assert system is not None
    assert system.stations["connections"] == pytest.approx((10.0 / run["throughput_rps"], 10))
    assert system.stations["cpu"] == pytest.approx((0.1 * 2 / run["throughput_rps"], 2))
    assert system.fullest == "connections"
    assert system_of([{**run, "throughput_rps": 0.0}]) is None


def test_a_result_lists_its_predictions() -> None:
    runs = judged([records.few_workers(m, r) for r in range(3) for m in ("thread_pool", "reactive")])
    (found,) = SweepResult({}, runs).predictions()
    assert (found["name"], found["concurrency"], found["leg"], found["rate_rps"]) == (
        "thread_pool",
        300,
        "closed",
        None,
    )
    assert (found["resource"], found["from"], found["to"]) == ("workers", 40, 80)
