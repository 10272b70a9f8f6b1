"""The names of a run record, and what is missing from one."""

from __future__ import annotations

import math

import pytest
import run_records as records

from parkbench import record


def test_a_public_run_has_exactly_the_promised_keys() -> None:
    run = records.starved("thread_pool") | {"bottleneck": "connections", "audit": {"passed": True, "checks": []}}
    promised = (
        "name model concurrency repeat transport duration_s offered_rps throughput_rps response_mean_ms "
        "response_p50_ms response_p90_ms response_p99_ms response_max_ms from_send_mean_ms from_send_p99_ms "
        "threads_peak threads_mean threads_blocked_mean threads_blocked_max threads_on_io_mean "
        "threads_on_connection_mean threads_on_app_wait_mean threads_pinned_mean threads_on_cpu_mean "
        "threads_idle_mean requests_waiting_mean rss_baseline_mib rss_peak_mib cpu_s context_switches ledger "
        "failures phases_ms bottleneck audit status"
    )
    public = record.public(run)
    assert list(public) == [*promised.split(), "leg", "rate_rps", "load_share"]
    assert all(public[key] is not None for key in promised.split())
    assert record.public(records.failed())["response_mean_ms"] is None


def test_figures_that_are_missing_null_or_not_finite_are_none() -> None:
    assert record.number({"a": 1}, "a") == 1.0
    assert [record.number({"a": x}, "a") for x in (None, math.nan, math.inf, "1", True)] == [None] * 5
    assert record.detail({"details": None}, "a") is None
    assert record.detail({"details": {"a": 2}}, "a") == 2.0
    assert record.option({}, "workers") is None


def test_threads_add_up() -> None:
    run = records.starved("thread_pool")
    assert record.model_threads(run) == pytest.approx(200.0)
    assert record.model_threads(records.failed()) is None


def test_status_words() -> None:
    run = records.starved("reactive")
    assert record.is_ok(run)
    assert record.has_figures(run)
    for status, broken in [("too_short", False), ("client_limited", False), ("incomplete", False),
                           ("invalid: x", True), ("failed: y", True)]:  # fmt: skip
        assert not record.is_ok({**run, "status": status})
        assert record.is_broken({**run, "status": status}) is broken
    assert not record.has_figures(records.failed())


@pytest.mark.parametrize(
    ("options", "kind", "think"),
    [({}, "closed", 0.0), ({"arrivals": "closed:think=0.25"}, "closed", 0.25),
     ({"arrivals": "closed:think=250ms"}, "closed", 0.25), ({"arrivals": "rounds:pause=1"}, "rounds", 0.0),
     ({"arrivals": {"kind": "closed", "think_s": 2}}, "closed", 2.0), ({"think_s": 3.0}, "closed", 3.0)],
)  # fmt: skip
def test_arrivals(options: dict[str, object], kind: str, think: float) -> None:
    assert record.arrivals_kind({"options": options}) == kind
    assert record.think_s({"options": options}) == think


def test_names_are_shown_by_model_and_a_models_own_name_first() -> None:
    runs = [{"name": n, "model": m} for n, m in (("b", "reactive"), ("a", "thread_pool"), ("reactive", "reactive"),
            ("x", "spring"), ("thread_pool", "thread_pool"), ("virtual_threads", "virtual_threads"))]  # fmt: skip
    assert record.names(runs) == ["thread_pool", "a", "virtual_threads", "reactive", "b", "x"]
    assert record.names(runs[::-1]) == record.names(runs)


def test_cores_are_cpu_seconds_by_the_length_of_the_window() -> None:
    assert record.cores(records.over_http()) == {"server": 0.8, "generator": 0.45, "downstream": 0.15}
    assert record.cores(records.record()) == {"server": pytest.approx(0.8)}
    assert record.cores(records.failed()) == {}


def test_runs_are_told_apart_by_leg_users_and_rate() -> None:
    old, closed = {"concurrency": 10}, {"concurrency": 10, "leg": "closed", "rate_rps": None}
    slow, fast = ({"concurrency": 10, "leg": "open", "rate_rps": rate} for rate in (50.0, 80.0))
    assert record.load_key(old) == record.load_key(closed) == ("closed", 10, 0.0)
    assert record.loads([fast, slow, {**closed, "concurrency": 9}, old]) == [
        ("closed", 9, 0.0), ("closed", 10, 0.0), ("open", 10, 50.0), ("open", 10, 80.0),
    ]  # fmt: skip


def test_a_run_is_told_from_others_by_name_load_and_repeat() -> None:
    assert record.run_key({"name": "a", "concurrency": 10, "repeat": 2}) == ("a", "closed", 10, 0.0, 2)
    assert record.run_key(records.open_leg("reactive", 3)) == ("reactive", "open", 500, 1234.0, 3)


def test_only_steady_runs_with_figures_may_be_compared() -> None:
    run = records.starved("reactive")
    assert record.is_comparable(run)
    assert record.is_comparable(records.not_steady(run, samples=29))
    assert record.is_comparable(records.not_steady(run, kind="warm-up"))
    for kind in ("unstable", "slow-down"):
        assert not record.is_steady(records.not_steady(run, kind))
        assert not record.is_comparable(records.not_steady(run, kind))
    assert not record.is_comparable({**run, "status": "too_short"})
    assert not record.is_comparable(records.failed())
