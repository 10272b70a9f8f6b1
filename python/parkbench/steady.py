"""Whether a run reached a steady state, and by which way, from its throughput in equal pieces of time.

The classes and the idea (change points, levels that count as equal, the last level as the yardstick) are those of
Barrett and others, "Virtual machine warmup blows hot and cold", 2017. They are about effects, not only significance:

flat       no level differs from the last by more than TOLERANCE; or levels that do came and went, and all of them
           together move the mean by no more than TOLERANCE
warm-up    all levels before the steady state are lower than it (for throughput), and it fills the last quarter or more
slow-down  as warm-up, but some level before the steady state is higher
unstable   no steady state: the last level is too short, the level left and came back by too much, or it drifts
too_short  fewer than SHORTEST values: nothing can be said

A level is what lies between two change points (`change_points.find`). A drift is a straight line that describes the
series (or the part that would be the steady one) better than its levels do, by Schwarz' criterion (BIC, 1978), and
moves by more than TOLERANCE from end to end.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from parkbench import change_points

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Kind = Literal["flat", "warm-up", "slow-down", "unstable", "too_short"]
Across = Literal["flat", "warm-up", "slow-down", "unstable", "too_short", "inconsistent"]
_STEADINESS: tuple[Kind, ...] = ("flat", "warm-up", "slow-down", "unstable")

SHORTEST = 10
"""Fewer values have no kind."""
TOLERANCE = 0.05
"""Levels within 5 % of the last one count as equal to it."""
LAST_SHARE = 0.25
"""The steady state fills at least this share of the series: a level that has just begun may end as soon."""
LEVEL = 1e-3
"""The p value of a change at one place: looser than for a history, because only changes above TOLERANCE count."""
_DRIFT_T = 4.0
"""A slope is believed when it is so many standard errors from zero."""
_GOES_ON = 0.2
"""The second half of a drift covers half of its way, give or take the noise; that of an approach hardly anything."""


@dataclass(frozen=True)
class Steady:
    """What `classify` found. `steady_from`: the index of the first value of the steady state, None where there is none.

    `change_points`: the indices at which levels begin that differ from the one before.
    """

    kind: Kind
    steady_from: int | None
    change_points: tuple[int, ...]
    text: str

    def as_dict(self) -> dict[str, Any]:
        """For the record: `kind`, `steady_from`, `change_points`, `text`."""
        return {**asdict(self), "change_points": list(self.change_points)}


def classify(values: Sequence[float], *, higher_is_better: bool = True) -> Steady:
    """The kind of a series of throughputs in equal pieces of time; for times set `higher_is_better` to false.

    Raises ValueError for a value that is not finite.
    """
    import numpy as np

    series = np.asarray(values, dtype=float)
    if len(series) < SHORTEST:
        return Steady("too_short", None, (), f"{len(series)} samples are too few to tell: {SHORTEST} are needed")
    ends = [0, *change_points.find(values, level=LEVEL), len(series)]
    if not series.any():
        return Steady("unstable", None, (), "nothing was answered")
    drift = _drift(series, ends)
    if drift is not None:
        return Steady("unstable", None, tuple(ends[1:-1]), f"no steady state: it drifts by {_signed(drift)} to the end")
    return _by_levels(series, ends, higher_is_better)


def _by_levels(series: Floats, ends: Sequence[int], higher_is_better: bool) -> Steady:
    """The kind of a series without drift, from where its levels begin and end."""
    levels = [float(series[begin:end].mean()) for begin, end in pairwise(ends)]
    changes, last, whole = tuple(ends[1:-1]), levels[-1], float(series.mean())
    yardstick = abs(last) or abs(whole)
    apart = [(level - last) / yardstick for level in levels]
    first = len(levels) - 1
    while first > 0 and abs(apart[first - 1]) <= TOLERANCE:
        first -= 1
    begin = ends[first]
    if begin == 0:
        return Steady("flat", 0, changes, "flat: one level throughout")
    if len(series) - begin < max(change_points.SHORTEST, LAST_SHARE * len(series)):
        was = levels[first - 1]
        change = f"by {_signed(last / was - 1)}" if was > 0 else "from nothing"
        text = f"no steady state: the level changed {change} after {begin} of {len(series)} samples"
        return Steady("unstable", None, changes, text)
    if any(abs(one) <= TOLERANCE for one in apart[:first]):
        return _came_back(series, changes, last, yardstick, begin)
    drift = _drift(series[begin:], [0, len(series) - begin])
    if drift is not None:
        text = f"no steady state: after {begin} samples it still drifts by {_signed(drift)}"
        return Steady("unstable", None, changes, text)
    worse = [one < 0 if higher_is_better else one > 0 for one in apart[:first]]
    kind: Kind = "warm-up" if all(worse) else "slow-down"
    text = f"{kind}: steady after {begin} of {len(series)} samples, which began {_signed(apart[0])} from there"
    return Steady(kind, begin, changes, text)


def _came_back(series: Floats, changes: tuple[int, ...], last: float, yardstick: float, begin: int) -> Steady:
    """A level that was there before and left in between: by how much that moves the mean decides."""
    moved = (float(series.mean()) - last) / yardstick
    if abs(moved) > TOLERANCE:
        text = f"no steady state: the level left and came back, which moves the mean by {_signed(moved)}"
        return Steady("unstable", None, changes, text)
    text = f"flat: the level left and came back before sample {begin}, which moves the mean by {_signed(moved)} only"
    return Steady("flat", 0, changes, text)


def across(kinds: Iterable[str]) -> Across:
    """The kind of several processes of one cell: the one they share, else `inconsistent`; without `too_short` ones.

    Flat and warm-up together count as warm-up: both end in a steady state, some began in it (Barrett and others group
    them as "good inconsistent"). No process at all: `too_short`. Raises ValueError for a word that is no kind.
    """
    given = set(kinds) - {"too_short"}
    found = [kind for kind in _STEADINESS if kind in given]
    unknown = given - set(found)
    if unknown:
        raise ValueError(f"no kind of a run: {', '.join(sorted(unknown))}")
    if not found:
        return "too_short"
    if found == ["flat", "warm-up"]:
        return "warm-up"
    return found[0] if len(found) == 1 else "inconsistent"


def _drift(series: Floats, ends: Sequence[int]) -> float | None:
    """How far a straight line through the series goes, relative to its middle; None where it is not a drift.

    The line must be steeper than chance, move by more than TOLERANCE, go on in the second half (an approach to a level
    does not), and describe the series better than its levels do.
    """
    count, middle = len(series), abs(float(series.mean()))
    if count < SHORTEST // 2 or middle == 0:
        return None
    total, error, rest = _line(series)
    if abs(total) <= max(TOLERANCE * middle, _DRIFT_T * error):
        return None
    half = series[count // 2 :]
    if _line(half)[0] * math.copysign(1.0, total) < _GOES_ON * abs(total):
        return None
    parts = [series[begin:end] for begin, end in pairwise(ends)]
    levels = sum(float(((part - part.mean()) ** 2).sum()) for part in parts)
    floor = 1e-12 * float((series**2).sum())
    line_bic = count * math.log(max(rest, floor) / count) + 2 * math.log(count)
    level_bic = count * math.log(max(levels, floor) / count) + (2 * len(parts) - 1) * math.log(count)
    return total / middle if line_bic < level_bic else None


def _line(series: Floats) -> tuple[float, float, float]:
    """How far the least-squares line goes from end to end, its standard error, and the sum of squares around it."""
    import numpy as np

    count = len(series)
    at = np.arange(count) - (count - 1) / 2
    squares = float((at**2).sum())
    slope = float((at * series).sum()) / squares
    rest = float(((series - series.mean() - slope * at) ** 2).sum())
    return slope * (count - 1), math.sqrt(rest / max(1, count - 2) / squares) * (count - 1), rest


def _signed(share: float) -> str:
    return f"{share:+.0%}".replace("%", " %")
