"""The verdict comes first, and what could not be judged is said."""

from __future__ import annotations

import run_records as records
from test_explain import Runs, article_sweep, judged, workers_sweep

from parkbench.audit import audit_run
from parkbench.explain import explain_runs
from parkbench.summary import describe

WHOLE_SWEEP = {
    "machine_costs": {
        "clock_read_ns": 20.0,
        "clock_resolution_ns": 1.0,
        "wake_up_us": {"same_core": 2.0, "other_core": 20.0},
    },
    "design": {"stopping": {"stopped_early": True, "rule": "5 repeats, fixed before the first run", "legs": {}}},
}


def told(runs: Runs) -> list[str]:
    return describe(runs, explain_runs(runs))


def test_the_verdict_comes_first() -> None:
    runs = [{**run, "audit": audit_run(run)} for run in workers_sweep(5)]
    lines = told(runs)
    assert lines[0].startswith("At 300 users virtual_threads is faster than thread_pool")
    assert "spends 8" in lines[1]
    assert "Audit: all checks passed on 10 runs." in lines
    assert lines[-1].startswith("Measured in one process (direct)")


def test_unequal_options_are_said_once_and_before_all() -> None:
    lines = told(article_sweep())
    assert lines[0].startswith("unequal by design: thread_pool has connection_hold=request")
    assert sum("unequal by design" in line for line in lines) == 1
    assert "not the model" in lines[1]


def test_other_loads_get_one_sentence() -> None:
    names = ("thread_pool", "virtual_threads", "reactive")
    lines = told(judged([records.starved(m, r, c) for c in (50, 200, 400) for r in range(5) for m in names]))
    assert sum(line.startswith("At 400 users") for line in lines) == 6
    assert sum(line.startswith("At 200 users") for line in lines) == 1
    assert sum(line.startswith("At 50 users") for line in lines) == 1


def test_failing_checks_are_counted_with_an_example() -> None:
    runs = workers_sweep(5)
    for run in runs[:2]:
        run["details"]["answers_received_counted"] -= 1
    lines = told([{**run, "audit": audit_run(run)} for run in runs])
    assert "Audit: ledger failed on 2 runs; thread_pool at 300 users, repeat 0: " in "\n".join(lines)


def test_nothing_to_compare() -> None:
    assert told([]) == ["No run has ended yet."]
    assert told([records.failed()])[0] == "No run can be compared: failed: killed by signal 9."


def test_what_carries_over_depends_on_the_transport() -> None:
    runs = [{**records.over_http(repeat=repeat), "bottleneck": "downstream"} for repeat in range(2)]
    text = told(runs)[-1]
    assert text.startswith("Measured over http on one machine: bottleneck, queueing")
    assert "one process" not in text


def test_closed_response_times_are_said_to_follow_from_capacity() -> None:
    lines = told(workers_sweep(5))
    assert sum("Little's law" in line and '"both"' in line for line in lines) == 1
    assert not any("Little's law" in line for line in told(article_sweep()))  # rounds


def with_open_leg() -> Runs:
    runs = workers_sweep(5)
    for run in workers_sweep(5):
        share = {"leg": "open", "rate_rps": 300.0, "load_share": 0.8, "concurrency": 500}
        options = {**run["options"], "arrivals": {"kind": "poisson", "rate": 300.0}}
        run["phases_ms"] = {**run["phases_ms"], "queue": run["phases_ms"]["queue"] / 100}
        runs.append({**run, **share, "options": options, "response_mean_ms": sum(run["phases_ms"].values())})
    return runs


def test_words_about_latency_come_from_the_open_leg() -> None:
    lines = told(with_open_leg())
    assert lines[0].startswith(
        "At poisson 300/s (80 % of the lowest capacity) virtual_threads is faster than thread_pool"
    )
    assert sum("faster" in line or "slower" in line for line in lines) == 1
    assert any(
        line.startswith("Capacity (closed leg): thread_pool 39") and "virtual_threads carries 7." in line
        for line in lines
    )
    assert any("with closed users that follows from capacity" in line for line in lines)
    assert not any("Little's law" in line for line in lines)


def test_the_contrast_of_the_first_article_is_said_in_one_sentence() -> None:
    found = [line for line in told(article_sweep()) if "7,724 against 321 ms" in line]
    assert len(found) == 1
    assert "thread_pool holds one of 10 connections" in found[0]
    assert found[0].endswith("not the model.")
    assert "reactive does not" in found[0]
    assert not any("7,724" in line for line in told(workers_sweep(5)))


def test_noise_and_runs_without_a_steady_state_are_counted() -> None:
    runs = workers_sweep(5)
    runs[0]["details"]["noise"] = {"noisy": True, "text": "noisy: steal 3.0% (limit 1%)"}
    runs[1]["details"]["steady"] = {"kind": "unstable", "samples": 60}
    text = "\n".join(told(runs))
    assert "1 run of 10 was noisy; thread_pool at 300 users, repeat 0: noisy: steal 3.0% (limit 1%)." in text
    assert "1 run of 10 had no steady state (unstable) and have no mean" in text


def test_costs_of_the_machine_and_an_early_stop_are_said() -> None:
    runs = workers_sweep(5)
    lines = describe(runs, explain_runs(runs), WHOLE_SWEEP)
    assert any(line.startswith("On this machine reading the clock takes 20.0 ns") for line in lines)
    assert any(line.startswith("Stopped early") for line in lines)
    assert not any("On this machine" in line for line in told(runs))


def test_names_that_failed_are_not_compared() -> None:
    runs = workers_sweep(5)
    for run in runs:
        if run["name"] == "virtual_threads":
            bad = round(0.5 * run["ledger"]["scheduled"])
            run["ledger"] |= {"rejected": bad, "ok": run["ledger"]["scheduled"] - bad}
    lines = told(runs)
    assert lines[0].startswith(
        "At 300 users thread_pool and virtual_threads are not compared: virtual_threads failed 50 %"
    )
    assert not any("faster" in line for line in lines)
