"""Each check must pass on a sound run and fail on the fault it is there for."""

from __future__ import annotations

from typing import Any

import pytest
import run_records as records
from hypothesis import given, settings
from hypothesis import strategies as st

from parkbench import audit as audits
from parkbench.audit import Check, audit_run


def check(run: dict[str, Any], name: str) -> Check:
    return next(c for c in audit_run(run)["checks"] if c["name"] == name)


@pytest.mark.parametrize("run", [records.starved("thread_pool"), records.few_workers("reactive"),
                                 records.article("virtual_threads", "request")])  # fmt: skip
def test_a_sound_run_passes_every_check(run: dict[str, Any]) -> None:
    audit = audit_run(run)
    assert [c["name"] for c in audit["checks"] if not c["passed"]] == []
    assert audit["passed"]
    assert [c["name"] for c in audit["checks"]] == [
        "ledger", "phases", "little", "users_bound", "connections_bound", "cpu_bound", "waits", "answers", "database",
        "database_rows", "lateness", "generator", "ceiling", "samples", "failures", "timeouts", "histogram", "clock",
        "noise"]  # fmt: skip
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
    for unexplained, passed in ((0.0019, True), (0.0022, False)):  # two microseconds of a short response may be
        short = records.record(phases={"queue": 0.1 - unexplained, "unexplained": unexplained}, noise=0.0)
        assert check(short, "phases")["passed"] is passed


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
    run = records.record(options={"think_s": 0.5}, duration_s=20.0)
    assert check(run, "little")["passed"]
    assert not check({**run, "throughput_rps": run["throughput_rps"] * 0.9}, "little")["passed"]
    text = {**run, "options": {"arrivals": "closed:think=500ms"}}
    assert check(text, "little")["passed"]
    mapping = {**run, "options": {"arrivals": {"kind": "closed", "think_s": 0.5}}}
    assert check(mapping, "little")["passed"]
    assert not check({**run, "options": {"arrivals": "closed"}}, "little")["passed"]


def test_the_edges_of_a_short_window_are_not_held_against_a_run() -> None:
    """Users in step: of a 300 ms wait a window of 0.5 s holds one due time of each user, or two."""
    run = records.record(phases={"app_wait": 300.0}, concurrency=20, duration_s=0.5, noise=0.0, response_max_ms=301.0)
    for dues in (1, 2):
        assert check(run | {"throughput_rps": dues * 20 / 0.5}, "little")["passed"]
    assert "the edges of so short a window allow 50.0%" in check(run, "little")["text"]
    assert not check(run | {"throughput_rps": 3 * 20 / 0.5}, "little")["passed"]
    noisy = run | {"duration_s": 2.0, "details": {**run["details"], "noise": {"noisy": True}}}
    quiet = run | {"duration_s": 2.0, "details": {**run["details"], "noise": {"noisy": False}}}
    limits = [check(one, "little")["limit"] or 0.0 for one in (quiet, noisy)]
    assert limits[1] == pytest.approx(2 * limits[0])
    long = run | {"duration_s": 20.0, "throughput_rps": 1.06 * 20 / 0.3}
    assert check(long, "little")["limit"] == 0.05
    assert not check(long, "little")["passed"]


def test_users_that_end_after_so_many_requests_are_counted_by_the_clock() -> None:
    run = records.record(options={"requests_per_user": 20}, duration_s=20.0)
    run["details"]["in_flight_mean"] *= 0.9
    run["throughput_rps"] *= 0.9  # the last of the window had fewer users than there were
    assert check(run, "little")["passed"]
    assert "as users end after their requests" in check(run, "little")["text"]
    assert not check({**run, "options": {**run["options"], "requests_per_user": None}}, "little")["passed"]


def test_littles_law_for_rounds_uses_what_was_in_flight() -> None:
    run = records.article("reactive", "request")
    assert check(run, "little")["passed"]
    run["details"]["in_flight_mean"] *= 0.8
    run["from_send_mean_ms"] *= 0.8  # sent late: the clock counts from the sending
    assert check(run, "little")["passed"]
    run["details"]["in_flight_mean"] = 300.0  # what the closed formula would take
    assert not check(run, "little")["passed"]
    run["details"]["in_flight_mean"] = None
    assert "not checked" in check(run, "little")["text"]


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


def test_a_wrong_answer_is_an_error_and_no_success() -> None:
    run = records.starved("reactive")
    assert "is the price that the database calculates" in check(run, "answers")["text"]
    run["ledger"]["ok"] -= 1
    run["ledger"]["failed"] += 1
    run["failures"] = {"wrong_answer": 1}
    assert (check(run, "answers")["passed"], check(run, "answers")["value"]) == (False, 1)


def test_answers_that_were_not_compared_are_told() -> None:
    run = records.starved("reactive")
    run["details"]["answers_checked"] = run["ledger"]["ok"]
    assert check(run, "answers")["passed"]
    run["details"]["answers_checked"] -= 5
    assert check(run, "answers")["value"] == 5
    assert "says nothing to compare" in check(records.over_http(), "answers")["text"]


def test_one_query_too_many_or_too_few_is_seen_where_all_requests_ended_well() -> None:
    run = records.starved("reactive")
    for off in (-1, 1):
        run["details"]["database_queries"] = run["details"]["database_queries_expected"] + off
        assert not check(run, "database")["passed"]
    # A statement that was given up may have been carried out all the same.
    run["details"]["database_queries"] = run["details"]["database_queries_expected"] + 1
    run["ledger"]["timed_out"] += 1
    run["ledger"]["ok"] -= 1
    assert check(run, "database")["passed"]


def test_a_hidden_cache_that_lies_about_its_reads_is_caught() -> None:
    run = records.starved("reactive")
    run["details"]["database_queries"] = run["details"]["database_queries_expected"] = run["ledger"]["ok"]
    found = check(run, "database")
    assert not found["passed"]
    assert "some came from elsewhere" in found["text"]
    assert check({**run, "workload": "mixed"}, "database")["passed"]


def test_rows_within_one_percent() -> None:
    run = records.starved("reactive")
    assert "not checked" in check(run, "database_rows")["text"]
    for off, passed in ((0.009, True), (0.011, False)):
        run["details"] |= {"database_rows_expected": 10_000, "database_rows": round(10_000 * (1 - off))}
        assert check(run, "database_rows")["passed"] is passed


def test_more_than_one_percent_of_errors_makes_a_comparison_invalid() -> None:
    run = records.starved("reactive")
    scheduled = run["ledger"]["scheduled"]
    for bad, many in ((scheduled // 100, False), (scheduled // 100 + 1, True)):
        run["ledger"]["rejected"], run["ledger"]["ok"] = bad, scheduled - bad
        assert audits.too_many_errors(run) is many
    assert "too many for a comparison" in check(run, "failures")["text"]
    run["ledger"] |= {"rejected": 0, "unsent": scheduled - run["ledger"]["ok"]}
    assert not audits.too_many_errors(run)  # what was not sent is no error of the model
    assert not audits.too_many_errors(records.failed())


def test_failures_and_successes_have_times_of_their_own() -> None:
    run = records.record(details={"failed_response": {"count": 3, "mean_ms": 0.1}})
    assert "mean 0.100 ms, those that ended well" in check(run, "failures")["text"]


def test_a_quantile_among_timed_out_requests_is_not_the_one_shown() -> None:
    run = records.starved("reactive")
    scheduled = run["ledger"]["scheduled"]
    run["ledger"]["timed_out"] = scheduled * 3 // 100
    run["ledger"]["ok"] = scheduled - run["ledger"]["timed_out"]
    found = check(run, "timeouts")
    assert not found["passed"]
    assert "response_p99_ms is >= 30,000" in found["text"]
    assert "response_p90_ms" not in found["text"]
    run["ledger"]["timed_out"] = scheduled // 200
    run["ledger"]["ok"] = scheduled - run["ledger"]["timed_out"]
    assert check(run, "timeouts")["passed"]
    assert "timed out (0.5" in check(run, "timeouts")["text"]


def test_times_out_of_range_and_times_that_are_missing() -> None:
    run = records.starved("reactive")
    assert "known to 0.1%, 0 out of range" in check(run, "histogram")["text"]
    histogram = run["details"]["histogram"]
    histogram["overflow"] = 1
    histogram["counts"][0][1] -= 1
    assert (check(run, "histogram")["passed"], check(run, "histogram")["value"]) == (False, 1)
    histogram["overflow"] = 0
    assert "1 of" in check(run, "histogram")["text"]
    run["details"]["histogram"] = None
    assert "was not kept" in check(run, "histogram")["text"]


def test_times_too_short_for_the_clock_and_a_clock_that_runs_backwards() -> None:
    run = records.record(phases={"cpu": 0.1})
    assert "not recorded" in check(run, "clock")["text"]
    run["details"]["clock_resolution_ns"] = 1.0
    assert check(run, "clock")["passed"]
    run["details"]["clock_resolution_ns"] = 1e4  # 20 times that are 0.2 ms
    assert not check(run, "clock")["passed"]
    run["details"] |= {"clock_resolution_ns": 1.0, "clock_errors": 2}
    assert "ran backwards" in check(run, "clock")["text"]
    assert not check(run, "clock")["passed"]


def test_noise_is_a_flag_and_never_fails_a_run() -> None:
    noise = {"noisy": True, "steal_share": 0.3, "text": "noisy: steal 30%"}
    run = records.record(details={"noise": noise})
    assert check(run, "noise")["passed"]
    assert check(run, "noise")["text"] == "noisy: steal 30%"
    assert audit_run(run)["passed"]
    run["details"]["noise"] = None
    assert "was not watched" in check(run, "noise")["text"]


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
