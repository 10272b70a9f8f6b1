"""What the repeats of a sweep can carry: pure functions, no data frames, no clocks.

Two names are compared pair by pair: repeat 3 of one with repeat 3 of the other, because the repeats of a sweep run
interleaved and share the machine's mood. The logarithms of the ratios are treated as a sample of a normal distribution,
so the interval is that of Student's t, taken back by the exponential (a ratio with its interval is what a comparison of
two systems must show: Kalibera and Jones, "Rigorous benchmarking in reasonable time", 2013). A repeat is a process of
its own and gives one value: an interval over the requests of one process would leave out what differs from process to
process, and be far too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from parkbench import student

MIN_REPEATS_FOR_INTERVAL = 3
MIN_REPEATS_FOR_WORDS = 5
MARGIN = 0.02
"""Differences within 2 % are of no practical use, however sure: no words for them."""
POWER = 0.8
"""How often a difference of the size `Ratio.detectable` is found."""
SAMPLES_BEYOND = 10
"""A quantile is printed only with this many samples beyond it."""

t_quantile = student.quantile
"""Student's quantile, under the name by which those who build an interval of their own know it."""

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
    """How many times `b` is `a`: geometric mean over pairs, with its interval (None below 3 pairs).

    `p`: two-sided, that the ratio is 1 (None below 3 pairs). `error`: the standard error of the ratio's logarithm and
    `degrees`: its degrees of freedom, from which the power comes. `pairs` of unpaired samples: the smaller one's size.
    """

    ratio: float
    low: float | None
    high: float | None
    pairs: int
    p: float | None = None
    error: float | None = None
    degrees: float | None = None

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

    @property
    def detectable(self) -> float | None:
        """The smallest relative difference (0.08: 8 %) that so many pairs with this spread find in 8 of 10 sweeps.

        Found means that the verdict says it: the 95 % interval lies beyond the margin. exp(log(1 + margin) + d e) - 1
        with the standard error e and the shift d that a t test finds with that power (Cohen, "Statistical Power
        Analysis", 1988, with the exact non-central t). None below 3 pairs.
        """
        return self.detectable_at(POWER)

    def detectable_at(self, power: float, margin: float = MARGIN) -> float | None:
        """As `detectable`, for another power or margin (0: any difference)."""
        if self.error is None or self.degrees is None:
            return None
        exponent = math.log1p(margin) + max(0.0, student.shift_found(power, self.degrees)) * self.error
        return math.expm1(min(exponent, 700.0))

    def power_of(self, difference: float, margin: float = MARGIN) -> float | None:
        """How often a sweep like this one says a true difference of this size (0.05: `b` is 1.05 times `a`), 0 to 1.

        None below 3 pairs. Raises ValueError for a difference of -1 or below.
        """
        if difference <= -1:
            raise ValueError(f"a difference lies above -1, not {difference}")
        if self.error is None or self.degrees is None:
            return None
        beyond = abs(math.log1p(difference)) - math.log1p(margin)
        if self.error == 0:
            return float(beyond > 0)
        return student.power(beyond / self.error, self.degrees)


def paired_ratio(
    a: Mapping[int, float], b: Mapping[int, float], confidence: float = 0.95, method: Literal["t", "bootstrap"] = "t"
) -> Ratio | None:
    """The ratio b / a over the repeats that both have.

    `a` and `b` map the number of a repeat to a figure. Pairs with a figure of 0 or below have no logarithm and are
    left out. None when no pair is left; no interval below 3 pairs. `method` bootstrap takes the interval from
    resampled pairs instead, for figures whose logarithms are far from normal: at least 10 pairs, else ValueError.
    """
    logs = [math.log(b[repeat] / a[repeat]) for repeat in sorted(a.keys() & b.keys()) if a[repeat] > 0 < b[repeat]]
    if not logs:
        return None
    centre = mean(logs)
    if len(logs) < MIN_REPEATS_FOR_INTERVAL:
        return Ratio(math.exp(centre), None, None, len(logs))
    found = _ratio(centre, _spread(logs) / math.sqrt(len(logs)), len(logs) - 1, len(logs), confidence)
    if method == "t":
        return found
    from parkbench import bootstrap

    low, high = bootstrap.interval(logs, confidence)
    return replace(found, low=math.exp(low), high=math.exp(high))


def unpaired_ratio(a: Sequence[float], b: Sequence[float], confidence: float = 0.95) -> Ratio | None:
    """The ratio b / a of two samples that were not taken side by side: geometric means, interval by Welch's t on logs.

    Welch, "The generalization of Student's problem when several different population variances are involved", 1947;
    degrees of freedom by Satterthwaite, 1946. Figures of 0 or below are left out. None when a side has none; no
    interval unless each has at least 3.
    """
    logs = [[math.log(value) for value in side if value > 0] for side in (a, b)]
    if not all(logs):
        return None
    sizes = [len(side) for side in logs]
    centre = mean(logs[1]) - mean(logs[0])
    if min(sizes) < MIN_REPEATS_FOR_INTERVAL:
        return Ratio(math.exp(centre), None, None, min(sizes))
    parts = [_spread(side) ** 2 / len(side) for side in logs]
    total = math.fsum(parts)
    weights = math.fsum(part**2 / (size - 1) for part, size in zip(parts, sizes, strict=True))
    degrees = total**2 / weights if weights > 0 else float(sum(sizes) - 2)
    return _ratio(centre, math.sqrt(total), degrees, min(sizes), confidence)


def _ratio(centre: float, error: float, degrees: float, pairs: int, confidence: float) -> Ratio:
    """A ratio from the mean of logarithms, its standard error and degrees of freedom."""
    half = student.quantile(0.5 + confidence / 2, degrees) * error
    p = student.two_sided(centre / error, degrees) if error > 0 else float(centre == 0)
    return Ratio(math.exp(centre), math.exp(centre - half), math.exp(centre + half), pairs, p, error, degrees)


def _spread(values: Sequence[float]) -> float:
    """Standard deviation of a sample."""
    centre = mean(values)
    return math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1))


def holm(p: Sequence[float]) -> list[float]:
    """The p values of several comparisons, each raised so that together they err no oftener than one alone.

    Holm, "A simple sequentially rejective multiple test procedure", 1979: the smallest times the number of comparisons,
    the next times one less, and none below one before it; at most 1. In the order given. Raises ValueError for what is
    no probability.
    """
    if any(not 0 <= value <= 1 for value in p):
        raise ValueError(f"a p value lies between 0 and 1, not {next(value for value in p if not 0 <= value <= 1)}")
    raised, worst = [0.0] * len(p), 0.0
    for place, index in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        worst = max(worst, min(1.0, (len(p) - place) * p[index]))
        raised[index] = worst
    return raised


def samples_needed(quantile: float) -> int:
    """How many samples a quantile needs, so that 10 lie beyond it: p50 20, p90 100, p99 1,000, p99.9 10,000."""
    if not 0 < quantile < 1:
        raise ValueError(f"a quantile lies between 0 and 1, not {quantile}")
    beyond = min(1 - Fraction(str(quantile)), Fraction(1, 2))
    return math.ceil(SAMPLES_BEYOND / beyond)


def carries(quantile: float, samples: int) -> bool:
    """Whether so many samples may show this quantile."""
    return samples >= samples_needed(quantile)
