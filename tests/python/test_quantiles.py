"""Quantiles with intervals: refused where too few samples carry them, covering as often as they say, censored."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parkbench import quantiles, stats


def one_each(count: int) -> list[tuple[float, int]]:
    return [(float(value), 1) for value in range(1, count + 1)]


@pytest.mark.parametrize(("q", "needed"), [(0.5, 20), (0.9, 100), (0.99, 1_000), (0.999, 10_000)])
def test_a_quantile_needs_ten_samples_beyond_it(q: float, needed: int) -> None:
    few, enough = one_each(needed - 1), one_each(needed)
    assert quantiles.quantile(few, q) is None
    assert quantiles.interval(few, q) is None
    assert quantiles.estimate(few, q).text == f"n/a (need {needed:,})"
    assert quantiles.quantile(enough, q) == math.ceil(round(q * needed, 6))
    found = quantiles.interval(enough, q)
    assert found is not None
    assert found[0] < q * needed < found[1]


def test_the_value_is_that_of_its_rank_also_where_buckets_hold_many() -> None:
    buckets = [(1.0, 500), (2.0, 490), (7.0, 10)]
    assert quantiles.quantile(buckets, 0.5) == 1.0
    assert quantiles.quantile(buckets, 0.501) == 2.0
    assert quantiles.quantile(buckets, 0.99) == 2.0
    assert quantiles.quantile([*buckets, (9.0, 0)], 0.99) == 2.0


Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
DISTRIBUTIONS: dict[str, tuple[Draw, Callable[[float], float]]] = {
    "uniform": (lambda rng, size: rng.random(size), lambda q: q),
    "exponential": (lambda rng, size: rng.exponential(1.0, size), lambda q: -math.log1p(-q)),
    "pareto": (lambda rng, size: rng.pareto(1.2, size), lambda q: (1 - q) ** (-1 / 1.2) - 1),
}  # fmt: skip


@pytest.mark.parametrize(
    ("q", "samples"), [(0.5, 20), (0.5, 501), (0.9, 100), (0.9, 640), (0.99, 1_000), (0.99, 2_500)]
)
@pytest.mark.parametrize("shape", DISTRIBUTIONS)
def test_the_interval_covers_in_93_to_97_of_100_of_2000_runs(q: float, samples: int, shape: str) -> None:
    draw, truth = DISTRIBUTIONS[shape]
    low, high = quantiles.ranks(samples, q)
    runs = draw(np.random.default_rng(2026), (2_000, samples))
    runs.partition((low - 1, high - 1), axis=1)
    covered = np.mean((runs[:, low - 1] <= truth(q)) & (truth(q) < runs[:, high - 1]))
    assert 0.93 <= covered <= 0.97


def test_an_interval_that_is_too_narrow_would_be_seen_by_the_same_measure() -> None:
    low, high = quantiles.ranks(640, 0.9, confidence=0.8)
    runs = np.sort(np.random.default_rng(2026).random((2_000, 640)), axis=1)
    assert np.mean((runs[:, low - 1] <= 0.9) & (runs[:, high - 1] > 0.9)) < 0.93


@settings(deadline=None)
@given(st.sampled_from([0.5, 0.9, 0.99, 0.999]), st.integers(20, 60_000))
def test_the_ranks_have_at_least_the_confidence_and_hardly_more(q: float, samples: int) -> None:
    if not stats.carries(q, samples):
        return
    binomial = pytest.importorskip("scipy.stats").binom(samples, q)
    low, high = quantiles.ranks(samples, q)
    covered = binomial.cdf(high - 1) - binomial.cdf(low - 1)
    assert 0.947 <= covered <= 0.971


def test_the_interval_is_made_of_samples_and_narrows_with_their_number() -> None:
    few = quantiles.interval(one_each(1_000), 0.9)
    many = quantiles.interval([(value, 100) for value, _ in one_each(1_000)], 0.9)
    assert few is not None and many is not None
    assert few == tuple(map(float, quantiles.ranks(1_000, 0.9)))
    assert (many[1] - many[0]) < (few[1] - few[0]) / 5


def test_three_percent_of_timeouts_make_the_p99_at_least_the_timeout_and_leave_the_p90() -> None:
    answered = [(float(value), 10) for value in range(1, 98)]
    p90 = quantiles.estimate(answered, 0.9, censored=30, limit=30_000.0)
    p99 = quantiles.estimate(answered, 0.99, censored=30, limit=30_000.0)
    assert (p90.value, p90.at_least, p90.samples) == (90.0, False, 1_000)
    assert (p99.value, p99.at_least, p99.low, p99.high) == (30_000.0, True, 30_000.0, None)
    assert (p90.text, p99.text) == ("90", ">= 30000")
    # Without them the answered ones alone would look fine, if there were enough of them.
    assert quantiles.quantile([(value, count * 2) for value, count in answered], 0.99) == 97.0


def test_an_interval_may_reach_into_the_timeouts_while_the_quantile_does_not() -> None:
    found = quantiles.estimate([(float(v), 1) for v in range(1, 994)], 0.99, censored=7, limit=5_000.0)
    assert found.value == 990.0
    assert found.low is not None and found.low < 990
    assert found.high is None
    assert not found.at_least


@pytest.mark.parametrize("late", [5_000.0, 5_001.0])
def test_an_answer_that_came_at_or_after_the_limit_counts_as_censored(late: float) -> None:
    found = quantiles.estimate([(1.0, 985), (late, 8)], 0.99, censored=7, limit=5_000.0)
    assert (found.value, found.at_least) == (5_000.0, True)


@given(st.lists(st.tuples(st.floats(0, 1e6), st.integers(1, 50)), min_size=2, max_size=40, unique_by=lambda b: b[0]),
       st.sampled_from([0.5, 0.9]))  # fmt: skip
def test_the_quantile_lies_within_its_interval(buckets: list[tuple[float, int]], q: float) -> None:
    buckets.sort()
    value, found = quantiles.quantile(buckets, q), quantiles.interval(buckets, q)
    if sum(count for _, count in buckets) < stats.samples_needed(q):
        assert value is None and found is None
    else:
        assert value is not None and found is not None
        assert found[0] <= value <= found[1]


def test_what_is_no_histogram_is_refused() -> None:
    with pytest.raises(ValueError, match="ascend"):
        quantiles.quantile([(2.0, 50), (1.0, 50)], 0.5)
    with pytest.raises(ValueError, match="negative"):
        quantiles.quantile([(1.0, -1)], 0.5)
    with pytest.raises(ValueError, match="limit is missing"):
        quantiles.estimate(one_each(100), 0.5, censored=3)
    with pytest.raises(ValueError, match="quantile"):
        quantiles.quantile(one_each(100), 1.0)
