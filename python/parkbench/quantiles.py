"""Quantiles of one run, from its histogram, each with an interval that assumes no shape of the distribution.

The interval says how well this run's requests fix the quantile, as if they were independent; it says nothing about the
next process. What differs from process to process is in the interval over repeats (`stats.paired_ratio`), and only that
one may carry a comparison.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from parkbench.stats import carries, samples_needed

Buckets = Iterable[tuple[float, int]]
"""Ascending pairs of a value and how many samples have it."""

_EXACT_VARIANCE = 2_500.0
"""Up to this variance of a rank the binomial is summed; above it the normal distribution is right to 0.3 %."""


@dataclass(frozen=True)
class Estimate:
    """A quantile and its interval. `at_least`: the value is the censoring point, and the truth is that or above.

    `value` is None where too few samples carry it. `low` and `high` are None there too; `high` is None also where it
    lies among the censored samples: no upper end is known.
    """

    quantile: float
    samples: int
    value: float | None
    low: float | None
    high: float | None
    at_least: bool = False

    @property
    def text(self) -> str:
        """`12.3`, `>= 30000` or `n/a (need 1,000)`, without a unit."""
        if self.value is None:
            return f"n/a (need {samples_needed(self.quantile):,})"
        return f"{'>= ' if self.at_least else ''}{self.value:.6g}"


def quantile(buckets: Buckets, q: float) -> float | None:
    """The value of rank ceil(q n) of n samples; None where fewer than 10 lie beyond it (`stats.samples_needed`)."""
    return estimate(buckets, q).value


def interval(buckets: Buckets, q: float, confidence: float = 0.95) -> tuple[float, float] | None:
    """The distribution-free interval of a quantile (`ranks`); None where too few samples carry the quantile."""
    found = estimate(buckets, q, confidence=confidence)
    return None if found.low is None or found.high is None else (found.low, found.high)


def estimate(
    buckets: Buckets, q: float, *, confidence: float = 0.95, censored: int = 0, limit: float | None = None
) -> Estimate:
    """A quantile of all samples, those included that were given up at `limit`.

    `buckets`: the samples that are known. `censored`: how many more there are of which only `value >= limit` is known
    (timed-out requests). A quantile among them is `limit` with `at_least`: right censoring of one kind, where the
    order statistics below the limit stand as they are (David and Nagaraja, "Order Statistics", 2003, 8.1). Known
    samples above the limit (answers that came while the timeout was being noticed) count as censored too.

    Raises ValueError for censored samples without a limit, negative counts, values that do not ascend, or a quantile
    outside (0, 1).
    """
    known = list(buckets)
    _check(known, censored, limit)
    if censored and limit is not None:
        below = [(value, count) for value, count in known if value < limit]
        censored += sum(count for _, count in known) - sum(count for _, count in below)
        known = below
    samples = sum(count for _, count in known) + censored
    if not carries(q, samples):
        return Estimate(q, samples, None, None, None)
    # The rounding keeps 1,000 x 0.99, which is a little over 990, at rank 990.
    rank = min(max(math.ceil(q * samples - 1e-9 * samples), 1), samples)
    lower, upper = ranks(samples, q, confidence)
    value, low, high = (_at(known, place) for place in (rank, lower, upper))
    if value is None:
        return Estimate(q, samples, limit, low if low is not None else limit, None, at_least=True)
    return Estimate(q, samples, value, low, high)


def ranks(samples: int, q: float, confidence: float = 0.95) -> tuple[int, int]:
    """The ranks l < u (from 1) so that [X(l), X(u)] holds the quantile with at least this probability, whatever X is.

    P(X(l) <= x_q < X(u)) = P(l <= B < u) with B binomial(n, q): David and Nagaraja, "Order Statistics", 2003, 7.1;
    Hahn and Meeker, "Statistical Intervals", 1991, 5.2. Of the pairs that reach the confidence, the one that exceeds it
    least; the interval would otherwise be too wide for few samples. Where no pair reaches it: the extremes.
    """
    centre, variance = samples * q, samples * q * (1 - q)
    if variance > _EXACT_VARIANCE:
        from statistics import NormalDist

        half = NormalDist().inv_cdf(0.5 + confidence / 2) * math.sqrt(variance)
        return max(1, math.floor(centre - half + 0.5)), min(samples, math.ceil(centre + half + 0.5))
    return _summed_ranks(samples, q, confidence)


@lru_cache(maxsize=1024)
def _summed_ranks(samples: int, q: float, confidence: float) -> tuple[int, int]:
    reach = 12 * math.sqrt(samples * q * (1 - q)) + 12
    first, last = max(0, math.floor(samples * q - reach)), min(samples, math.ceil(samples * q + reach))
    below, total = {first - 1: 0.0}, 0.0
    for k in range(first, last + 1):
        total += _binomial(samples, k, q)
        below[k] = total
    # below[l - 1] should be near the lower tail and below[u - 1] near the rest: a few ranks around both are tried.
    tail = (1 - confidence) / 2
    lower = max((k for k in range(first, last + 1) if below[k - 1] <= tail), default=first)
    upper = min((k for k in range(first, last + 1) if below[k - 1] >= 1 - tail), default=last)
    best, excess = (max(1, lower), min(samples, max(upper, 1))), math.inf
    for low in range(max(1, lower - 2), lower + 4):
        for high in range(upper - 3, min(samples, upper + 2) + 1):
            if low < high and low - 1 in below and high - 1 in below:
                over = below[high - 1] - below[low - 1] - confidence
                if 0 <= over < excess:
                    best, excess = (low, high), over
    return best


def _binomial(n: int, k: int, q: float) -> float:
    log = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return math.exp(log + k * math.log(q) + (n - k) * math.log1p(-q))


def _at(buckets: Sequence[tuple[float, int]], rank: int) -> float | None:
    """The value of this rank, from 1; None beyond the samples."""
    seen = 0
    for value, count in buckets:
        seen += count
        if seen >= rank:
            return value
    return None


def _check(buckets: Sequence[tuple[float, int]], censored: int, limit: float | None) -> None:
    if censored < 0 or any(count < 0 for _, count in buckets):
        raise ValueError("a count of samples is negative")
    if censored and (limit is None or not math.isfinite(limit)):
        raise ValueError(f"{censored} samples were given up, but at what value is not said: limit is missing")
    if any(not a < b for (a, _), (b, _) in pairwise(buckets)):
        raise ValueError("the values of the buckets do not ascend")
