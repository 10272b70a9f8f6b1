"""The ratio of two medians and how sure it is, from repeats that were measured in turn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_SEED = 20_261_130  # fixed: the same figures always give the same interval
_RESAMPLES = 4_000


@dataclass(frozen=True)
class Ratio:
    """A ratio with the ends of its 95 % interval; None where there are fewer than two repeats."""

    value: float
    low: float | None
    high: float | None


def ratio_of_medians(upper: Sequence[float], lower: Sequence[float]) -> Ratio:
    """Median of `upper` by median of `lower`; entries with the same index are of the same repeat.

    Percentile bootstrap over repeats: a disturbance of the machine that hit both sides of a repeat stays in both.
    Raises ValueError for no repeats, unequal numbers of them, or a median of zero below.
    """
    if not upper or len(upper) != len(lower):
        raise ValueError(f"{len(upper)} and {len(lower)} repeats make no pairs")
    above, below = np.asarray(upper, dtype=float), np.asarray(lower, dtype=float)
    if np.median(below) <= 0:
        raise ValueError("the median below the line is zero")
    value = float(np.median(above) / np.median(below))
    if len(above) < 2:
        return Ratio(value, None, None)
    picks = np.random.default_rng(_SEED).integers(0, len(above), size=(_RESAMPLES, len(above)))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.median(above[picks], axis=1) / np.median(below[picks], axis=1)
    ratios = ratios[np.isfinite(ratios)]
    low, high = np.percentile(ratios, [2.5, 97.5])
    return Ratio(value, float(low), float(high))


def met(ratio: float | None, high: float | None, goal: float | None) -> bool | None:
    """Whether a goal is met: the interval reaches it and the median comes within 5 %. None: there is nothing to say."""
    if ratio is None or goal is None:
        return None
    top = ratio if high is None or math.isnan(high) else high
    return top >= goal and ratio >= 0.95 * goal
