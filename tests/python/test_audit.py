"""Each check must pass on a sound run and fail on the fault it is there for."""

from __future__ import annotations

from typing import Any

import pytest
import run_records as records
from hypothesis import given, settings
from hypothesis import strategies as st

from parkbench.audit import Check, audit_run, audit_table


def check(run: dict[str, Any], name: str) -> Check:
    return next(c for c in audit_run(run)["checks"] if c["name"] == name)


@pytest.mark.parametrize("run", [records.starved("thread_pool"), records.few_workers("reactive"),
                                 records.article("virtual_threads", "request")])  # fmt: skip
def test_a_sound_run_passes_every_check(run: dict[str, Any]) -> None:
    audit = audit_run(run)
    assert [c["name"] for c in audit["checks"] if not c["passed"]] == []
    assert audit["passed"]
    assert [c["name"] for c in audit["checks"]] == [
        "ledger", "phases", "little", "lateness", "generator", "database", "samples", "failures"]  # fmt: skip
    assert all(set(c) == {"name", "passed", "value", "limit", "text"} for c in audit["checks"])


def test_one_dropped_completion_fails_the_ledger() -> None:
    run = records.starved("reactive")
    run["details"]["answers_received_counted"] -= 1
    run["ledger"]["ok"] -= 1
    run["ledger"]["timed_out"] += 1  # the generator's own sum still holds
    found = check(run, "ledger")
    assert (found["passed"], found["value"]) == (False, 1)
    assert not audit_run(run)["passed"]


def test_a_request_the_model_swallowed_fails_the_ledger() -> None:
    run = records.starved("reactive")
    for key in ("answers_received_counted", "answers_model_counted"):
        run["details"][key] -= 3
    run["ledger"]["ok"] -= 3
    run["ledger"]["timed_out"] += 3
    assert check(run, "ledger")["value"] == 3
    run["details"]["abandoned_in_model"] = 3  # known as given up and never answered
    assert check(run, "ledger")["passed"]


def test_late_answers_are_part_of_the_balance() -> None:
    run = records.starved("reactive")
    run["details"]["late_answers"] = 5  # they were received, after their requests had been given up
    run["ledger"]["ok"] -= 5
    run["ledger"]["timed_out"] += 5
    assert check(run, "ledger")["passed"]
    assert "(5 of them late)" in check(run, "ledger")["text"]


def test_requests_of_the_warm_up_that_were_given_up_are_no_fault() -> None:
    run = records.starved("reactive")
    run["details"]["abandoned_in_model"] = 2
    assert check(run, "ledger")["passed"]


def test_what_was_in_flight_at_the_end_is_accounted_for() -> None:
    run = records.starved("reactive")
    run["ledger"]["ok"] -= 2
    run["ledger"]["in_flight_at_end"] += 2
    for key in ("answers_received_counted", "answers_model_counted"):
        run["details"][key] -= 2
    assert check(run, "ledger")["passed"]


@settings(deadline=None)
@given(st.integers(1, 10_000), st.sampled_from(["unsent", "ok", "rejected", "failed", "timed_out", "in_flight_at_end"]))
def test_any_wrong_entry_fails_the_ledger(off: int, key: str) -> None:
    run = records.starved("reactive")
    run["ledger"][key] += off
    assert not check(run, "ledger")["passed"]


def test_a_ledger_without_an_entry_fails() -> None:
    run = records.starved("reactive")
    del run["ledger"]["unsent"]
    assert "lacks unsent" in check(run, "ledger")["text"]


def test_planted_time_between_two_phases() -> None:
    run = records.record(phases={"connection": 20.0, "database": 1.0, "unexplained": 2.0})
    found = check(run, "phases")
    assert found["passed"] is False
    assert found["value"] == pytest.approx(2 / 23)
    assert check(records.record(phases={"database": 20.0, "unexplained": -2.0}), "phases")["passed"] is False
    assert check(records.record(phases={"database": 199.0, "unexplained": 1.9}), "phases")["passed"]
    assert check(records.record(phases={"cpu": 1.0, "unexplained": 1.0}, workload="noop"), "phases")["passed"]


def test_answers_that_cannot_tell_their_phases_are_no_fault() -> None:
    run = records.record(phases={"client_wait": 1.0, "unexplained": 99.0}, details={"phases_of": 0})
    found = check(run, "phases")
    assert found["passed"]
    assert found["text"].startswith("not checked")


def test_phases_must_be_twelve_and_add_up() -> None:
    run = records.starved("reactive")
    run["phases_ms"]["database"] += 1.0
    assert "add up to" in check(run, "phases")["text"]
    assert not check(run, "phases")["passed"]
    del run["phases_ms"]["reply"]
    assert "lacks reply" in check(run, "phases")["text"]


def test_littles_law_for_a_closed_system_with_think_time() -> None:
    run = records.record(options={"think_s": 0.5})
    assert check(run, "little")["passed"]
    assert not check({**run, "throughput_rps": run["throughput_rps"] * 0.9}, "little")["passed"]
    text = {**run, "options": {"arrivals": "closed:think=500ms"}}
    assert check(text, "little")["passed"]
    mapping = {**run, "options": {"arrivals": {"kind": "closed", "think_s": 0.5}}}
    assert check(mapping, "little")["passed"]
    assert not check({**run, "options": {"arrivals": "closed"}}, "little")["passed"]


def test_littles_law_for_rounds_uses_what_was_in_flight() -> None:
    run = records.article("reactive", "request")
    assert check(run, "little")["passed"]
    run["details"]["in_flight_mean"] = 300.0  # what the closed formula would take
    assert not check(run, "little")["passed"]
    run["details"]["in_flight_mean"] = None
    assert "not checked" in check(run, "little")["text"]


def test_lateness_is_measured_against_the_tail() -> None:
    run = records.starved("reactive")
    run["details"]["lateness_p99_ms"] = 1.5
    limit = 0.05 * run["response_p99_ms"]
    assert check(run, "lateness")["limit"] == pytest.approx(limit)
    assert check(run, "lateness")["passed"] is (limit >= 1.5)
    assert not check({**run, "response_p99_ms": None}, "lateness")["passed"]


def test_a_busy_generator_fails_except_for_noop_on_direct() -> None:
    run = records.record(details={"generator_cpu_share": 0.85})
    assert not check(run, "generator")["passed"]
    noop = check({**run, "workload": "noop"}, "generator")
    assert noop["passed"]
    assert "no limit for noop on direct" in noop["text"]
    assert not check({**run, "workload": "noop", "transport": "http"}, "generator")["passed"]


def test_the_server_counts_as_many_queries_as_were_asked() -> None:
    run = records.starved("reactive")
    run["details"]["database_queries"] = run["details"]["database_queries_expected"] // 2  # a hidden cache
    assert not check(run, "database")["passed"]
    run["details"]["database_queries"] = None
    assert check(run, "database") == {
        "name": "database", "passed": True, "value": None, "limit": None,
        "text": "not checked: the server's counters were not available"}  # fmt: skip
    run["details"]["database_queries_expected"] = None
    assert "asks no database" in check(run, "database")["text"]


def test_a_quantile_with_too_few_samples_is_an_error() -> None:
    run = records.starved("reactive")
    run["details"]["requests_timed"] = 999
    assert "too few for response_p99_ms, from_send_p99_ms" in check(run, "samples")["text"]
    run["response_p99_ms"] = run["from_send_p99_ms"] = None
    assert check(run, "samples")["passed"]
    assert "response_p99_ms (needs 1,000)" in check(run, "samples")["text"]


def test_more_than_one_percent_of_failures() -> None:
    run = records.starved("reactive")
    bad = run["ledger"]["scheduled"] // 50
    run["ledger"]["failed"], run["ledger"]["ok"] = bad, run["ledger"]["ok"] - bad
    run["failures"] = {"db_error": bad}
    assert not check(run, "failures")["passed"]
    assert f"db_error {bad:,}" in check(run, "failures")["text"]


def test_a_failed_run_fails_and_says_why() -> None:
    audit = audit_run(records.failed(why="killed by signal 9"))
    assert not audit["passed"]
    assert audit["checks"][0]["text"] == "no figures: failed: killed by signal 9"


def test_the_gateway_article_cannot_have_had_three_thousand_users_busy() -> None:
    audit = audit_table([3000, 3000], [22_100, 19_500], [54, 61])
    assert [c["passed"] for c in audit["checks"]] == [False, False]
    assert "keeps 1,193 users busy of 3,000" in audit["checks"][0]["text"]
    assert "the mean would have to be 135.7 ms" in audit["checks"][0]["text"]
    assert audit_table(500, 1667, 300)["passed"]
    with pytest.raises(ValueError, match="zip"):
        audit_table([1, 2], [1], [1])


@settings(deadline=None)
@given(st.integers(1, 100_000), st.floats(0.01, 60_000), st.floats(0, 10))
def test_a_true_closed_system_always_passes(users: int, mean_ms: float, think: float) -> None:
    assert audit_table(users, users / (mean_ms / 1000 + think), mean_ms, think)["passed"]


def test_over_http_the_server_gives_the_second_account() -> None:
    run = records.over_http()
    check = next(one for one in audit_run(run)["checks"] if one["name"] == "ledger")
    assert check["passed"]
    assert "answers given by the server" in check["text"]
    run["details"]["answers_model_counted"] -= 1
    assert not next(one for one in audit_run(run)["checks"] if one["name"] == "ledger")["passed"]


def test_little_is_not_asked_where_the_system_changes_or_the_mean_leaves_requests_out() -> None:
    run = records.over_http(options={"faults": "brownout"})
    check = next(one for one in audit_run(run)["checks"] if one["name"] == "little")
    assert check["value"] is None
    assert "brownout changes the system" in check["text"]
    run = records.over_http()
    run["ledger"]["rejected"] = run["ledger"]["scheduled"]
    run["ledger"]["scheduled"] *= 2
    check = next(one for one in audit_run(run)["checks"] if one["name"] == "little")
    assert check["value"] is None
    assert "did not end well" in check["text"]
