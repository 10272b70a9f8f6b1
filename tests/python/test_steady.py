"""The kinds of a run's way to its steady state: five classes of made series, and the edges between them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from parkbench import steady

SERIES = 500


def noise(rng: np.random.Generator, count: int, most: float) -> np.ndarray:
    """Relative noise of 1 % to `most`, in a third of the series with heavy tails."""
    spread = rng.uniform(0.01, most)
    if rng.random() < 1 / 3:
        return np.asarray(1 + spread * rng.standard_t(4, count) / np.sqrt(2))
    return np.asarray(1 + spread * rng.normal(0, 1, count))


def flat(rng: np.random.Generator) -> np.ndarray:
    return 1_000 * noise(rng, int(rng.integers(30, 150)), 0.08)


def approach(rng: np.random.Generator, sign: int) -> np.ndarray:
    """A step or an exponential approach from 20 to 50 % away, over at most half of the series."""
    count = int(rng.integers(30, 150))
    begin = int(count * rng.uniform(0.15, 0.5))
    away = sign * rng.uniform(0.2, 0.5)
    at = np.arange(count)
    shape = np.where(at < begin, 1.0, 0.0) if rng.random() < 0.5 else np.exp(-at / (begin / 3))
    return np.asarray(1_000 * (1 + away * shape) * noise(rng, count, 0.04))


def warm_up(rng: np.random.Generator) -> np.ndarray:
    return approach(rng, -1)


def slow_down(rng: np.random.Generator) -> np.ndarray:
    return approach(rng, 1)


def unstable(rng: np.random.Generator) -> np.ndarray:
    """Levels that come and go, a drift to the end, or a change shortly before the end."""
    count = int(rng.integers(40, 150))
    at, size = np.arange(count), rng.uniform(0.2, 0.5)
    shape = int(rng.integers(3))
    if shape == 0:
        level = 1 - size * (at // int(count / rng.uniform(4, 6)) % 2)
    elif shape == 1:
        level = 1 + rng.choice([-1, 1]) * size * at / count
    else:
        level = np.where(at < count * rng.uniform(0.82, 0.9), 1, 1 + rng.choice([-1, 1]) * size)
    return np.asarray(1_000 * level * noise(rng, count, 0.04))


CLASSES: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "flat": flat, "warm-up": warm_up, "slow-down": slow_down, "unstable": unstable,
}  # fmt: skip


@cache
def classed(kind: str) -> tuple[str, ...]:
    """What the made series of this kind are taken for."""
    rng = np.random.default_rng(47)
    return tuple(steady.classify(CLASSES[kind](rng).tolist()).kind for _ in range(SERIES))


@pytest.mark.parametrize("kind", CLASSES)
def test_at_least_95_of_100_made_series_are_classed_right(kind: str) -> None:
    assert classed(kind).count(kind) / SERIES >= 0.95


def test_processes_that_differ_are_called_inconsistent() -> None:
    rng = np.random.default_rng(53)
    right = 0
    for _ in range(SERIES):
        odd, rest = rng.permutation(["flat", "slow-down", "unstable"])[:2].tolist()
        kinds = [classed(kind)[rng.integers(SERIES)] for kind in (odd, rest, rest, rest, rest)]
        right += steady.across(kinds) == "inconsistent"
    assert right / SERIES >= 0.95


def test_processes_that_agree() -> None:
    assert steady.across(["flat"] * 5) == "flat"
    assert steady.across(["flat", "warm-up", "too_short"]) == "warm-up"
    assert steady.across(["flat", "slow-down"]) == "inconsistent"
    assert steady.across(["warm-up", "unstable", "flat"]) == "inconsistent"
    assert steady.across(["too_short"]) == steady.across([]) == "too_short"
    with pytest.raises(ValueError, match="no kind of a run: warm"):
        steady.across(["warm"])


def test_where_the_steady_state_begins() -> None:
    found = steady.classify([60.0, 61.0, 59.0, 60.5, 59.5, 60.0] + [100.0, 101.0, 99.0, 100.5] * 6)
    assert (found.kind, found.steady_from, found.change_points) == ("warm-up", 6, (6,))
    assert found.text == "warm-up: steady after 6 of 30 samples, which began -40 % from there"
    assert found.as_dict() == {
        "kind": "warm-up", "steady_from": 6, "change_points": [6], "text": found.text,
    }  # fmt: skip


def test_for_times_up_is_worse() -> None:
    times = [60.0, 61.0, 59.0, 60.5, 59.5, 60.0] + [100.0, 101.0, 99.0, 100.5] * 6
    assert steady.classify(times).kind == "warm-up"
    assert steady.classify(times, higher_is_better=False).kind == "slow-down"


def test_a_difference_too_small_to_matter_is_flat_however_significant() -> None:
    found = steady.classify([97.0, 97.1, 96.9, 97.0] * 10 + [100.0, 100.1, 99.9, 100.0] * 10)
    assert (found.kind, found.steady_from, found.change_points) == ("flat", 0, (40,))


def test_a_short_dip_is_told_but_moves_nothing() -> None:
    series = [100.0, 101.0, 99.0, 100.5] * 15
    series[20:24] = [70.0, 71.0, 70.0, 69.0]
    found = steady.classify(series)
    assert found.kind == "flat"
    assert "left and came back before sample 24, which moves the mean by -2 % only" in found.text
    series[20:40] = [70.0, 71.0, 70.0, 69.0] * 5
    assert steady.classify(series).kind == "unstable"


def test_what_still_changes_at_the_end_has_no_steady_state() -> None:
    falling = steady.classify([100.0 - index / 2 + (index % 3) / 2 for index in range(60)])
    assert (falling.kind, falling.steady_from) == ("unstable", None)
    assert "drifts by -3" in falling.text
    late = steady.classify([100.0, 101.0, 99.0] * 18 + [60.0, 61.0, 59.0] * 2)
    assert late.kind == "unstable"
    assert late.text == "no steady state: the level changed by -40 % after 54 of 60 samples"
    begun = steady.classify([0.0] * 36 + [60.0, 61.0, 59.0, 60.0])
    assert begun.text == "no steady state: the level changed from nothing after 36 of 40 samples"


def test_too_few_and_nothing() -> None:
    short = steady.classify([1.0] * 9)
    assert (short.kind, short.steady_from) == ("too_short", None)
    assert "9 samples are too few" in short.text
    assert steady.classify([]).kind == "too_short"
    assert steady.classify([1.0] * 10).kind == "flat"
    assert steady.classify([0.0] * 40).kind == "unstable"


def test_what_stops_is_no_steady_state_and_what_starts_late_warms_up() -> None:
    assert steady.classify([100.0, 101.0, 99.0, 100.0] * 10 + [0.0] * 4).kind == "unstable"
    assert steady.classify([0.0] * 10 + [100.0, 101.0, 99.0, 100.0] * 10).kind == "warm-up"
    with pytest.raises(ValueError, match="no finite number"):
        steady.classify([float("nan")] * 40)
