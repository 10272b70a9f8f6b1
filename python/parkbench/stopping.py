"""When a sweep has enough repeats: a rule that is fixed before the first run, and never "until it is significant".

Either a number of repeats, or a precision: repeats go on until the 95 % interval of the ratio of every pair of names is
narrow enough, at most a number of times. The precision does not look at where the interval lies, so it cannot stop on
a lucky difference, as stopping at significance does (Armitage, McPherson, Rowe, "Repeated significance tests on
accumulating data", 1969); intervals of a width fixed before keep their coverage (Chow and Robbins, "On the asymptotic
theory of fixed-width sequential confidence intervals for the mean", 1965), nearly so from five repeats on. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from parkbench import validate
from parkbench.errors import ConfigError
from parkbench.record import Record, is_comparable, load_key, loads, names, number
from parkbench.stats import MIN_REPEATS_FOR_WORDS, Ratio, paired_ratio
from parkbench.wording import at_load, percent, plural

REPEATS = 5
MAX_REPEATS = 30
FEWEST = MIN_REPEATS_FOR_WORDS
"""A precision is judged from so many repeats on: before, intervals are too wide or narrow by luck."""
METRIC = "response_mean_ms"
"""What the precision is of. With closed users the throughput follows from it (Little's law), in an open leg it is
set by the rate."""
WIDEST = 0.5


@dataclass(frozen=True)
class Rule:
    """`repeats`: so many exactly or, with `until` (a half-width relative to the ratio), at most."""

    repeats: int = REPEATS
    until: float | None = None

    @property
    def text(self) -> str:
        """The rule in words."""
        if self.until is None:
            return f"{plural(self.repeats, 'repeat')}, fixed before the first run"
        return (
            f"until the 95 % interval of the ratio of the mean response times of every two names at every load (of one "
            f"name: of its mean) is at most {percent(self.until)} to either side, judged from {FEWEST} repeats on, "
            f"at most {plural(self.repeats, 'repeat')}; fixed before the first run"
        )

    def recorded(self) -> dict[str, Any]:
        """As `sweep.json` holds it; the other direction of `check`."""
        fixed = self.until is None
        return {"repeats": self.repeats if fixed else None, "until": self.until,
                "max_repeats": None if fixed else self.repeats}  # fmt: skip


def check(repeats: Any = None, until: Any = None, max_repeats: Any = None) -> Rule:
    """The rule that was asked for; None takes the default. Raises `ConfigError`."""
    if until is None:
        if max_repeats is not None:
            raise ConfigError(
                f"{validate.spell('max_repeats')} belongs to {validate.spell('until')}; give it too, as in until 5%, "
                f"or give {validate.spell('repeats')}"
            )
        return Rule(validate.whole("repeats", REPEATS if repeats is None else repeats, low=1, high=1000))
    if repeats is not None:
        raise ConfigError(
            f"{validate.spell('repeats')} and {validate.spell('until')} are two rules; give one of them "
            f"({validate.spell('max_repeats')} limits {validate.spell('until')})"
        )
    most = MAX_REPEATS if max_repeats is None else max_repeats
    return Rule(validate.whole("max_repeats", most, low=FEWEST, high=1000), _share(until))


def _share(until: Any) -> float:
    """`5%` or 0.05. Raises `ConfigError`."""
    text = until.strip() if isinstance(until, str) else until
    try:
        if isinstance(text, str) and text.endswith("%"):
            share = validate.quantity("until", text[:-1]) / 100
        else:
            share = validate.quantity("until", text)
    except ConfigError:
        share = math.nan
    if not 0 < share <= WIDEST:
        raise ConfigError(
            f"{validate.spell('until')} takes how far the 95 % interval may reach to either side, such as 5% or 0.05 "
            f"(at most 50%), not {validate.shown(until)}; a sweep cannot go on until something is significant"
        )
    return share


@dataclass(frozen=True)
class Judgement:
    """How precise the runs are: `half_width` is that of the widest interval, `of` says whose; None where there is none.

    `met`: every interval is narrow enough, or there is nothing to judge.
    """

    met: bool
    half_width: float | None
    of: str


def judge(runs: Sequence[Record], until: float) -> Judgement:
    """Whether these runs (of one leg) are precise enough.

    A name without any run that can be compared at a load is left out there: more repeats would not help it. A pair
    with fewer than FEWEST repeats in common is not precise, however narrow its interval.
    """
    widest, of, met = 0.0, "", True
    for what, ratio in _ratios(runs):
        width = half_width(ratio)
        if width is None or ratio is None or ratio.pairs < FEWEST:
            few = plural(0 if ratio is None else ratio.pairs, "repeat")
            return Judgement(False, None, f"{what}: {few} can be compared, {FEWEST} are needed")
        met = met and width <= until
        if width >= widest:
            widest, of = width, what
    return Judgement(met, widest if of else None, of)


def half_width(ratio: Ratio | None) -> float | None:
    """Half of the interval's length, relative to the ratio; None without an interval."""
    if ratio is None or ratio.low is None or ratio.high is None:
        return None
    return (ratio.high - ratio.low) / (2 * ratio.ratio)


def _ratios(runs: Sequence[Record]) -> Iterator[tuple[str, Ratio | None]]:
    """Every ratio that the rule looks at, with what it is of."""
    for key in loads(runs):
        at = [run for run in runs if load_key(run) == key and is_comparable(run)]
        values = {
            name: {int(run["repeat"]): value for run in at
                   if run["name"] == name and (value := number(run, METRIC)) is not None}
            for name in names(at)
        }  # fmt: skip
        where = "" if not at else at_load(at[0])[:1].lower() + at_load(at[0])[1:]
        if len(values) == 1:
            ((name, own),) = values.items()
            yield f"{name} {where}", paired_ratio(dict.fromkeys(own, 1.0), own)
        for a, b in combinations(values, 2):
            yield f"{b} to {a} {where}", paired_ratio(values[a], values[b])


def outcome(rule: Rule, repeats: int, found: Judgement | None) -> dict[str, Any]:
    """How a leg ended: `repeats` it made, whether the precision was `met` (None for a fixed number), and its text."""
    if rule.until is None or found is None:
        return {"repeats": repeats, "met": None, "half_width": None, "widest": None,
                "text": f"{plural(repeats, 'repeat')} as planned"}  # fmt: skip
    if found.half_width is None:
        width = f"no interval to judge{f' ({found.of})' if found.of else ''}"
    else:
        width = f"the widest interval reaches {100 * found.half_width:.3g} % to either side ({found.of})"
    if found.met:
        text = f"precise enough after {plural(repeats, 'repeat')}: {width}"
    else:
        text = f"the maximum of {plural(repeats, 'repeat')} was reached before {percent(rule.until)} was: {width}"
    return {"repeats": repeats, "met": found.met, "half_width": found.half_width, "widest": found.of or None,
            "text": text}  # fmt: skip


def block(rule: Rule, ended: Mapping[str, Mapping[str, Any]] | None = None, *, over: bool = False) -> dict[str, Any]:
    """The block `stopping` of a sweep's design. `ended`: the outcome of each leg that has ended, by its name.

    Until the sweep is over it is one that was stopped early, whatever ends it.
    """
    ended = dict(ended or {})
    told = "; ".join(f"{leg} leg: {end['text']}" if len(ended) > 1 else str(end["text"]) for leg, end in ended.items())
    text = told if over else "stopped early" + (f" after: {told}" if told else "")
    return {
        "rule": rule.text,
        "metric": METRIC,
        "confidence": 0.95,
        "stopped_early": not over,
        "legs": ended,
        "text": text,
    }


def describe(sweep: Mapping[str, Any]) -> str:
    """What a reader must know of how the sweep ended: one sentence, empty when it ended by its rule."""
    stopping = (sweep.get("design") or {}).get("stopping") or {}
    if not isinstance(stopping, Mapping) or not stopping:
        return ""
    if stopping.get("stopped_early"):
        return f"Stopped early, before its rule was met ({stopping.get('rule')}): what is missing would count."
    if any(end.get("repeats") == 0 for end in (stopping.get("legs") or {}).values()):
        why = str((sweep.get("open_leg") or {}).get("text") or "no open leg")
        return f"{why[:1].upper()}{why[1:]}."
    missed = [
        f"{leg} leg: {end['text']}" for leg, end in (stopping.get("legs") or {}).items() if end.get("met") is False
    ]
    return f"Not as precise as asked: {'; '.join(missed)}." if missed else ""
