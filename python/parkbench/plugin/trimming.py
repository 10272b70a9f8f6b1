"""The middle of a few repeats of which some were disturbed, and how sure it is: a trimmed mean.

On a machine that others use too, most repeats lie close together and some far away, nearly all on the slow side. A mean
follows those, and their squares make its interval useless. A fifth at either end is left out of the mean; its variance
comes from the winsorised values, in which what is left out takes the value of its neighbour that stays: Tukey and
McLaughlin, "Less vulnerable confidence and significance procedures for location", Sankhya A 25, 1963.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from parkbench.stats import mean

TRIMMED = 0.2
"""The share left out at either end: nothing below 5 values."""


@dataclass(frozen=True)
class Location:
    """The trimmed mean of `count` values. `variance` / `count` is its variance, with that many `degrees` of freedom."""

    middle: float
    variance: float
    degrees: int
    count: int


def locate(values: Sequence[float]) -> Location:
    """The middle of the values. Raises ValueError for none. One value has no variance: 0, with 0 degrees.

    With h of n values kept and SSW the winsorised sum of squares, the variance of the trimmed mean is
    SSW / (h (h - 1)), and t has h - 1 degrees of freedom.
    """
    ordered, count = sorted(values), len(values)
    cut = int(TRIMMED * count)
    kept = ordered[cut : count - cut]
    middle, degrees = mean(kept), len(kept) - 1
    if not degrees:
        return Location(middle, 0.0, 0, count)
    winsorised = [kept[0]] * cut + kept + [kept[-1]] * cut
    centre = mean(winsorised)
    squares = math.fsum((value - centre) ** 2 for value in winsorised)
    return Location(middle, count * squares / (len(kept) * degrees), degrees, count)
