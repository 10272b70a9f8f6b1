"""The pure parts of `./dev bench alike`: shares with intervals, the words they get, sweeps that are kept."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bench import alike
from bench.interval import met
from parkbench import stats


def ratio(effect: float, error: float) -> stats.Ratio:
    centre, half = math.log1p(effect), 2.7764 * error
    return stats.Ratio(math.exp(centre), math.exp(centre - half), math.exp(centre + half), 5, 0.5, error, 4)


def test_wilsons_interval_of_a_share() -> None:
    assert alike.wilson(0, 200) == pytest.approx((0.0, 0.01885), abs=1e-4)
    assert alike.wilson(10, 20) == pytest.approx((0.2993, 0.7007), abs=1e-4)
    assert alike.wilson(7, 7)[1] == 1.0


def test_too_many_false_words_miss_the_goal_and_few_meet_it() -> None:
    good, bad = (alike.share_row("words", 200 - false, 200, 0.95, 1.0) for false in (4, 40))
    assert met(good.ratio, good.high, good.goal) is True
    assert met(bad.ratio, bad.high, bad.goal) is False
    assert alike.share_row("words", 0, 0, 0.95, 1.0).ratio is None


def test_a_share_far_from_what_it_should_be_misses_the_goal() -> None:
    near, far = (alike.apart_row("coverage", 0.95, hits, 4_000, 0.02, 1.0) for hits in (3_790, 3_500))
    assert met(near.ratio, near.high, near.goal) is True
    assert met(far.ratio, far.high, far.goal) is False


def test_where_noise_forbids_the_power_the_printed_one_carries_the_goal() -> None:
    loud = [ratio(0.05, 0.02), ratio(0.03, 0.02), ratio(0.12, 0.02)]
    found, printed = alike.found_rows("cpu 5 %", 0.05, loud)
    assert found.ours == pytest.approx(1 / 3)
    assert found.goal is None and "noise forbids" in found.note
    assert printed.goal == 1.0
    quiet = alike.found_rows("cpu 5 %", 0.05, [ratio(0.05, 0.001)] * 20)
    assert [row.goal for row in quiet] == [1.0, None]
    assert quiet[0].ours == 1.0
    (large,) = alike.found_rows("cpu 20 %", 0.2, [ratio(0.2, 0.01)] * 20)
    assert (large.goal, large.peer_value) == (1.0, 0.95)
    assert alike.found_rows("cpu 5 %", 0.05, [])[0].ratio is None
    assert {row.goal for row in alike.found_rows("cpu 5 %", 0.05, loud, judged=False)} == {None}


def test_kept_sweeps_are_not_made_again(tmp_path: Path) -> None:
    made: list[int] = []

    def sweep(index: int) -> Any:
        made.append(index)
        run = {"name": "a", "repeat": 1, "status": "ok", "response_mean_ms": 2.0 + index, "phases_ms": {"cpu": 1.0}}
        return SimpleNamespace(runs=[run, {**run, "repeat": 2, "status": "too_short"}])

    settings = alike.Settings("direct", 1, 1, keep=tmp_path / "kept.jsonl")
    first = list(alike.swept(settings, "cpu", 2, 2.0, sweep))
    assert first == [{"a": {1: 2.0}}, {"a": {1: 3.0}}]
    assert list(alike.swept(settings, "cpu", 3, 2.0, sweep)) == [*first, {"a": {1: 4.0}}]
    assert made == [0, 1, 2]
    assert list(alike.swept(settings, "cpu", 1, 0.3, sweep)) == [{"a": {1: 2.0}}]
    assert made == [0, 1, 2, 0]


def test_the_planted_slowdowns_are_exact() -> None:
    models = alike.PLANTED["cpu"].models()
    assert [(model.name, model.options["cpu_us"]) for model in models] == [
        ("as it is", 1000.0), ("5 percent slower", 1050.0), ("20 percent slower", 1200.0),
    ]  # fmt: skip
    assert [model.options["sleep_ms"] for model in alike.PLANTED["sleep"].models()] == [20.0, 21.0]
