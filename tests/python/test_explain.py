"""What is said about a sweep, and what is not said for want of data."""

from __future__ import annotations

from typing import Any

import cause_records
import pytest
import run_records as records

from parkbench.bottleneck import find_bottleneck
from parkbench.explain import explain_runs

Runs = list[dict[str, Any]]


def judged(runs: Runs) -> Runs:
    return [{**run, "bottleneck": find_bottleneck(run).name} for run in runs]


def model(entries: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(e for e in entries if e["kind"] == "model" and e["name"] == name)


def pair(entries: list[dict[str, Any]], a: str, b: str, metric: str = "mean") -> dict[str, Any]:
    return next(e for e in entries if e["kind"] == "pair" and (e["a"], e["b"], e["metric"]) == (a, b, metric))


def workers_sweep(repeats: int) -> Runs:
    return judged([records.few_workers(m, r) for r in range(repeats) for m in ("thread_pool", "virtual_threads")])


def article_sweep(repeats: int = 5) -> Runs:
    hold = ("connection_hold",)
    return judged(
        [records.article("thread_pool", "request", r, unequal=hold) for r in range(repeats)]
        + [records.article("reactive", "statement", r, unequal=hold) for r in range(repeats)]
    )


def test_keys_are_exactly_the_promised_ones() -> None:
    entries = explain_runs(workers_sweep(5))
    assert [e["kind"] for e in entries] == ["model", "model", "pair", "pair"]
    load = {"kind", "concurrency", "leg", "rate_rps", "text"}
    model_keys = {"name", "model", "largest_phase", "share", "bottleneck", "cause", "certain", "evidence", "resources",
                  "prediction"}  # fmt: skip
    pair_keys = {"a", "b", "metric", "ratio", "low", "high", "phase", "p", "p_holm", "detectable", "verdict",
                 "difference_ms"}  # fmt: skip
    assert set(entries[0]) == load | model_keys
    assert set(entries[2]) == load | pair_keys
    nothing = explain_runs([records.failed(), *workers_sweep(5)[1::2]])
    assert all(set(entry) == load | (model_keys if entry["kind"] == "model" else pair_keys) for entry in nothing)


def test_a_model_entry_says_where_the_time_goes() -> None:
    entries = explain_runs(judged([records.article("thread_pool", "request", r) for r in range(3)]))
    found = model(entries, "thread_pool")
    assert (found["largest_phase"], found["bottleneck"]) == ("connection", "connections")
    assert found["share"] == pytest.approx(4500 / 4804.85)
    assert "With 300 at once thread_pool spends 94 % of 4,7" in found["text"]
    assert "ms waiting for one of 10 connections; bottleneck: connections." in found["text"]


def test_five_repeats_say_faster_and_name_the_phase() -> None:
    found = pair(explain_runs(workers_sweep(5)), "thread_pool", "virtual_threads")
    assert found["ratio"] == pytest.approx(101.75 / 751.75, rel=0.03)
    assert found["low"] < found["ratio"] < found["high"]
    assert found["phase"] == "queue"
    assert "virtual_threads is faster than thread_pool" in found["text"]
    assert "7.4 times (7." in found["text"]
    assert "more waiting for one of 40 workers (phase queue)." in found["text"]
    assert found["difference_ms"]["queue"] == pytest.approx(-650, rel=0.02)
    assert sum(found["difference_ms"].values()) == pytest.approx(101.75 - 751.75, rel=0.02)
    assert found["verdict"] == "smaller"


def test_turned_round_it_is_slower() -> None:
    runs = [
        records.article(m, h, r) for r in range(5) for m, h in (("thread_pool", "statement"), ("reactive", "request"))
    ]
    found = pair(explain_runs(judged(runs)), "thread_pool", "reactive")
    assert "reactive is slower than thread_pool" in found["text"]
    assert found["ratio"] > 10


def test_the_order_of_names_does_not_depend_on_the_random_order_of_runs() -> None:
    runs = workers_sweep(5)
    assert explain_runs(runs[::-1]) == explain_runs(runs)


@pytest.mark.parametrize("repeats", [1, 2, 3, 4])
def test_fewer_repeats_say_neither_faster_nor_slower(repeats: int) -> None:
    found = pair(explain_runs(workers_sweep(repeats)), "thread_pool", "virtual_threads")
    assert "is faster" not in found["text"]
    assert "is slower" not in found["text"]
    assert "5 repeats are needed to say faster or slower" in found["text"]
    assert "(phase queue)" in found["text"]
    assert (found["low"] is None) == (repeats < 3)


def test_equal_models_get_no_words_and_no_reason() -> None:
    runs = judged([records.delayed(m, r) for r in range(5) for m in ("thread_pool", "reactive")])
    text = pair(explain_runs(runs), "thread_pool", "reactive")["text"]
    assert "no practical difference." in text
    assert "phase" not in text


def test_holding_a_connection_is_the_cause_and_not_the_model() -> None:
    entries = explain_runs(article_sweep())
    assert entries[0]["text"].startswith(
        "unequal by design: thread_pool has connection_hold=request; reactive has connection_hold=statement. "
    )
    found = pair(entries, "thread_pool", "reactive")
    assert 1 / found["ratio"] > 10
    assert found["text"].startswith("unequal by design: ")
    assert (
        "what makes the difference is holding the connection (connection_hold=request) while the application waits, "
        "not the model." in found["text"]
    )


def test_holding_is_the_cause_also_where_requests_queue_for_workers_that_wait_for_connections() -> None:
    runs = article_sweep()
    for run in runs:
        if run["name"] == "thread_pool":
            run["phases_ms"] |= {"queue": 3000.0, "connection": run["phases_ms"]["connection"] - 3000.0}
    found = pair(explain_runs(runs), "thread_pool", "reactive")
    assert found["phase"] == "queue"
    assert "holding the connection" in found["text"]


def test_other_unequal_limits_are_no_statement_about_models() -> None:
    runs = workers_sweep(5)
    for run in runs:
        run["unequal"] = ["workers"] if run["name"] == "thread_pool" else []
    text = pair(explain_runs(runs), "thread_pool", "virtual_threads")["text"]
    assert text.startswith("unequal by design: thread_pool has workers=40. ")
    assert "says nothing about the models" in text
    assert "holding" not in text


def test_runs_that_are_not_ok_are_left_out_and_named() -> None:
    runs = workers_sweep(5)
    runs[0]["status"] = "too_short"
    runs[0]["response_mean_ms"] = 1e9
    runs[2] = {**records.failed("thread_pool", 300, 1), "name": "thread_pool"}
    entries = explain_runs(runs)
    assert (
        "Not compared: repeat 0 (too_short) and repeat 1 (failed: killed by signal 9)."
        in model(entries, "thread_pool")["text"]
    )
    assert "over 3 repeats (detectable: " in pair(entries, "thread_pool", "virtual_threads")["text"]
    assert "5 repeats are needed" in pair(entries, "thread_pool", "virtual_threads")["text"]


def test_a_name_without_a_good_run_has_no_pair() -> None:
    runs = [records.failed("thread_pool", 300, r) for r in range(5)] + workers_sweep(5)[1::2]
    entries = explain_runs(runs)
    found = model(entries, "thread_pool")
    assert (found["largest_phase"], found["share"], found["bottleneck"]) == (None, None, None)
    assert "is not compared: repeat 0 (failed: killed by signal 9)" in found["text"]
    assert not [e for e in entries if e["kind"] == "pair"]


def test_p99_is_left_out_with_the_reason_where_requests_are_too_few() -> None:
    runs = workers_sweep(5)
    for run in runs:
        run["response_p99_ms"] = None
    entries = explain_runs(runs)
    assert [e["metric"] for e in entries if e["kind"] == "pair"] == ["mean"]
    assert "p99 is not compared: it needs 1,000 timed requests in each run." in entries[-1]["text"]


def test_bottlenecks_that_differ_between_repeats_are_told() -> None:
    runs = judged([records.few_workers("thread_pool", r) for r in range(3)])
    runs[0]["bottleneck"] = "cpu"
    assert "bottleneck: workers (but cpu in 1 of 3 repeats)." in explain_runs(runs)[0]["text"]


def test_all_loads_and_all_pairs() -> None:
    names = ("thread_pool", "virtual_threads", "reactive")
    runs = judged([records.starved(m, r, c) for c in (400, 50) for r in range(2) for m in names])
    entries = explain_runs(runs)
    assert [e["concurrency"] for e in entries] == [50] * 9 + [400] * 9
    assert explain_runs([]) == []


def test_a_model_entry_has_cause_resources_and_prediction() -> None:
    entries = explain_runs(workers_sweep(5))
    found = model(entries, "thread_pool")
    assert (found["cause"], found["certain"]) == ("few_workers", True)
    assert "Cause: few_workers (all 40 workers are busy" in found["text"]
    assert next(row for row in found["resources"] if row["resource"] == "workers")["utilisation"] > 0.99
    assert (found["prediction"]["resource"], found["prediction"]["to"]) == ("workers", 80)
    assert found["prediction"]["text"] in found["text"]
    other = model(entries, "virtual_threads")
    assert (other["cause"], other["prediction"]) == ("slow_query", None)


def test_a_guess_is_called_one() -> None:
    runs = judged([records.starved("reactive", r) for r in range(3)])
    assert "Likely cause, not certain: cpu (" in explain_runs(runs)[0]["text"]


def test_the_cause_of_an_old_record_is_found_again() -> None:
    runs = workers_sweep(1)
    runs[0]["details"]["cause"] = {"name": "memory", "certain": True, "text": "", "evidence": {}}
    assert model(explain_runs(runs), "thread_pool")["cause"] == "few_workers"


def test_runs_without_a_steady_state_are_left_out() -> None:
    runs = workers_sweep(5)
    runs[0]["details"]["steady"] = {"kind": "slow-down", "samples": 40}
    entries = explain_runs(runs)
    assert "Not compared: repeat 0 (not steady: slow-down)." in model(entries, "thread_pool")["text"]
    assert "over 4 repeats" in pair(entries, "thread_pool", "virtual_threads")["text"]


def test_runs_that_may_not_be_compared_have_a_cause_too() -> None:
    runs = [cause_records.gateway(status="client_limited", details={"generator_cpu_share": 0.95}) for _ in range(2)]
    for repeat, run in enumerate(runs):
        run["repeat"] = repeat
    entry = explain_runs(runs)[0]
    assert entry["cause"] == "generator"
    assert entry["largest_phase"] is None
    assert "is not compared: repeat 0 (client_limited)" in entry["text"]
    assert "generator" in entry["text"].partition("compared: ")[2]
    assert explain_runs([records.failed()])[0]["cause"] is None
