"""Each measured line of the check-list cites the run its figure stands in."""

from __future__ import annotations

from typing import Any

import cause_records
import pytest
import run_records as records
from test_explain import judged

from parkbench import checklist
from parkbench.checklist import Line
from parkbench.points import points_of
from parkbench.record import MODELS


def lines_of(runs: list[dict[str, Any]]) -> dict[str, Line]:
    return {line.key: line for line in checklist.measured(points_of(judged(runs))[-1])}


def test_every_figure_stands_in_the_run_that_is_cited() -> None:
    runs = judged([records.starved(m, r) for r in range(5) for m in MODELS])
    lines = checklist.measured(points_of(runs)[0])
    assert len(lines) >= 6
    for line in lines:
        assert line.source == "measured"
        assert line.cites is not None
        (run,) = (run for run in runs if (run["name"], run["repeat"]) == (line.cites["name"], line.cites["repeat"]))
        figure = line.cites["figure"]
        held = run["phases_ms"][figure.removeprefix("phases_ms.")] if figure.startswith("phases_ms.") else (
            run.get(figure, run["details"].get(figure)))  # fmt: skip
        assert held == pytest.approx(line.cites["value"])
        assert f"repeat {run['repeat']}: {figure} " in str(line)


def test_the_median_repeat_is_cited() -> None:
    runs = [records.record("reactive", 50, r, throughput_rps=float(value)) for r, value in enumerate((5, 1, 9, 2, 7))]
    cites = checklist.cite(points_of(runs)[0][0], "throughput_rps")
    assert cites is not None
    assert (cites["value"], cites["repeat"]) == (5.0, 0)
    assert checklist.cited(cites) == "reactive at 50 users, repeat 0: throughput_rps 5.00"


def test_a_pool_that_is_short_of_workers_speaks_against_itself() -> None:
    many = lines_of([records.few_workers(m, r) for r in range(3) for m in MODELS])["many"]
    assert (many.answer, many.speaks_for, many.speaks_against) == (
        "yes", ("virtual_threads", "reactive"), ("thread_pool",),
    )  # fmt: skip
    assert "40 workers; they are the bottleneck" in many.text


def test_a_shared_limit_is_no_matter_of_models() -> None:
    limit = lines_of([records.delayed(m, r) for r in range(3) for m in MODELS])["limit"]
    assert limit.answer == "yes, connections"
    assert limit.text == "The model is not what limits: change that first."
    assert lines_of([records.few_workers(m) for m in MODELS])["limit"].answer == "no"


def test_computing_and_waiting() -> None:
    run = cause_records.computing(0.9, 0.99)
    assert lines_of([run])["cpu"].answer == "yes"
    assert lines_of([records.delayed("reactive")])["cpu"].answer == "no, it waits"


def test_held_pinned_and_stalled_are_lines_of_their_own() -> None:
    assert lines_of([records.article("thread_pool", "request")])["held"].answer == "yes"
    assert "held" not in lines_of([records.article("thread_pool", "statement")])
    pinned = lines_of([cause_records.held_thread("virtual_threads", 0.9)])["pinned"]
    assert (pinned.answer, pinned.speaks_against) == ("yes", ("virtual_threads",))
    assert lines_of([records.starved("virtual_threads")])["pinned"].answer == "no"
    assert lines_of([cause_records.held_thread("reactive", 0.9)])["stalled"].speaks_against == ("reactive",)


def test_memory_and_the_missing_brake() -> None:
    lines = lines_of(
        [records.starved("thread_pool", rss_peak_mib=300.0), records.starved("virtual_threads", rss_peak_mib=40.0)]
    )
    assert (lines["memory"].answer, lines["memory"].speaks_against) == ("yes", ("thread_pool",))
    assert lines["brake"].answer == "no"
    assert "Set limit." in lines["brake"].text
    assert lines_of([records.starved("virtual_threads", options={"limit": 50})])["brake"].answer == "yes"


def test_questions_are_asked_only_where_nothing_answers_them() -> None:
    stream = judged([records.record("reactive", 50, workload="stream")])
    lines = checklist.measured(points_of(stream)[0])
    asked = {line.key: line for line in checklist.asked({"team": "yes", "drivers": "no"}, lines)}
    assert "streaming" not in asked
    assert {key: line.source for key, line in asked.items()} == {
        "team": "told", "drivers": "told", "backpressure": "open", "locks": "open", "framework": "open",
    }  # fmt: skip
    assert asked["drivers"].speaks_against == ("reactive",)
    assert "--answer locks=yes" in asked["locks"].text
    assert asked["team"].cites is None
    assert asked["team"].as_dict()["cites"] is None
