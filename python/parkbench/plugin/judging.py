"""Whether a figure got worse: the rule, as pure functions over logarithms. No files, no clocks, no sweeps.

A ratio is always now / baseline. Two forms of evidence:

*Pairs* (the strong form): both sides were measured interleaved in one sweep, repeat by repeat, so that what the machine
did hit both. The interval is that of a t over the logarithms of the paired ratios, trimmed (`trimming`): on two busy
cores it found a slowdown of 10 % in 30 pairs in 996 of 1,000 samples, where Student's t over all pairs found 743.

*Stored* (the weak form): the baseline lies in a file. Runs minutes or days apart differ by more than the repeats of one
session do; an interval over the repeats alone is far too narrow (Kalibera and Jones, "Rigorous benchmarking in
reasonable time", ISMM 2013: repeat at the level where the variance is). The unit is therefore the session: the trimmed
mean of its logarithms. With one baseline session nothing is known about the spread between sessions, with three
little, so what is found is pooled with an assumption of SESSION_SPREAD that weighs SESSION_DEGREES degrees of freedom
(the moderated t of Smyth, Statistical Applications in Genetics and Molecular Biology 3, 2004). See `stored`.

The rule is fixed beforehand. A first look only raises suspicion: an estimate worse by more than half the threshold, or
an interval so wide that twice the threshold lies in it. What is suspected is measured again, twice as often, and where
that does not decide, four and eight times as often; only these confirmations together are judged, not the first look,
which was picked for looking slow. Intervals are of 95 %; where several cells are judged together, the 5 % are shared
out over them (Bonferroni). That whole intervals must lie beyond a margin makes false alarms much rarer: on simulated
sessions whose spread is up to 1.5 %, an unchanged benchmark is called slower in at most 1 of 100 sessions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from parkbench.plugin.trimming import Location, locate
from parkbench.record import FIGURES
from parkbench.stats import MARGIN, MIN_REPEATS_FOR_INTERVAL, mean, t_quantile

THRESHOLD = 0.05
"""A slowdown of less than this is of no practical use."""
ERROR = 0.05
"""What the intervals of everything that is judged together leave out, on both sides."""
CONFIRMATIONS = (2, 4, 8)
"""Each confirmation has so many times the repeats of the first look, and at least so many of FEWEST."""
FEWEST = (5, 10, 20)
SESSION_SPREAD = 0.015
"""Assumed standard deviation between sessions of one machine, as a share."""
SESSION_DEGREES = 10

HIGHER_IS_BETTER = ("throughput_rps",)
JUDGED = tuple(name for name in FIGURES if name not in ("duration_s", "offered_rps", "rss_baseline_mib"))
"""The figures a test can be held to; all but the throughput are better when they are lower."""

Form = Literal["stored", "pairs"]
Verdict = Literal["worse", "better", "same", "not worse", "unsure", "too few repeats"]


@dataclass(frozen=True)
class Estimate:
    """How many times the baseline a figure is now, with its interval; None below 3 repeats on a side."""

    ratio: float
    low: float | None
    high: float | None
    repeats: int

    def as_dict(self) -> dict[str, Any]:
        """The estimate as plain values."""
        return {"ratio": self.ratio, "low": self.low, "high": self.high, "repeats": self.repeats}

    def turned(self) -> Estimate:
        """The same with baseline and now exchanged."""
        low = None if self.high is None else 1 / self.high
        high = None if self.low is None else 1 / self.low
        return replace(self, ratio=1 / self.ratio, low=low, high=high)


@dataclass(frozen=True)
class Rule:
    """What is asked of one figure. `allowance`: how many times slower the machine itself is than at the baseline."""

    figure: str
    threshold: float = THRESHOLD
    form: Form = "stored"
    allowance: float = 1.0

    def worse_by(self, estimate: Estimate) -> Estimate:
        """The estimate turned so that above 1 is worse, less what the machine itself explains."""
        turned = estimate.turned() if self.figure in HIGHER_IS_BETTER else estimate
        share = self.allowance
        low, high = turned.low, turned.high
        return replace(turned, ratio=turned.ratio / share, low=None if low is None else low / share,
                       high=None if high is None else high / share)  # fmt: skip

    def suspects(self, estimate: Estimate) -> bool:
        """Whether this look is a reason to measure again."""
        return self.worse_by(estimate).ratio > 1 + self.threshold / 2

    def is_blind(self, estimate: Estimate) -> bool:
        """Whether this look could not have seen a slowdown of twice the threshold: a reason to look once more."""
        high = self.worse_by(estimate).high
        return high is not None and high > 1 + 2 * self.threshold

    def verdict(self, estimate: Estimate) -> Verdict:
        """What this look says.

        `worse`: from pairs when the whole interval lies beyond the threshold; from a stored baseline, whose interval
        is wider, when the estimate lies beyond the threshold and the whole interval beyond the margin of 2 % from
        which parkbench says "slower" at all. `better` is its mirror image at the margin. `same`: the interval lies
        within the threshold on both sides. `not worse`: no suspicion. `unsure`: suspicion, but no proof.
        """
        turned = self.worse_by(estimate)
        if turned.low is None or turned.high is None:
            return "too few repeats"
        margin = min(MARGIN, self.threshold)
        bar = self.threshold if self.form == "pairs" else margin
        if turned.low > 1 + bar and turned.ratio > 1 + self.threshold:
            return "worse"
        if turned.high * self.allowance < 1 / (1 + margin):
            return "better"
        if turned.high < 1 + self.threshold and turned.low > 1 / (1 + self.threshold):
            return "same"
        return "unsure" if turned.ratio > 1 + self.threshold / 2 else "not worse"


def confidence(judged_together: int) -> float:
    """The two-sided confidence of each interval where so many are judged together."""
    return 1 - ERROR / max(1, judged_together)


def confirmation_repeats(index: int, repeats: int) -> int:
    """How many repeats the confirmation of that index makes, after a first look of so many."""
    return max(FEWEST[index], CONFIRMATIONS[index] * repeats)


def pairs(baseline: Mapping[int, float], now: Mapping[int, float], confidence: float) -> Estimate | None:
    """The estimate from values above 0 by repeat; None where no repeat has both, no interval below 3 pairs."""
    logs = [math.log(now[repeat] / baseline[repeat]) for repeat in sorted(baseline.keys() & now.keys())]
    if not logs:
        return None
    found = locate(logs)
    if found.count < MIN_REPEATS_FOR_INTERVAL:
        return Estimate(math.exp(found.middle), None, None, found.count)
    half = t_quantile(0.5 + confidence / 2, found.degrees) * math.sqrt(found.variance / found.count)
    return Estimate(math.exp(found.middle), math.exp(found.middle - half), math.exp(found.middle + half), found.count)


def stored(
    now: Sequence[float],
    baseline: Sequence[Sequence[float]],
    confidence: float,
    earlier: Sequence[Sequence[Sequence[float]]] = (),
) -> Estimate | None:
    """The estimate from the repeats of now and of each session of the baseline; None where a side has no value above 0.

    Two levels of a nested design: w is the pooled variance of repeats within sessions (n of them in each of the K of
    the baseline, m now). Between sessions, S is the sum of squares of their middles around their own level, with d
    degrees of freedom, of which d w / n is due to the repeats; the rest is pooled with the assumption:
    b = (d0 SESSION_SPREAD² + S - d w / n) / (d0 + d), d0 = SESSION_DEGREES. The difference of now to the mean of the
    baseline has variance b (1 + 1 / K) + w (1 / m + 1 / (n K)), and Student's t with d0 + d degrees of freedom gives
    the interval (with fewer where there are few repeats). `earlier`: sessions of other levels (before a change), for
    the spread alone.
    """
    current = _logs(now)
    groups = [[locate(logs) for values in group if (logs := _logs(values))] for group in (baseline, *earlier)]
    if not current or not groups[0]:
        return None
    here, sessions = locate(current), groups[0]
    centre = here.middle - mean([one.middle for one in sessions])
    within, within_degrees = _pooled([here, *(one for group in groups for one in group)])
    least = min(here.count, sum(one.count for one in sessions))
    if least < MIN_REPEATS_FOR_INTERVAL or within_degrees < 1:
        return Estimate(math.exp(centre), None, None, here.count)
    usual = len(sessions) / sum(1 / one.count for one in sessions)
    squares, degrees = _sum_of_squares([[one.middle for one in group] for group in groups if group])
    between = max(0.0, squares - degrees * within / usual)
    between = (SESSION_DEGREES * SESSION_SPREAD**2 + between) / (SESSION_DEGREES + degrees)
    error = math.sqrt(between * (1 + 1 / len(sessions)) + within * (1 / here.count + 1 / (usual * len(sessions))))
    half = t_quantile(0.5 + confidence / 2, min(SESSION_DEGREES, within_degrees) + degrees) * error
    return Estimate(math.exp(centre), math.exp(centre - half), math.exp(centre + half), here.count)


def allowance(
    lost_now: float | None, lost_then: float | None, speed_now: float | None, speed_then: float | None
) -> float:
    """How many times slower the machine itself was now than at the baseline; 1 where it was not.

    `lost_*`: the share of the CPUs that others took (steal and foreign programs), means over the runs; `speed_*`: how
    long a fixed piece of work took. A slowdown that these explain is the machine's and no regression.
    """
    stretched = 1.0
    if lost_now is not None and lost_then is not None:
        stretched = max(1.0, (1 - min(lost_then, 0.9)) / (1 - min(lost_now, 0.9)))
    if speed_now and speed_then:
        stretched *= max(1.0, speed_now / speed_then)
    return stretched


def _logs(values: Sequence[float]) -> list[float]:
    """The logarithms of those values that have one."""
    return [math.log(value) for value in values if value > 0 and math.isfinite(value)]


def _pooled(locations: Sequence[Location]) -> tuple[float, int]:
    """The variance of a repeat within its session and its degrees of freedom; 0 and 0 where no session has two."""
    degrees = sum(one.degrees for one in locations)
    squares = math.fsum(one.degrees * one.variance for one in locations)
    return (squares / degrees if degrees else 0.0), degrees


def _sum_of_squares(groups: Sequence[Sequence[float]]) -> tuple[float, int]:
    """The squared distances from each group's own mean, summed, and their degrees of freedom."""
    squares = math.fsum((value - mean(group)) ** 2 for group in groups for value in group)
    return squares, sum(len(group) - 1 for group in groups)
