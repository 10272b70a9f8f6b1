"""What the plugin keeps of a sweep."""

from __future__ import annotations

import json

import pytest
from plugin_support import summary
from run_records import failed, record

from parkbench.plugin import measured

CELL = ("thread_pool", "closed", 400, 0.0)


def test_a_summary_is_small_and_plain() -> None:
    runs = [
        record(model, load, repeat) for model in ("reactive", "thread_pool") for load in (50, 400) for repeat in (1, 2)
    ]
    kept = json.loads(json.dumps(measured.summary(runs, 20.0), allow_nan=False))
    assert (kept["workload"], kept["transport"], kept["arrivals"], kept["speed_us"]) == (
        "pricing",
        "direct",
        "closed",
        20.0,
    )
    assert [(cell["name"], cell["load"]) for cell in kept["cells"]] == [
        ("thread_pool", "50 users"), ("reactive", "50 users"), ("thread_pool", "400 users"), ("reactive", "400 users"),
    ]  # fmt: skip
    assert len(json.dumps(kept)) < 12_000
    assert all(len(values) == 2 for cell in kept["cells"] for values in cell["figures"].values())


def test_runs_that_may_not_be_compared_are_left_out_and_counted() -> None:
    runs = [record(repeat=1), record(repeat=2, status="client_limited"), failed("thread_pool", repeat=3)]
    kept = measured.summary(runs)
    (cell,) = kept["cells"]
    assert cell["repeats"] == [1]
    assert cell["left_out"] == {"client_limited": 1, "failed: killed by signal 9": 1}
    assert measured.broken(runs) == "thread_pool at 400 users, repeat 3: failed: killed by signal 9"
    assert measured.broken(runs[:2]) is None


def test_values_with_what_others_took() -> None:
    found = measured.values(summary([10.0, 11.0], lost=0.04, speed_us=20.0), CELL, "response_mean_ms")
    assert found == measured.Values((10.0, 11.0), 0.04, 20.0)
    assert measured.values(summary([10.0]), CELL, "response_mean_ms") == measured.Values((10.0,), None, None)
    assert measured.values(summary([10.0]), ("reactive", "closed", 400, 0.0), "response_mean_ms") is None
    assert measured.values(summary([10.0]), CELL, "no_such_figure") is None


@pytest.mark.parametrize(
    ("lost", "kept"),
    [
        ([0.0, 0.01, 0.3, 0.04, 0.0], [0, 1, 3, 4]),
        ([0.3, 0.31, 0.32, 0.33, 0.34], [0, 1, 2, 3, 4]),  # always so: it is no disturbance
        ([0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.4, 0.3], [0, 1, 6, 7]),  # half of them at least
        ([0.0, 0.5, 0.6], [0, 1, 2]),  # three at least
        ([0.0, None, 0.6, 0.1], [0, 1, 2, 3]),
        ([], []),
    ],
)
def test_runs_in_which_others_took_the_cpus_are_left_out(lost: list[float | None], kept: list[int]) -> None:
    assert measured.quietest(lost, 3) == kept


def test_a_disturbed_repeat_counts_neither_for_the_figure_nor_for_the_machine() -> None:
    one = summary([10.0, 11.0, 12.0, 50.0], lost=0.02)
    one["cells"][0]["lost"][3] = 0.4
    found = measured.values(one, CELL, "response_mean_ms")
    assert found is not None and found.repeats == (10.0, 11.0, 12.0)
    assert found.lost == pytest.approx(0.02)


@pytest.mark.parametrize("kept", [{}, {"cells": None}, {"cells": [{"name": "thread_pool", "concurrency": 400}]}])
def test_an_older_file_may_lack_anything(kept: dict[str, object]) -> None:
    assert measured.values(kept, CELL, "response_mean_ms") is None
    assert measured.changed(kept, summary([1.0]), CELL) == ""


def test_what_makes_two_sweeps_unlike() -> None:
    assert measured.unlike(summary([1.0]), summary([2.0], options={"connections": 20})) == ""
    assert measured.unlike(summary([1.0], transport="http"), summary([1.0])) == "transport http and direct"
    rounds = summary([1.0], options={"arrivals": "rounds"})
    assert measured.unlike(summary([1.0]), rounds) == "arrivals closed and rounds"


def test_options_that_changed_are_named() -> None:
    then, now = summary([1.0]), summary([1.0], options={"connections": 20, "cpu_us": 1.5})
    assert measured.changed(then, now, CELL) == "connections 10 -> 20, cpu_us 0 -> 1.5"


def test_confirmations_are_joined() -> None:
    first = measured.summary([record(repeat=r) for r in (1, 2)] + [record("reactive", repeat=r) for r in (1, 2)])
    second = measured.summary([record(repeat=r) for r in (1, 2, 3)])
    (cell,) = measured.joined(first, second)["cells"]
    assert cell["repeats"] == [1, 2, 4, 5, 6]
    assert len(cell["figures"]["response_mean_ms"]) == len(cell["lost"]) == 5
    assert cell["figures"]["response_mean_ms"][2:] == second["cells"][0]["figures"]["response_mean_ms"]
