"""The scaling fit: found again where it is known, refused where there is too little, silent beyond the data."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from parkbench import scaling
from parkbench.errors import ParkbenchError

LOADS = (1, 2, 4, 8, 16, 32, 64)
TRUE = (500.0, 0.03, 0.0004)


def law(n: float, lambda_: float = TRUE[0], sigma: float = TRUE[1], kappa: float = TRUE[2]) -> float:
    return lambda_ * n / (1 + sigma * (n - 1) + kappa * n * (n - 1))


def noisy(rng: np.random.Generator, spread: float, repeats: int = 5) -> list[tuple[int, float]]:
    return [(n, law(n) * math.exp(rng.normal(0, spread))) for n in LOADS for _ in range(repeats)]


def test_data_without_noise_give_the_law_back() -> None:
    found = scaling.fit([(n, law(n)) for n in LOADS])
    for coefficient, true in zip((found.lambda_, found.sigma, found.kappa), TRUE, strict=True):
        assert coefficient.value == pytest.approx(true, rel=1e-5)
        assert coefficient.low <= coefficient.value <= coefficient.high
    assert found.r2 == pytest.approx(1.0)
    assert found.curve(40) == pytest.approx(law(40), rel=1e-6)
    assert found.peak_load == pytest.approx(math.sqrt((1 - TRUE[1]) / TRUE[2]), rel=1e-4)
    assert "contention 0.03" in found.text and "peak at 49" in found.text


def test_five_loads_are_refused_and_six_are_not() -> None:
    repeats = [(n, law(n)) for n in LOADS[:5]] * 10
    with pytest.raises(ValueError, match="at least 6 different loads, these are 5; measure more"):
        scaling.fit(repeats)
    assert scaling.fit([*repeats, (32, law(32))]).loads == LOADS[:6]


def test_no_curve_beyond_one_and_a_half_times_the_data() -> None:
    found = scaling.fit([(n, law(n)) for n in LOADS])
    assert found.highest == 96
    assert found.curve(96) > 0
    for outside in (96.1, 1_000, 0.5):
        with pytest.raises(ValueError, match="1.5 times the highest load"):
            found.curve(outside)


def test_a_peak_beyond_the_reach_is_not_told() -> None:
    far = scaling.fit([(n, law(n, kappa=1e-6)) for n in LOADS])
    assert far.peak_load is None
    assert "no peak up to 96" in far.text
    near = scaling.fit([(n, law(n, kappa=0.00013)) for n in LOADS])
    assert near.peak_load is not None
    assert 64 < near.peak_load < 96
    assert "beyond what was measured" in near.text


def test_what_grows_faster_than_the_load_stays_at_zero_contention() -> None:
    found = scaling.fit([(n, 100.0 * n**1.05) for n in LOADS])
    assert found.sigma.value == 0.0
    assert found.kappa.value >= 0.0
    assert found.sigma.low == 0.0


def test_a_flat_throughput_is_all_contention() -> None:
    found = scaling.fit([(n, 200.0) for n in LOADS for _ in range(2)])
    assert found.sigma.value == pytest.approx(1.0, abs=0.01)
    assert found.peak_load is None


def test_the_intervals_cover_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(5)
    rounds, hits = 250, [0, 0, 0]
    for _ in range(rounds):
        found = scaling.fit(noisy(rng, 0.03))
        for index, (coefficient, true) in enumerate(zip((found.lambda_, found.sigma, found.kappa), TRUE, strict=True)):
            hits[index] += coefficient.low <= true <= coefficient.high
    assert all(0.92 <= hit / rounds <= 0.98 for hit in hits)


def test_more_noise_explains_less_and_widens_the_intervals() -> None:
    rng = np.random.default_rng(6)
    quiet, loud = scaling.fit(noisy(rng, 0.01)), scaling.fit(noisy(rng, 0.3))
    assert quiet.r2 > 0.99 > loud.r2
    assert (loud.sigma.high - loud.sigma.low) > 5 * (quiet.sigma.high - quiet.sigma.low)


@pytest.mark.parametrize("bad", [(0, 10.0), (128, 0.0), (128, math.nan), (128, -3.0)])
def test_loads_and_throughputs_without_a_logarithm_are_refused(bad: tuple[int, float]) -> None:
    with pytest.raises(ValueError, match="from 1 on and throughputs above 0"):
        scaling.fit([*((n, law(n)) for n in LOADS), bad])


def test_without_scipy_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(ParkbenchError, match=r"pip install 'parkbench\[stats\]'"):
        scaling.fit([(n, law(n)) for n in LOADS])
