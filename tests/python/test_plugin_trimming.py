"""The trimmed mean of a few repeats."""

from __future__ import annotations

import math
import random

import pytest

from parkbench.plugin.trimming import Location, locate
from parkbench.stats import t_quantile


def test_nothing_is_left_out_below_five_values() -> None:
    found = locate([1.0, 2.0, 3.0, 6.0])
    assert (found.middle, found.degrees, found.count) == (3.0, 3, 4)
    assert found.variance == pytest.approx(14 / 3)  # the usual one
    assert locate([4.0]) == Location(4.0, 0.0, 0, 1)
    with pytest.raises(ValueError, match="no values"):
        locate([])


def test_by_hand() -> None:
    found = locate([9.0, 1.0, 2.0, 3.0, 100.0])  # kept: 2, 3, 9; winsorised: 2, 2, 3, 9, 9
    squares = 9 + 9 + 4 + 16 + 16
    assert found.middle == pytest.approx(14 / 3)
    assert (found.degrees, found.count) == (2, 5)
    assert found.variance / found.count == pytest.approx(squares / (3 * 2))


def test_what_is_far_away_has_no_weight() -> None:
    near = [10.0, 10.1, 9.9, 10.2, 9.8, 10.0, 10.1, 9.9]
    assert locate([*near, 50.0, 1000.0]).middle == pytest.approx(locate([*near, 10.3, 10.4]).middle)


def test_it_agrees_with_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    import numpy as np

    rng = random.Random(3)
    for count in (5, 7, 10, 33):
        values = [rng.gauss(0, 1) for _ in range(count)]
        assert locate(values).middle == pytest.approx(stats.trim_mean(values, 0.2))
        winsorised = stats.mstats.winsorize(np.array(values), limits=(0.2, 0.2))
        kept = count - 2 * int(0.2 * count)
        squares = float(((winsorised - winsorised.mean()) ** 2).sum())
        assert locate(values).variance / count == pytest.approx(squares / (kept * (kept - 1)))


@pytest.mark.parametrize("count", [5, 10, 30])
def test_its_interval_covers_the_middle(count: int) -> None:
    rng, covered = random.Random(count), 0
    for _ in range(1000):
        wide = [0.02 if rng.random() < 0.8 else 0.3 for _ in range(count)]  # a fifth of the repeats is disturbed
        found = locate([rng.gauss(0, spread) for spread in wide])
        covered += abs(found.middle) <= t_quantile(0.975, found.degrees) * math.sqrt(found.variance / count)
    assert 0.93 <= covered / 1000 <= 0.99
