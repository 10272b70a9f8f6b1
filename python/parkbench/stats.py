"""What the repeats of a sweep can carry: pure functions, no data frames, no clocks.

Two names are compared pair by pair: repeat 3 of one with repeat 3 of the other, because the repeats of a sweep run
interleaved and share the machine's mood. The logarithms of the ratios are treated as a sample of a normal distribution,
so the interval is that of Student's t, taken back by the exponential.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

MIN_REPEATS_FOR_INTERVAL = 3
MIN_REPEATS_FOR_WORDS = 5
MARGIN = 0.02
"""Differences within 2 % are of no practical use, however sure: no words for them."""
SAMPLES_BEYOND = 10
"""A quantile is printed only with this many samples beyond it."""

Verdict = Literal["larger", "smaller", "same", "unsure", "too_few_repeats"]


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean. Raises ValueError for no values."""
    if not values:
        raise ValueError("the mean of no values is not defined")
    return math.fsum(values) / len(values)


def median(values: Sequence[float]) -> float:
    """Middle value, or the mean of the two in the middle. Raises ValueError for no values."""
    if not values:
        raise ValueError("the median of no values is not defined")
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


@dataclass(frozen=True)
class Ratio:
    """How many times `b` is `a`: geometric mean over pairs, with its interval (None below 3 pairs)."""

    ratio: float
    low: float | None
    high: float | None
    pairs: int

    def verdict(self, margin: float = MARGIN) -> Verdict:
        """`larger` or `smaller` only from 5 pairs and when the whole interval lies beyond the margin.

        `same`: the whole interval lies within the margin. `unsure`: it does neither.
        """
        if self.pairs < MIN_REPEATS_FOR_WORDS or self.low is None or self.high is None:
            return "too_few_repeats"
        if self.low > 1 + margin:
            return "larger"
        if self.high < 1 / (1 + margin):
            return "smaller"
        if self.low >= 1 / (1 + margin) and self.high <= 1 + margin:
            return "same"
        return "unsure"


def paired_ratio(a: Mapping[int, float], b: Mapping[int, float], confidence: float = 0.95) -> Ratio | None:
    """The ratio b / a over the repeats that both have.

    `a` and `b` map the number of a repeat to a figure. Pairs with a figure of 0 or below have no logarithm and are
    left out. None when no pair is left; no interval below 3 pairs.
    """
    logs = [math.log(b[repeat] / a[repeat]) for repeat in sorted(a.keys() & b.keys()) if a[repeat] > 0 < b[repeat]]
    if not logs:
        return None
    centre = mean(logs)
    if len(logs) < MIN_REPEATS_FOR_INTERVAL:
        return Ratio(math.exp(centre), None, None, len(logs))
    spread = math.sqrt(math.fsum((x - centre) ** 2 for x in logs) / (len(logs) - 1))
    half = t_quantile(0.5 + confidence / 2, len(logs) - 1) * spread / math.sqrt(len(logs))
    return Ratio(math.exp(centre), math.exp(centre - half), math.exp(centre + half), len(logs))


def t_cdf(t: float, degrees: int) -> float:
    """Student's distribution function for a whole number of degrees of freedom, by its finite series."""
    if degrees < 1:
        raise ValueError(f"degrees of freedom must be at least 1, not {degrees}")
    angle = math.atan(t / math.sqrt(degrees))
    cosine_squared = math.cos(angle) ** 2
    term, total = 1.0, 0.0
    if degrees % 2 == 0:
        for k in range(degrees // 2):
            total += term
            term *= cosine_squared * (2 * k + 1) / (2 * k + 2)
        return 0.5 + math.sin(angle) * total / 2
    for k in range((degrees - 1) // 2):
        total += term
        term *= cosine_squared * (2 * k + 2) / (2 * k + 3)
    return 0.5 + (angle + math.sin(angle) * math.cos(angle) * total) / math.pi


def t_quantile(probability: float, degrees: int) -> float:
    """The point below which Student's t lies with this probability; within 1e-9 of the exact one.

    Raises ValueError unless 0 < probability < 1 and degrees >= 1.
    """
    if not 0 < probability < 1:
        raise ValueError(f"a probability lies between 0 and 1, not {probability}")
    if probability < 0.5:
        return -t_quantile(1 - probability, degrees)
    low, high = 0.0, 1.0
    while t_cdf(high, degrees) < probability:
        low, high = high, high * 2
    while high - low > 1e-12 * max(1.0, high):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if t_cdf(middle, degrees) < probability else (low, middle)
    return (low + high) / 2


def samples_needed(quantile: float) -> int:
    """How many samples a quantile needs, so that 10 lie beyond it: p50 20, p90 100, p99 1,000, p99.9 10,000."""
    if not 0 < quantile < 1:
        raise ValueError(f"a quantile lies between 0 and 1, not {quantile}")
    beyond = min(1 - Fraction(str(quantile)), Fraction(1, 2))
    return math.ceil(SAMPLES_BEYOND / beyond)


def carries(quantile: float, samples: int) -> bool:
    """Whether so many samples may show this quantile."""
    return samples >= samples_needed(quantile)
