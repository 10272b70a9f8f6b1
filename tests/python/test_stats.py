"""Intervals, verdicts and the rule for quantiles."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parkbench import stats


def test_mean_and_median() -> None:
    assert stats.mean([1.0, 2.0, 6.0]) == 3.0
    assert stats.median([5.0, 1.0, 3.0]) == 3.0
    assert stats.median([4.0, 1.0, 3.0, 2.0]) == 2.5
    with pytest.raises(ValueError, match="no values"):
        stats.mean([])
    with pytest.raises(ValueError, match="no values"):
        stats.median([])


@settings(deadline=None)
@given(st.floats(0.001, 0.999), st.integers(1, 60))
def test_t_quantile_agrees_with_scipy(probability: float, degrees: int) -> None:
    reference = pytest.importorskip("scipy.stats").t.ppf(probability, degrees)
    assert stats.t_quantile(probability, degrees) == pytest.approx(reference, rel=1e-8, abs=1e-9)


def test_t_quantile_known_values() -> None:
    assert stats.t_quantile(0.975, 1) == pytest.approx(12.7062047, rel=1e-8)
    assert stats.t_quantile(0.975, 4) == pytest.approx(2.7764451, rel=1e-7)
    for wrong in (0.0, 1.0):
        with pytest.raises(ValueError, match="probability"):
            stats.t_quantile(wrong, 4)
    with pytest.raises(ValueError, match="degrees"):
        stats.t_quantile(0.9, 0)


def test_pairs_are_formed_by_repeat_and_not_by_place() -> None:
    # The machine slows down from repeat to repeat; only pairs see that b is always twice a.
    a = {0: 1.0, 1: 2.0, 2: 4.0, 3: 8.0, 9: 100.0}
    b = {3: 16.0, 2: 8.0, 1: 4.0, 0: 2.0, 7: 0.5}
    ratio = stats.paired_ratio(a, b)
    assert ratio is not None
    assert ratio.pairs == 4
    assert ratio.ratio == pytest.approx(2.0)
    assert ratio.low == pytest.approx(2.0)
    assert ratio.high == pytest.approx(2.0)


def test_no_interval_below_three_repeats_and_no_words_below_five() -> None:
    def at(repeats: int) -> stats.Ratio:
        ratio = stats.paired_ratio(dict.fromkeys(range(repeats), 1.0), {i: 2.0 + i / 1000 for i in range(repeats)})
        assert ratio is not None
        return ratio

    assert (at(2).low, at(2).high) == (None, None)
    assert at(3).low is not None
    assert [at(n).verdict() for n in (1, 2, 3, 4, 5)] == ["too_few_repeats"] * 4 + ["larger"]
    assert stats.paired_ratio({0: 1.0}, {1: 1.0}) is None
    assert stats.paired_ratio({0: 0.0}, {0: 1.0}) is None


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(1.03, 1.5, "larger"), (1.01, 1.5, "unsure"), (0.5, 0.97, "smaller"), (0.5, 0.99, "unsure"),
     (0.99, 1.01, "same"), (0.7, 1.3, "unsure")],
)  # fmt: skip
def test_words_need_an_interval_beyond_two_percent(low: float, high: float, verdict: str) -> None:
    assert stats.Ratio(math.sqrt(low * high), low, high, 5).verdict() == verdict


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    rng = random.Random(7)
    hits = 0
    for _ in range(2000):
        a = {i: math.exp(rng.gauss(0, 0.1)) for i in range(5)}
        b = {i: 1.5 * math.exp(rng.gauss(0, 0.1)) for i in range(5)}
        ratio = stats.paired_ratio(a, b)
        assert ratio is not None
        assert ratio.low is not None
        assert ratio.high is not None
        hits += ratio.low <= 1.5 <= ratio.high
    assert 0.935 <= hits / 2000 <= 0.965


@settings(deadline=None)
@given(st.dictionaries(st.integers(0, 9), st.floats(0.1, 100), min_size=3), st.floats(0.1, 10))
def test_turning_a_pair_round_turns_the_ratio_round(a: dict[int, float], factor: float) -> None:
    b = {repeat: value * factor for repeat, value in a.items()}
    forth, back = stats.paired_ratio(a, b), stats.paired_ratio(b, a)
    assert forth is not None
    assert back is not None
    assert forth.ratio * back.ratio == pytest.approx(1.0)
    assert forth.ratio == pytest.approx(factor)


def test_samples_needed_leaves_ten_beyond() -> None:
    assert [stats.samples_needed(q) for q in (0.5, 0.9, 0.99, 0.999, 0.9999)] == [20, 100, 1_000, 10_000, 100_000]
    assert not stats.carries(0.99, 999)
    assert stats.carries(0.99, 1000)
    with pytest.raises(ValueError, match="quantile"):
        stats.samples_needed(1.0)
