"""The runs of one name at one load, taken together."""

from __future__ import annotations

import cause_records
import pytest
import run_records as records

from parkbench.points import holds_alone, points_of


def test_runs_are_told_apart_by_leg_users_and_rate() -> None:
    closed = [records.record("reactive", users, repeat) for users in (50, 10) for repeat in range(2)]
    opened = [
        records.record("reactive", 50, repeat, leg="open", rate_rps=rate)
        for rate in (200.0, 100.0)
        for repeat in (0, 1)
    ]
    cells = points_of([*opened, *closed])
    assert [points[0].load for points in cells] == [
        ("closed", 10, 0.0), ("closed", 50, 0.0), ("open", 50, 100.0), ("open", 50, 200.0),
    ]  # fmt: skip
    assert [len(points[0].ok) for points in cells] == [2, 2, 2, 2]
    assert cells[2][0].where == {"concurrency": 50, "leg": "open", "rate_rps": 100.0}
    assert cells[0][0].where == {"concurrency": 10, "leg": "closed", "rate_rps": None}
    assert [points[0].shows_latency for points in cells] == [False, False, True, True]


def test_open_arrivals_of_the_user_show_latency_too() -> None:
    run = records.record("reactive", 50, options={"arrivals": {"kind": "poisson", "rate": 100.0}})
    assert points_of([run])[0][0].shows_latency


def test_only_runs_that_may_be_compared_count() -> None:
    runs = [records.record("reactive", 50, repeat) for repeat in range(4)]
    runs[0]["status"] = "too_short"
    runs[1]["details"]["steady"] = {"kind": "slow-down", "samples": 50}
    runs[2]["details"]["steady"] = {"kind": "slow-down", "samples": 5}  # too few to show that
    point = points_of(runs)[0][0]
    assert sorted(point.ok) == [2, 3]
    assert point.values("throughput_rps").keys() == {2, 3}


def test_failures_are_a_share_of_what_was_scheduled() -> None:
    runs = [records.record("reactive", 50, repeat, noise=0.0) for repeat in range(2)]
    count = runs[0]["ledger"]["scheduled"]
    runs[0]["ledger"] |= {"failed": round(0.03 * count), "ok": count - round(0.03 * count)}
    point = points_of(runs)[0][0]
    assert point.failure_share == pytest.approx(0.015, rel=0.05)
    assert point.fails
    assert not points_of(runs[1:])[0][0].fails


def test_a_cause_is_that_of_most_repeats_and_certain_when_all_agree() -> None:
    def made(*runs: cause_records.Run) -> list[cause_records.Run]:
        return [{**run, "repeat": repeat} for repeat, run in enumerate(runs)]

    clear, unclear, other = (
        cause_records.pool(2, 1.0),
        cause_records.pool(2, 0.3, host=0.97),
        cause_records.pool(10, 50.0),
    )
    found = [points_of(made(*runs))[0][0].cause for runs in ((clear, clear), (clear, unclear), (clear, clear, other))]
    assert [(cause.name, cause.certain) for cause in found if cause] == [
        ("few_connections", True), ("few_connections", False), ("few_connections", False),
    ]  # fmt: skip
    assert points_of([records.failed()])[0][0].cause is None


def test_one_holds_its_connections_and_the_other_does_not() -> None:
    runs = [records.article("thread_pool", "request"), records.article("reactive", "statement")]
    pool, reactive = points_of(runs)[0]
    assert holds_alone(pool, reactive)
    assert not holds_alone(reactive, pool)
    assert not holds_alone(pool, pool)
