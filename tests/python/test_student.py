"""Student's t and its power, held against scipy and against tables."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parkbench import student


def scipy_stats() -> Any:
    return pytest.importorskip("scipy.stats")


@settings(deadline=None)
@given(st.floats(0.001, 0.999), st.floats(0.5, 500))
def test_quantile_agrees_with_scipy(probability: float, degrees: float) -> None:
    reference = scipy_stats().t.ppf(probability, degrees)
    assert student.quantile(probability, degrees) == pytest.approx(reference, rel=1e-7, abs=1e-9)


@settings(deadline=None)
@given(st.floats(-60, 60), st.floats(0.5, 1e6))
def test_cdf_and_tail_agree_with_scipy(t: float, degrees: float) -> None:
    assert student.cdf(t, degrees) == pytest.approx(scipy_stats().t.cdf(t, degrees), rel=1e-6, abs=1e-12)
    assert student.two_sided(t, degrees) == pytest.approx(2 * scipy_stats().t.sf(abs(t), degrees), rel=1e-4, abs=1e-60)


def test_known_values() -> None:
    assert student.quantile(0.975, 1) == pytest.approx(12.7062047, rel=1e-8)
    assert student.quantile(0.975, 4) == pytest.approx(2.7764451, rel=1e-7)
    assert student.quantile(0.5, 3) == pytest.approx(0.0, abs=1e-12)
    assert student.two_sided(0.0, 7) == 1.0
    assert student.two_sided(math.inf, 7) == 0.0
    assert student.two_sided(1.959964, 1e9) == pytest.approx(0.05, rel=1e-5)


@pytest.mark.parametrize("probability", [0.0, 1.0, math.nan])
def test_a_probability_outside_is_refused(probability: float) -> None:
    with pytest.raises(ValueError, match="probability"):
        student.quantile(probability, 4)


def test_degrees_and_powers_outside_are_refused() -> None:
    with pytest.raises(ValueError, match="degrees"):
        student.two_sided(1.0, 0)
    with pytest.raises(ValueError, match="power"):
        student.shift_found(1.0, 4)


@settings(deadline=None, max_examples=60)
@given(st.floats(-2, 12), st.floats(2, 60))
def test_power_agrees_with_the_non_central_t_of_scipy(shift: float, degrees: float) -> None:
    critical = scipy_stats().t.ppf(0.975, degrees)
    reference = scipy_stats().nct.sf(critical, degrees, shift)
    assert student.power(shift, degrees) == pytest.approx(reference, abs=2e-5)


@pytest.mark.parametrize("degrees", [2, 4, 9, 19, 3.7])
def test_the_shift_found_is_the_inverse_of_the_power(degrees: float) -> None:
    assert student.power(student.shift_found(0.8, degrees), degrees) == pytest.approx(0.8, abs=1e-6)


def test_the_power_of_a_published_table() -> None:
    # Cohen 1988, one sample of 10 at an effect of 1.0 standard deviation, two-sided 5 %: 0.80.
    assert student.power(math.sqrt(10), 9) == pytest.approx(0.803, abs=0.001)
    assert student.power(0.0, 9) == pytest.approx(0.025, abs=1e-6)
