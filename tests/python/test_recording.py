"""From what a run's process left behind to its record: status, steadiness, noise, cause."""

from __future__ import annotations

import json
from typing import Any

import pytest
import run_records as records

from parkbench import child, models, plan, record, scenario
from parkbench.recording import record_of, steadiness, window_samples


def planned(**given: Any) -> plan.PlannedRun:
    cells = plan.cells("pricing", models.resolve("thread_pool"), [400], scenario.checked(given))
    return plan.block(cells, 3, seed=10)[0]


def report(**more: Any) -> dict[str, Any]:
    """What a run's process reports: a record without what only the sweep knows."""
    made = records.starved("thread_pool", 3, **more)
    known = ("name", "model", "concurrency", "repeat", "transport", "workload", "options", "unequal", "started_at")
    return {key: value for key, value in made.items() if key not in known}


def recorded(run: plan.PlannedRun | None = None, **more: Any) -> dict[str, Any]:
    given = {key: more.pop(key) for key in ("timeline", "noise", "machine") if key in more}
    outcome = more.pop("outcome", None) or child.Outcome(report(**more), None, False)
    return record_of("pricing", run or planned(), outcome, "2024-05-01T12:00:00+00:00", "direct", **given)


def samples(rates: list[float], first: float = 0.1) -> list[dict[str, Any]]:
    return [{"t_s": first + index / 10, "throughput_rps": rate} for index, rate in enumerate(rates)]


def test_a_record_knows_its_load_its_seed_and_how_its_process_was_started() -> None:
    run = planned()
    made = recorded(run)
    assert (made["leg"], made["rate_rps"], made["load_share"]) == ("closed", None, None)
    assert record.run_key(made) == run.key
    assert made["options"]["seed"] == 13
    assert made["details"]["env_padding_bytes"] == run.env_padding_bytes
    json.dumps(made, allow_nan=False)


def test_noise_and_cause_stand_in_the_details() -> None:
    made = recorded(noise={"noisy": True, "steal_share": 0.2})
    assert made["details"]["noise"] == {"noisy": True, "steal_share": 0.2}
    cause = made["details"]["cause"]
    assert set(cause) == {"name", "certain", "text", "evidence"}
    assert isinstance(cause["certain"], bool)
    assert recorded()["details"]["noise"] is None


def test_the_audit_holds_the_run_against_the_machines_clock_and_the_generators_ceiling() -> None:
    machine = {"clock_resolution_ns": 1e6, "generator_ceiling_rps": 1e5, "clock_read_ns": 25.0}
    made = recorded(machine=machine)
    assert made["details"]["clock_resolution_ns"] == 1e6
    assert made["details"]["generator_ceiling_rps"] == 1e5
    shown = {check["name"]: check for check in made["audit"]["checks"]}
    assert shown["clock"]["limit"] == pytest.approx(20.0)  # 20 steps of a millisecond
    assert shown["ceiling"]["limit"] == 2.0


def test_a_run_without_figures_has_a_record() -> None:
    made = recorded(outcome=child.Outcome(None, "run process killed by SIGKILL", False))
    assert made["status"] == "failed: run process killed by SIGKILL"
    assert made["response_mean_ms"] is None
    assert made["details"]["steady"]["samples"] == 0
    assert made["details"]["cause"]["name"]


def test_a_run_that_was_cut_short_is_incomplete() -> None:
    assert recorded(outcome=child.Outcome(report(), None, True))["status"] == "incomplete"


@pytest.mark.parametrize(("late_ms", "status"), [(0.9, "ok"), (1.9, "client_limited")])
def test_a_generator_that_is_late_makes_the_run_client_limited(late_ms: float, status: str) -> None:
    """The limit is the larger of 1 ms and 5 % of the p99, which is 1.7 ms here."""
    late = report() | {"response_p99_ms": 34.0}
    late["details"] = {**late["details"], "lateness_p99_ms": late_ms}
    assert recorded(outcome=child.Outcome(late, None, False))["status"] == status


@pytest.mark.parametrize(("unsent", "status"), [(10, "ok"), (11, "client_limited")])
def test_requests_that_were_never_sent_make_the_run_client_limited(unsent: int, status: str) -> None:
    run = planned(arrivals="poisson:rate=5000")
    dropped = report()
    dropped["ledger"] = {**dropped["ledger"], "scheduled": 10_000, "ok": 10_000 - unsent, "unsent": unsent}
    made = recorded(run, outcome=child.Outcome(dropped, None, False))
    assert made["status"] == status
    assert record.is_comparable(made) is (status == "ok")


def test_only_samples_that_lie_in_the_window_count() -> None:
    rows = [*samples([1.0, 2.0, 3.0, 4.0], first=-0.1), {"t_s": 0.4, "throughput_rps": None}, {"t_s": None}]
    assert window_samples(rows) == [3.0, 4.0]  # at 0 the sample is of the warm-up


def test_a_steady_run_is_steady_and_one_that_collapses_is_not() -> None:
    flat = [1000.0 + (index * 7 % 5) for index in range(60)]
    steady = recorded(timeline=samples(flat))
    assert steady["details"]["steady"]["samples"] == 60
    assert record.is_comparable(steady)
    falling = recorded(timeline=samples([value if index < 30 else value / 4 for index, value in enumerate(flat)]))
    assert falling["details"]["steady"]["kind"] in record.UNSTEADY
    assert falling["status"] == "ok"
    assert falling["response_mean_ms"] is not None  # the figures stay
    assert not record.is_comparable(falling)


def test_a_short_run_is_not_judged_to_be_unsteady() -> None:
    few = [1000.0] * 10 + [250.0] * 10
    assert record.is_comparable(recorded(timeline=samples(few)))


def test_users_who_wait_in_step_are_no_waves() -> None:
    """Answers every 300 ms: three samples together hold each user once."""
    run = {**records.record(), "response_mean_ms": 301.0}
    found = steadiness(run, samples([1500.0, 0.0, 0.0] * 40))
    assert found["sample_s"] == pytest.approx(0.3)
    assert found["samples"] == 40
    assert found["kind"] not in record.UNSTEADY


def test_what_changes_by_design_is_not_judged() -> None:
    rounds = steadiness(records.article("reactive", "request"), samples([0.0, 900.0] * 40))
    assert rounds["kind"] is None
    assert "rounds" in rounds["text"]
    brownout = steadiness(records.record(options={"faults": "brownout:from=1s,until=2s,delay=5s"}), samples([9.0] * 40))
    assert brownout["kind"] is None
