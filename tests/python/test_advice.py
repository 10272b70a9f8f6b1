"""The advice: a verdict where the runs carry one, refused with the remedy where they do not."""

from __future__ import annotations

import json
from typing import Any

import pytest
import run_records as records
from test_explain import judged

from parkbench.advice import Advice, advise_on
from parkbench.audit import audit_run
from parkbench.record import MODELS

Runs = list[dict[str, Any]]


def over_http(runs: Runs) -> Runs:
    found = judged([{**run, "transport": "http"} for run in runs])
    return [{**run, "audit": {"passed": True, "checks": []}} for run in found]


def open_leg(runs: Runs, slow: str | None = None, factor: float = 1.5) -> Runs:
    """The same runs at a rate that all carry; `slow` takes so many times as long there."""
    found = []
    for run in runs:
        times = factor if run["name"] == slow else 1.0
        spent = {phase: value * times for phase, value in run["phases_ms"].items()}
        options = {**run["options"], "arrivals": {"kind": "poisson", "rate": 100.0}}
        found.append(
            {
                **run,
                "leg": "open",
                "rate_rps": 100.0,
                "load_share": 0.8,
                "concurrency": 900,
                "options": options,
                "throughput_rps": 100.0,
                "phases_ms": spent,
                "response_mean_ms": sum(spent.values()),
            }
        )
    return found


def alike(repeats: int = 5) -> Runs:
    return over_http([records.delayed(m, r) for r in range(repeats) for m in MODELS])


def few_workers() -> Runs:
    return over_http([records.few_workers(m, r) for r in range(5) for m in MODELS])


def test_no_difference_takes_the_simplest() -> None:
    found = advise_on(alike())
    assert found.verdict == "thread_pool"
    assert "No measurable difference at 100 users (a difference of " in found.text
    assert "would have been found): take the simplest, thread_pool." in found.text
    assert "What limits all of them is connections" in found.text
    without = advise_on([run for run in alike() if run["model"] != "thread_pool"])
    assert without.verdict == "virtual_threads"


def test_closed_users_judge_no_latency() -> None:
    found = advise_on(alike())
    assert not found.latency_judged
    assert "Latency is not judged" in found.text
    both = advise_on([*alike(), *open_leg(alike())])
    assert both.latency_judged
    assert both.verdict == "thread_pool"
    assert "Latency is not judged" not in both.text


def test_a_pool_short_of_workers_gives_way_to_virtual_threads() -> None:
    found = advise_on(few_workers())
    assert found.verdict == "virtual_threads"
    assert "thread_pool is behind by 7.3" in found.text
    assert "in capacity at 300 users" in found.text
    assert "Look at locks and native code first" in found.text
    assert "Look at locks" not in advise_on(few_workers(), {"locks": "no"}).text


def test_latency_in_the_open_leg_decides_too() -> None:
    found = advise_on([*alike(), *open_leg(alike(), slow="thread_pool")])
    assert found.verdict == "virtual_threads"
    assert "in mean response time at poisson 100/s" in found.text


def ahead() -> Runs:
    """reactive carries more than the two others."""
    runs = alike()
    for run in runs:
        if run["name"] == "reactive":
            run["throughput_rps"] *= 1.3
    return runs


def test_reactive_is_taken_on_conditions() -> None:
    found = advise_on(ahead())
    assert found.verdict == "reactive"
    assert "This holds if the team knows Mono and Flux and every driver is non-blocking" in found.text
    assert "if not, take thread_pool" in found.text
    sure = advise_on(ahead(), ["team=yes", "drivers=yes"])
    assert sure.verdict == "reactive"
    assert "This holds if" not in sure.text
    assert advise_on(ahead(), ["team=no"]).verdict == "thread_pool"
    assert "you say no to team" in advise_on(ahead(), ["team=no"]).text


def test_a_need_for_streams_speaks_for_reactive_where_it_is_not_behind() -> None:
    assert advise_on(alike(), {"streaming": "yes"}).verdict == "reactive"
    assert advise_on(alike(), {"streaming": "yes", "drivers": "no"}).verdict == "thread_pool"
    assert advise_on(alike(), {"framework": "yes", "team": "yes", "drivers": "yes"}).verdict == "reactive"
    behind = [
        run if run["name"] != "reactive" else {**run, "throughput_rps": run["throughput_rps"] / 2} for run in alike()
    ]
    assert advise_on(behind, {"streaming": "yes"}).verdict == "thread_pool"


def test_users_choose_the_load() -> None:
    low = over_http([records.delayed(m, r, 20) for r in range(5) for m in MODELS])
    runs = [*low, *few_workers()]
    assert advise_on(runs).verdict == "virtual_threads"
    assert "at 20 users" in advise_on(runs, {"users": 15}).text
    assert advise_on(runs, {"users": 15}).verdict == "thread_pool"


def refusals(runs: Runs) -> str:
    found = advise_on(runs)
    assert found.verdict is None
    assert found.text.startswith("No verdict: ")
    return "; ".join(found.refused)


def test_what_the_runs_do_not_carry_is_refused_with_the_remedy() -> None:
    assert "run over http (--transport http)" in refusals([{**run, "transport": "direct"} for run in alike()])
    assert "make at least 5" in refusals(alike(4))
    assert "only one model" in refusals([run for run in alike() if run["name"] == "reactive"])
    assert "no run can be compared" in refusals([records.failed()])
    unequal = [{**run, "unequal": ["connections"]} if run["name"] == "reactive" else run for run in alike()]
    assert "unequal by design: reactive has connections=10" in refusals(unequal)
    failing = alike()
    for run in failing:
        if run["name"] == "reactive":
            run["ledger"] = {**run["ledger"], "failed": round(0.1 * run["ledger"]["scheduled"])}
    assert "reactive failed 10 % of its requests" in refusals(failing)


def test_a_failed_audit_is_no_ground() -> None:
    runs = alike()
    runs[3]["details"] = {**runs[3]["details"], "answers_received_counted": 1}
    runs[3]["audit"] = audit_run(runs[3])
    assert not runs[3]["audit"]["passed"]
    assert "the audit's check ledger failed (" in refusals(runs)


def test_the_open_leg_is_audited_too() -> None:
    opened = open_leg(alike())
    opened[0]["audit"] = {"passed": False, "checks": [{"name": "little", "passed": False, "text": "apart"}]}
    assert "the audit's check little failed (thread_pool at poisson 100/s" in refusals([*alike(), *opened])


def test_what_carries_over_is_said_with_every_verdict() -> None:
    assert "garbage collection and framework are not in this" in advise_on(few_workers()).text


def test_a_refusal_still_has_the_check_list() -> None:
    found = advise_on([{**run, "transport": "direct"} for run in alike()])
    assert any(line.source == "measured" for line in found.lines)


@pytest.fixture
def advice() -> Advice:
    return advise_on(few_workers(), {"team": "no"})


def test_it_reads_as_text_html_and_json(advice: Advice) -> None:
    text = str(advice).splitlines()
    assert text[:2] == ["Advice: virtual_threads", advice.text]
    assert any(line.startswith("  measured: ") and "[thread_pool at 300 users, repeat " in line for line in text)
    assert any(line.startswith("  to answer: ") for line in text)
    assert any(line.startswith("  you say: Does the team") for line in text)
    assert "<li>" in advice._repr_html_()
    assert "&lt;script" in Advice(None, "<script>", (), (), False)._repr_html_()
    found = json.loads(json.dumps(advice.to_json(), allow_nan=False))
    assert found["schema"] == 1
    assert found["verdict"] == "virtual_threads"
    assert "team" not in found["open_questions"]
    assert "drivers" in found["open_questions"]
    assert {line["source"] for line in found["lines"]} == {"measured", "told", "open"}
