"""The finder of changed levels: what it must find, what it must not, and that it always says the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parkbench import change_points

Noise = Callable[[np.random.Generator, int], np.ndarray]


def spiky(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.normal(0, 1, count) + (rng.random(count) < 0.03) * 10


def alike(rng: np.random.Generator, count: int) -> np.ndarray:
    found = rng.normal(0, 1, count)
    for index in range(1, count):
        found[index] = 0.3 * found[index - 1] + found[index] * math.sqrt(1 - 0.3**2)
    return found


NOISE: dict[str, Noise] = {
    "normal": lambda rng, count: rng.normal(0, 1, count),
    "heavy tails": lambda rng, count: rng.standard_t(3, count) / math.sqrt(3),
    "spikes": spiky,
    "neighbours alike": alike,
}  # fmt: skip


def step(noise: np.ndarray, spread: float, before: int, size: float = 0.05) -> np.ndarray:
    return 100 * (1 + spread * noise) * np.where(np.arange(len(noise)) < before, 1, 1 + size)


def found_within(runs: int, kind: str, spread: float, rounds: int = 100) -> float:
    """The share of steps of 5 % that are seen with that run after them, at most one run from their place."""
    rng = np.random.default_rng(17)
    hits = 0
    for _ in range(rounds):
        before = int(rng.integers(20, 60))
        found = change_points.find(step(NOISE[kind](rng, before + runs), spread, before).tolist())
        hits += any(abs(index - before) <= 1 for index in found)
    return hits / rounds


@pytest.mark.parametrize(("kind", "spread", "share"), [
    ("normal", 0.01, 0.95), ("heavy tails", 0.01, 0.8), ("spikes", 0.01, 0.8), ("normal", 0.015, 0.6),
])  # fmt: skip
def test_a_step_of_five_percent_is_found_within_three_runs(kind: str, spread: float, share: float) -> None:
    assert found_within(3, kind, spread) >= share


def test_more_noise_only_takes_more_runs() -> None:
    assert found_within(3, "normal", 0.02) < found_within(8, "normal", 0.02)
    assert found_within(8, "normal", 0.015) >= 0.9


@pytest.mark.parametrize(("kind", "most"), [("normal", 1), ("heavy tails", 1), ("spikes", 1), ("neighbours alike", 3)])
def test_runs_that_stay_as_they_are_raise_at_most_one_alarm_in_a_thousand(kind: str, most: int) -> None:
    """As a history is read: after each run the series so far. An alarm counts once, also where it moves by a place.

    Neighbours that correlate by 0.3 are more than was promised; they cost a little more.
    """
    rng = np.random.default_rng(23)
    runs, alarms = 0, 0
    for _ in range(30):
        series = (100 * (1 + 0.02 * NOISE[kind](rng, 60))).tolist()
        seen: set[int] = set()
        for end in range(10, len(series) + 1):
            seen.update(change_points.find(series[:end]))
            runs += 1
        alarms += sum(index - 1 not in seen for index in seen)
    assert runs >= 1_500
    assert alarms <= most * runs / 1_000


@pytest.mark.parametrize("kind", NOISE)
def test_a_thousand_stationary_runs_read_at_once_have_no_change(kind: str) -> None:
    rng = np.random.default_rng(29)
    assert sum(len(change_points.find(NOISE[kind](rng, 1_000).tolist())) for _ in range(5)) <= 5


def test_a_level_that_came_back_is_seen_at_both_ends() -> None:
    rng = np.random.default_rng(31)
    level = np.repeat([100.0, 105.0, 100.0], [40, 8, 40])
    found = change_points.find((level * (1 + 0.01 * rng.normal(0, 1, 88))).tolist())
    assert len(found) == 2
    assert abs(found[0] - 40) <= 1 and abs(found[1] - 48) <= 1


def test_several_levels_are_all_seen() -> None:
    rng = np.random.default_rng(37)
    level = np.repeat([100.0, 110.0, 95.0, 120.0], 25)
    found = change_points.find((level * (1 + 0.01 * rng.normal(0, 1, 100))).tolist())
    assert len(found) == 3
    assert all(abs(index - true) <= 1 for index, true in zip(found, (25, 50, 75), strict=True))


@pytest.mark.parametrize("wild", [1, 2])
def test_one_or_two_wild_runs_are_no_new_level(wild: int) -> None:
    rng = np.random.default_rng(41)
    for place in (30, 58):
        series = rng.normal(100, 1, 60)
        series[place : place + wild] += 30
        assert change_points.find(series.tolist()) == []


def test_three_in_a_row_are() -> None:
    rng = np.random.default_rng(41)
    series = rng.normal(100, 1, 60)
    series[-3:] += 30
    assert change_points.find(series.tolist()) == [57]


def test_series_without_noise() -> None:
    assert change_points.find([5.0] * 50) == []
    assert change_points.find([0.0] * 50) == []
    assert change_points.find([5.0] * 20 + [6.0] * 20) == [20]
    assert change_points.find([0.0] * 20 + [6.0] * 20 + [0.0] * 20) == [20, 40]
    # Sums in floating point are no change: 0.1 + 0.2 is not 0.3.
    assert change_points.find([0.3] * 20 + [0.1 + 0.2] * 20) == []


@pytest.mark.parametrize("count", range(10))
def test_few_values_show_nothing(count: int) -> None:
    assert change_points.find([1.0] * (count // 2) + [100.0] * (count - count // 2)) == []


def test_ten_values_may_show_something() -> None:
    assert change_points.find([1.0, 1.01, 0.99, 1.0, 1.02, 5.0, 5.1, 5.0, 4.9, 5.0]) == [5]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(-1e6, 1e6), max_size=80), st.integers(0, 3))
def test_it_says_the_same_again_and_of_levels_that_last(values: Sequence[float], extra: int) -> None:
    found = change_points.find(values, shortest=3 + extra)
    assert found == change_points.find(list(values), shortest=3 + extra)
    ends = [0, *found, len(values)]
    assert all(b - a >= 3 + extra for a, b in pairwise(ends) if found)


def test_the_unit_does_not_matter() -> None:
    rng = np.random.default_rng(43)
    series = step(rng.normal(0, 1, 60), 0.02, 30)
    expected = change_points.find(series.tolist())
    assert expected
    assert change_points.find((series * 1e-6).tolist()) == expected
    assert change_points.find((-series).tolist()) == expected


def test_what_is_no_series_is_refused() -> None:
    with pytest.raises(ValueError, match="no finite number"):
        change_points.find([1.0, math.nan] * 20)
    with pytest.raises(ValueError, match="at least 2"):
        change_points.find([1.0] * 20, shortest=1)
    with pytest.raises(ValueError, match="between 0 and 1"):
        change_points.find([1.0] * 20, level=0.0)
