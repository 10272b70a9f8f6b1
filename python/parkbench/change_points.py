"""Where the level of a series changed: the finder of `steady` and of the history. Deterministic: no resampling.

Our own and not a package's. Two others are near: ruptures (PELT, binary segmentation) knows no significance, only a
penalty that each series would need another value of; E-divisive (Matteson and James, 2014; used at MongoDB: Daly and
others, "The use of change point detection to identify software performance regressions", 2020) takes its significance
from random permutations, so that the same series can give two answers. As in Hunter (Fleming and others, "Hunter: using
change point detection to hunt for performance regressions", 2023) a t test takes the place of the permutations here.
Three things are added: windows of all lengths and places ("seeded binary segmentation", Kovacs and others, 2023), so
that a level that came back is seen; values clipped around the medians and a rank test beside the t test, so that one or
two wild runs are no new level; and an allowance for neighbours that are alike.

Measured on 400 series of 60 values, read after each value as a history is (`tests/python/test_change_points.py` repeats
it in small): 0.2 false alarms in 1,000 runs of normal noise, 0.6 where the noise is Student's t with 3 degrees of
freedom, 0.4 where 3 % of the values are 10 standard deviations too high, 1.3 where neighbours correlate by 0.3. A step
of 5 % after 20 to 60 values is seen with the third value after it, at most one from its place, in 97 % of the series
that spread by 1 %, in 68 % of those that spread by 1.5 % (94 % with the fifth) and in 27 % at 2 % (80 % with the
eighth).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from parkbench import student

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FEWEST = 10
"""Shorter series never show a change."""
SHORTEST = 3
"""A new level is believed from so many values on: one and two are outliers."""
LEVEL = 4e-5
"""The p value of the t test at one place; a series has many places, so this is far below what one test would need."""
RANK_LEVEL = 0.02
"""The p value of the rank test beside it; it only has to refuse a few wild values."""
_SHORTEST_WINDOW = 12
_LENGTHEN = 2.0
_CLIP = 3.0
_PART = 1 / 3
_MAD_TO_SIGMA = 1.4826
_ROUNDING = 1e-9


def find(values: Sequence[float], *, level: float = LEVEL, shortest: int = SHORTEST) -> list[int]:
    """The indices from which on the level is another one, ascending; each level lasts at least `shortest` values.

    `level`: the p value of the test at one place (two-sided). Fewer than 10 values never show a change. How large a
    change must be to matter is the caller's question. Raises ValueError for a value that is not finite, `shortest`
    below 2 or `level` outside (0, 1).
    """
    import numpy as np

    if shortest < 2 or not 0 < level < 1:
        raise ValueError(f"a level lasts at least 2 values, p lies between 0 and 1, not {shortest} and {level}")
    series = np.asarray(values, dtype=float)
    if not np.isfinite(series).all():
        raise ValueError("a series with a value that is no finite number has no levels")
    largest = float(np.abs(series).max(initial=0.0))
    if len(series) < max(FEWEST, 2 * shortest) or largest == 0:
        return []
    series = series / largest  # so that no square is too large or too small for its type
    return _settled(series, _sought(series, level, shortest), level, shortest)


def _sought(series: Floats, level: float, shortest: int) -> list[int]:
    """Changes in the windows of the series, then in those of the pieces between them, until no piece shows another."""
    if len(series) < 2 * shortest:
        return []
    found: list[int] = []
    for begin, end, index in _candidates(series, level, shortest):
        if not any(begin < known < end for known in found) and _differs(series[begin:end], index - begin, level):
            found.append(index)
    ends = [0, *sorted(found), len(series)]
    if len(ends) == 2:
        return []
    for begin, end in pairwise(ends):
        found += [begin + cut for cut in _sought(series[begin:end], level, shortest)]
    return sorted(found)


def _candidates(series: Floats, level: float, shortest: int) -> list[tuple[int, int, int]]:
    """Windows (begin, end) with their best place to be cut in two: narrow before wide, clear before unclear.

    Narrowest first, because a wide window may hold two changes (Baranowski, Chen and Fryzlewicz, "Narrowest-over-
    threshold detection of multiple change points", 2019). The screening is loose; `_differs` decides.
    """
    import numpy as np

    count = len(series)
    found = []
    for length in _lengths(count, shortest):
        steps = math.ceil(2 * (count - length) / length) + 1
        begins = np.unique(np.linspace(0, count - length, steps).round().astype(int))
        windows = _clipped(np.lib.stride_tricks.sliding_window_view(series, length)[begins])
        scores = _scores(windows, shortest)
        best = scores.argmax(axis=1)
        screen = student.quantile(1 - min(0.25, 5 * level), length - 2)
        rows = [(float(scores[row, place]), int(begins[row]), int(place) + shortest) for row, place in enumerate(best)]
        found += [(length, -score, begin, cut) for score, begin, cut in rows if score >= screen]
    return [(begin, begin + length, begin + cut) for length, _, begin, cut in sorted(found)]


def _lengths(count: int, shortest: int) -> list[int]:
    lengths, length = [], float(max(_SHORTEST_WINDOW, 2 * shortest))
    while length < count:
        lengths.append(int(length))
        length *= _LENGTHEN
    return [*lengths, count]


def _clipped(windows: Floats) -> Floats:
    """Each window with what lies far from its median drawn near; a level that fills half of it stays as it is."""
    import numpy as np

    centre = np.median(windows, axis=1, keepdims=True)
    reach = _CLIP * _MAD_TO_SIGMA * np.median(np.abs(windows - centre), axis=1, keepdims=True)
    wide = np.where(reach > 0, reach, np.inf)
    return np.clip(windows, centre - wide, centre + wide) - centre


def _scores(windows: Floats, shortest: int) -> Floats:
    """|t| of the two sides' means for each place to cut; columns: `shortest` values on the left and more."""
    import numpy as np

    length = windows.shape[1]
    left = np.arange(shortest, length - shortest + 1, dtype=float)
    right = length - left
    sums = windows.cumsum(axis=1)
    total, squares = sums[:, -1:], (windows**2).sum(axis=1, keepdims=True)
    left_sum = sums[:, shortest - 1 : length - shortest]
    shift = (total - left_sum) / right - left_sum / left
    between = shift**2 * (left * right / length)
    within = np.maximum(squares - total**2 / length - between, _ROUNDING**2 * np.maximum(squares, 1e-290))
    found: Floats = np.sqrt(between / within * (length - 2))
    return found


def _settled(series: Floats, found: list[int], level: float, shortest: int) -> list[int]:
    """The changes, each at its best place between its neighbours; those that do not hold there are taken back.

    After one has gone its neighbours have more values, so all are looked at again, at most as often as there are any.
    """
    for _ in range(len(found) + 1):
        ends = [0, *found, len(series)]
        moved: list[int] = []
        for begin, end in zip(ends, ends[2:], strict=False):
            left = max(begin, moved[-1] if moved else 0)
            part = series[left:end]
            if len(part) < 2 * shortest:
                continue
            cut = int(_scores(_clipped(part[None, :]), shortest)[0].argmax()) + shortest
            if _differs(part, cut, level):
                moved.append(left + cut)
        if moved == found:
            break
        found = moved
    return found


def _differs(part: Floats, cut: int, level: float) -> bool:
    """Whether the two sides of a cut have different levels, by a t test and by a rank test."""
    import numpy as np

    sides = (part[:cut], part[cut:])
    medians = [float(np.median(side)) for side in sides]
    rests = [side - centre for side, centre in zip(sides, medians, strict=True)]
    both = np.abs(np.concatenate(rests))
    reach = _CLIP * _MAD_TO_SIGMA * float(np.median(both)) or math.inf
    rests = [np.clip(rest, -reach, reach) for rest in rests]
    means = [centre + float(rest.mean()) for rest, centre in zip(rests, medians, strict=True)]
    rests = [rest - rest.mean() for rest in rests]
    degrees = len(part) - 2
    variance = sum(float((rest**2).sum()) for rest in rests) / degrees * _alike(np.concatenate(rests))
    error = math.sqrt(variance * (1 / len(sides[0]) + 1 / len(sides[1])))
    shift = abs(means[1] - means[0])
    if shift <= _ROUNDING * max(abs(means[0]), abs(means[1])):
        return False
    if error > 0 and student.two_sided(shift / error, degrees) > level:
        return False
    return _moved_together(sides, medians) and _rank_p(sides[0], sides[1]) <= RANK_LEVEL


def _moved_together(sides: tuple[Floats, Floats], medians: Sequence[float]) -> bool:
    """Whether the values of the shorter side have gone a good part of the way, all but one in five: a few wild values
    have a mean, but no level.
    """
    shorter = 0 if len(sides[0]) <= len(sides[1]) else 1
    way = medians[shorter] - medians[1 - shorter]
    gone = (sides[shorter] - medians[1 - shorter]) * math.copysign(1.0, way)
    return int((gone < _PART * abs(way)).sum()) <= len(sides[shorter]) // 5


def _alike(rests: Floats) -> float:
    """How much more the mean of these varies than that of independent values, because neighbours are alike; from 1.

    (1 + r) / (1 - r) of a first-order autoregression (Bartlett, 1935), r the correlation of neighbours where positive.
    """
    total = float((rests**2).sum())
    if total <= 0:
        return 1.0
    alike = min(max(float((rests[1:] * rests[:-1]).sum()) / total + 2 / len(rests), 0.0), 0.9)
    return (1 + alike) / (1 - alike)


def _rank_p(left: Floats, right: Floats) -> float:
    """Two-sided p of Mann and Whitney's test, 1947: exact where the sides do not overlap, else by the normal law."""
    import numpy as np

    small, large = sorted((left, right), key=len)
    ordered = np.sort(large)
    below = np.searchsorted(ordered, small, side="left") + np.searchsorted(ordered, small, side="right")
    pairs = len(small) * len(large)
    statistic = float(below.sum()) / 2
    statistic = min(statistic, pairs - statistic)
    if statistic == 0:
        return 2 / math.comb(len(left) + len(right), len(small))
    away = pairs / 2 - statistic - 0.5
    return math.erfc(max(away, 0.0) / math.sqrt(pairs * (len(left) + len(right) + 1) / 12) / math.sqrt(2))
