"""The verdict comes first, and what could not be judged is said."""

from __future__ import annotations

import run_records as records
from test_explain import Runs, article_sweep, judged, workers_sweep

from parkbench.audit import audit_run
from parkbench.explain import explain_runs
from parkbench.summary import describe


def told(runs: Runs) -> list[str]:
    return describe(runs, explain_runs(runs))


def test_the_verdict_comes_first() -> None:
    runs = [{**run, "audit": audit_run(run)} for run in workers_sweep(5)]
    lines = told(runs)
    assert lines[0].startswith("At 300 users virtual_threads is faster than thread_pool")
    assert "spends 8" in lines[1]
    assert lines[-2] == "Audit: all checks passed on 10 runs."
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
