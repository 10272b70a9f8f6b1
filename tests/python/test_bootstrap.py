"""The bootstrap: only for many values, always the same, and covering what it says it covers."""

from __future__ import annotations

import numpy as np
import pytest

from parkbench import bootstrap, stats


def test_few_values_are_refused_with_the_remedy() -> None:
    with pytest.raises(ValueError, match="at least 10 pairs, not 9; take the interval by Student's t"):
        bootstrap.interval([1.0, 2.0, 3.0] * 3)


def test_the_same_values_give_the_same_interval() -> None:
    values = [0.1, -0.2, 0.4, 0.0, 0.3, -0.1, 0.2, 0.15, 0.05, 0.6]
    assert bootstrap.interval(values) == bootstrap.interval(values)
    assert bootstrap.interval(values, seed=1) != bootstrap.interval(values, seed=2)
    assert bootstrap.interval([2.5] * 12) == (2.5, 2.5)


def test_it_covers_the_mean_of_a_skewed_distribution_where_student_does_not() -> None:
    rng = np.random.default_rng(11)
    covered = {"bootstrap": 0, "t": 0}
    rounds, size = 600, 15
    for sample in np.exp(rng.normal(0, 1.0, (rounds, size))):
        low, high = bootstrap.interval(sample.tolist(), resamples=800)
        covered["bootstrap"] += low <= np.exp(0.5) <= high
        half = 2.1448 * sample.std(ddof=1) / np.sqrt(size)
        covered["t"] += sample.mean() - half <= np.exp(0.5) <= sample.mean() + half
    assert covered["bootstrap"] / rounds >= 0.87
    assert covered["bootstrap"] - covered["t"] >= 0.03 * rounds


@pytest.mark.parametrize("size", [10, 20])
def test_it_covers_the_ratio_of_pairs_as_often_as_it_says(size: int) -> None:
    rng = np.random.default_rng(3)
    hits, rounds = 0, 800
    for logs in rng.normal(np.log(1.2), 0.1, (rounds, size)):
        low, high = bootstrap.interval(logs.tolist(), resamples=1000)
        hits += low <= np.log(1.2) <= high
    assert 0.93 <= hits / rounds <= 0.97


def test_a_ratio_takes_it_where_asked_for() -> None:
    a = {repeat: 1.0 + repeat / 100 for repeat in range(12)}
    b = {repeat: 1.5 + repeat**2 / 100 for repeat in range(12)}
    by_t, by_bootstrap = stats.paired_ratio(a, b), stats.paired_ratio(a, b, method="bootstrap")
    assert by_t is not None
    assert by_bootstrap is not None
    assert by_bootstrap.ratio == by_t.ratio
    assert by_bootstrap.low is not None and by_bootstrap.high is not None
    assert by_bootstrap.low < by_t.ratio < by_bootstrap.high
    assert (by_bootstrap.low, by_bootstrap.high) != (by_t.low, by_t.high)
    with pytest.raises(ValueError, match="at least 10 pairs"):
        stats.paired_ratio(dict.fromkeys(range(5), 1.0), dict.fromkeys(range(5), 2.0), method="bootstrap")
