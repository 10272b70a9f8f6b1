"""Each cause is named from measurements, with certainty only where they leave no other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cause_records
import pytest
import run_records as records
from hypothesis import given
from hypothesis import strategies as st

from parkbench.diagnosis import CAUSES, find_cause

Make = Callable[[], dict[str, Any]]


@pytest.mark.parametrize(("name", "make"), cause_records.CERTAIN.values(), ids=list(cause_records.CERTAIN))
def test_certain(name: str, make: Make) -> None:
    found = find_cause(make())
    assert (found.name, found.certain) == (name, True), found.text


@pytest.mark.parametrize(("name", "make"), cause_records.GUESSED.values(), ids=list(cause_records.GUESSED))
def test_guessed(name: str, make: Make) -> None:
    found = find_cause(make())
    assert (found.name, found.certain) == (name, False), found.text


@pytest.mark.parametrize("what", [*cause_records.CERTAIN, *cause_records.GUESSED])
def test_the_options_that_plant_a_cause_are_not_looked_at(what: str) -> None:
    run = (cause_records.CERTAIN | cause_records.GUESSED)[what][1]()
    shown, hidden = find_cause(run), find_cause(cause_records.blanked(run))
    assert (shown.name, shown.certain, dict(shown.evidence)) == (hidden.name, hidden.certain, dict(hidden.evidence))


def test_every_cause_but_none_is_named_with_its_figures() -> None:
    found = [find_cause(make()) for _, make in cause_records.CERTAIN.values()]
    assert {cause.name for cause in found} == set(CAUSES)
    assert all(cause.evidence for cause in found)
    assert all(set(cause.as_dict()) == {"name", "certain", "text", "evidence"} for cause in found)


def test_the_lease_tells_a_held_connection_from_a_slow_query() -> None:
    assert "held while the application waits" in find_cause(cause_records.pool(10, 0.5, app_wait=300.0)).text
    assert find_cause(cause_records.pool(10, 150.25)).name == "slow_query"


def test_sizes_are_measured_where_the_options_say_something_else() -> None:
    run = cause_records.pool(30, 3.0)
    run["options"]["connections"] = 10
    assert find_cause(run).evidence["connections"] == 30
    assert find_cause(run).name == "few_connections"
    run = cause_records.waiting_workers(20, 50.0)
    run["options"]["workers"] = 200
    assert find_cause(run).evidence["workers"] == 20
    assert find_cause(run).name == "few_workers"


def test_what_pins_is_named() -> None:
    run = cause_records.held_thread("virtual_threads", 0.9, pinned_by="the filter's lock")
    assert find_cause(run).text.endswith("carriers are pinned on average, by the filter's lock")
    run = cause_records.held_thread("reactive", 0.9, loop_stalled_by={"file": 20, "lock": 900})
    assert "loops are held by something that blocks, by lock" in find_cause(run).text


def test_a_stall_that_the_loops_time_themselves_counts() -> None:
    run = cause_records.held_thread("reactive", 0.1, loop_stalled_ms=3200.0, loop_stalled_by="plant")
    found = find_cause(run)
    assert found.name == "stalled_loop"
    assert found.evidence["stalled_share"] == pytest.approx(0.8)
    assert "by plant" in found.text


def test_over_http_the_server_says_what_a_status_means() -> None:
    for cause, name in (("bulkhead_full", "bulkhead"), ("rejected", "admission_limit"), ("out_of_memory", "memory")):
        found = find_cause(cause_records.refused("reactive", "rejected", details={"server_failures": {cause: 999}}))
        assert (found.name, found.certain) == (name, True)
    run = cause_records.refused("reactive", "status_5xx", details={"server_failures": {"downstream_failed": 7}})
    assert find_cause(run).name == "failing_downstream"
    assert find_cause(cause_records.refused("reactive", "status_5xx")).name == "slow_downstream"  # nothing says why


def test_two_clear_causes_leave_no_certainty() -> None:
    run = cause_records.held_thread("virtual_threads", 0.95)
    assert find_cause(run).certain
    run["details"] |= {"major_faults": 5000, "noise": {"memory_pressure_share": 0.4}}
    found = find_cause(run)
    assert (found.name, found.certain) == ("pinned_carriers", False)
    assert "it may as well be memory" in found.text


def test_a_hog_does_not_hide_what_no_cpu_would_shorten() -> None:
    run = cause_records.pool(10, 0.5, app_wait=300.0)
    run["details"] |= {"host_cpu_share": 1.0, "noise": {"foreign_cpu_share": 0.9}}
    assert find_cause(run).name == "held_connections"


def test_a_generator_whose_core_is_used_up_is_not_excused_by_others() -> None:
    run = cause_records.gateway(status="client_limited", details={"generator_cpu_share": 0.95, "host_cpu_share": 1.0})
    run["details"]["noise"] = {"foreign_cpu_share": 0.5}
    assert (find_cause(run).name, find_cause(run).certain) == ("generator", False)
    run["details"]["generator_cpu_share"] = 0.3
    run["phases_ms"] |= {"network": 80.0}
    assert find_cause({**run, "response_mean_ms": 130.35}).name == "noisy_neighbour"


def test_a_generator_that_is_late_for_want_of_a_cpu_is_no_cause() -> None:
    run = {**cause_records.computing(0.9, 0.99), "status": "client_limited"}
    assert (find_cause(run).name, find_cause(run).certain) == ("cpu", True)


def test_a_generator_that_was_late_now_and_then_holds_nothing_back() -> None:
    run = {**cause_records.at_ease(), "status": "client_limited"}
    run["details"] |= {"generator_cpu_share": 0.06, "lateness_p99_ms": 1.5}
    run["phases_ms"] |= {"lateness": 0.06}
    run["response_mean_ms"] = sum(run["phases_ms"].values())
    assert find_cause(run).name == "none"


def test_a_wake_up_that_this_machine_always_costs_is_no_delay() -> None:
    run = cause_records.at_ease(wakeup=0.15)
    assert not find_cause(run).certain
    assert find_cause(run, {"wake_up_us": {"other_core": 50.0}}).certain


def test_others_are_certain_only_where_the_run_felt_them() -> None:
    run = cause_records.computing(0.3, 1.0, foreign_cpu_share=0.65)
    for share, certain in ((0.3, True), (0.01, False)):
        run["details"]["run_queue_delay_s"] = share * run["response_mean_ms"] * run["ledger"]["ok"] / 1000
        found = find_cause(run)
        assert (found.name, found.certain) == ("noisy_neighbour", certain)
    assert "ms for a CPU for each request" in found.text


def test_a_quota_counts_as_the_cpu() -> None:
    run = cause_records.at_ease()
    run["details"]["noise"] = {"throttled_s": 1.0, "watched_s": 2.0}
    assert find_cause(run).name == "cpu"
    assert "quota held the run back for 50 % of the time" in find_cause(run).text


@pytest.mark.parametrize(
    ("status", "name"),
    [("failed: killed by signal 9", "memory"), ("failed: out of memory", "memory"), ("failed: no server", "none")],
)
def test_a_run_without_figures(status: str, name: str) -> None:
    found = find_cause({**records.failed(), "status": status})
    assert found.name == name
    assert found.certain == ("out of memory" in status)


VALUES = st.one_of(st.none(), st.floats(0, 1e4), st.text(max_size=3), st.booleans())


@given(
    phases=st.dictionaries(
        st.sampled_from(("queue", "connection", "database", "downstream", "app_wait", "cpu", "wakeup")),
        st.floats(0, 1e4),
        min_size=1,
    ),
    details=st.dictionaries(
        st.sampled_from(
            (
                "connections_in_use_mean",
                "connections_waiting_mean",
                "lock_waiting_mean",
                "host_cpu_share",
                "process_cpu_share",
                "loop_lag_mean_ms",
                "pinned_by",
                "noise",
                "accept_overflows",
                "queue_depth_mean",
                "cpus",
            )
        ),
        VALUES,
    ),
    model=st.sampled_from(("thread_pool", "virtual_threads", "reactive")),
    drop=st.sets(st.sampled_from(("options", "failures", "ledger", "cpu", "workload", "details", "throughput_rps"))),
)
def test_any_record_gets_a_cause_of_the_list(
    phases: dict[str, float], details: dict[str, Any], model: str, drop: set[str]
) -> None:
    run = records.record(model, 50, phases={**phases, "reply": 0.1}, details={})
    run["details"] |= details
    for key in drop:
        run[key] = None
    found = find_cause(run)
    assert found.name in CAUSES
    assert found.text
