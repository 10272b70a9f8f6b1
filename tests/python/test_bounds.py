"""Bounds that hold for any system: a true result is never above one, a doubled one is."""

from __future__ import annotations

from typing import Any

import pytest
import run_records as records
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import doubled

from parkbench.bounds import bounds, held_ms, least_response_ms, pure_waits_ms
from parkbench.checks import Check


def bound(run: dict[str, Any], name: str) -> Check:
    return next(check for check in bounds(run) if check["name"] == name)


@pytest.mark.parametrize("run", [records.starved("thread_pool"), records.delayed("reactive"), records.over_http(),
                                 records.few_workers("virtual_threads"), records.article("thread_pool", "request"),
                                 records.record(options={"think_s": 0.5})])  # fmt: skip
def test_a_sound_run_is_within_its_bounds(run: dict[str, Any]) -> None:
    assert [check for check in bounds(run) if not check["passed"]] == []
    assert [check["name"] for check in bounds(run)] == ["users_bound", "connections_bound", "cpu_bound", "waits"]


def test_answers_booked_twice_are_above_the_bound_of_the_users() -> None:
    run = records.delayed("reactive")
    assert bound(run, "users_bound")["passed"]
    found = bound(doubled(run), "users_bound")
    assert not found["passed"]
    assert found["value"] is not None and found["limit"] is not None and found["value"] > found["limit"]
    assert "100 users cannot do more than" in found["text"]


def test_answers_booked_twice_are_above_the_bound_of_the_connections() -> None:
    run = records.delayed("reactive")  # ten connections, each query 50 ms: 100 a second at most
    assert bound(run, "connections_bound")["limit"] == pytest.approx(100, rel=0.35)
    assert not bound(doubled(run), "connections_bound")["passed"]


def test_answers_booked_twice_are_above_the_bound_of_the_cpus() -> None:
    run = records.record(cpu={"server_s": 3.0, "generator_s": 0.6, "downstream_s": 0.0}, cpu_s=3.0)  # 2 s on 2 CPUs
    assert bound(run, "cpu_bound")["passed"]
    assert not bound(doubled(run), "cpu_bound")["passed"]


@settings(deadline=None)
@given(st.integers(1, 1000), st.floats(0.2, 500), st.floats(0, 2), st.floats(0.1, 5))
def test_a_closed_system_in_step_never_breaks_the_bound_of_its_users(
    users: int, response_ms: float, think: float, window: float
) -> None:
    """All users begin together at the start of the window: as many dues as can be."""
    period = response_ms / 1000 + think
    dues = users * (int(window / period) + 1)
    run = records.record(concurrency=users, phases={"app_wait": response_ms}, options={"think_s": think}, noise=0.0,
                         duration_s=window)  # fmt: skip
    assert bound(run | {"throughput_rps": dues / window}, "users_bound")["passed"]


def test_rounds_are_bounded_by_their_length() -> None:
    run = records.article("reactive", "statement")
    assert bound(run, "users_bound")["passed"]
    paused = run | {"options": {**run["options"], "arrivals": "rounds:pause=10s"}}
    assert not bound(paused, "users_bound")["passed"]
    every = run | {"options": {**run["options"], "arrivals": "rounds:every=20s"}}
    assert not bound(every, "users_bound")["passed"]


def test_open_arrivals_have_no_bound_of_users() -> None:
    run = records.record(options={"arrivals": "poisson:rate=100"})
    assert "whether or not there were answers" in bound(run, "users_bound")["text"]


def test_what_is_not_known_is_not_checked() -> None:
    run = records.record(details={"histogram": None, "cpus": None}, phases={"app_wait": 5.0})
    assert {check["value"] for check in bounds(run)} == {None}
    assert all(check["text"].startswith("not checked") for check in bounds(run))
    assert "number of connections" in bound(records.record(options={"connections": None}), "connections_bound")["text"]


def test_the_least_response_is_the_cores_or_the_first_bucket() -> None:
    run = records.record(details={"histogram": {"unit": "ns", "counts": [[2_000_000, 3], [9_000_000, 1]]}})
    assert least_response_ms(run) == 2.0
    run["details"]["response_min_ms"] = 2.001
    assert least_response_ms(run) == 2.001


def test_how_long_a_request_holds_a_connection() -> None:
    run = records.record(phases={"database": 1.0}, details={"connection_hold_mean_ms": 2.0}, noise=0.0)
    assert held_ms(run) == 4.0  # once for each of the two statements
    run["options"]["connection_hold"] = "request"
    assert held_ms(run) == 2.0
    run["details"]["connection_hold_mean_ms"] = None
    assert held_ms(run) == 1.0


@pytest.mark.parametrize(
    ("workload", "options", "waits"),
    [
        ("sleep", {"sleep_ms": 300.0}, 300.0),
        ("pricing", {"query_delay_ms": 50.0, "app_wait_ms": 20.0}, 120.0),
        ("gateway", {"downstream_ms": 50.0, "aggregate": 3, "aggregate_order": "parallel"}, 50.0),
        ("gateway", {"downstream_ms": 50.0, "aggregate": 3, "aggregate_order": "sequential"}, 150.0),
        ("mixed", {"mixed_fast_ms": 5.0, "mixed_slow_ms": 500.0}, 5.0),
        ("noop", {}, 0.0),
    ],
)
def test_the_waits_that_every_answer_contains(workload: str, options: dict[str, Any], waits: float) -> None:
    run = records.record(phases={"app_wait": waits or 1.0}, options=options, workload=workload, noise=0.0)
    assert pure_waits_ms(run) == waits
    assert bound(run, "waits")["passed"]
    run["details"]["histogram"]["counts"][0][0] = int(waits * 0.9e6)
    assert bound(run, "waits")["passed"] is (waits == 0.0)
