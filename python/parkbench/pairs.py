"""Two names at one load, compared: how many times as long, how sure that is, and where the difference comes from.

The words faster and slower stand only where the repeats carry them: from 5 on, the whole 95 % interval beyond 2 %, and
still significant at 5 % when all comparisons of the sweep are counted (Holm, "A simple sequentially rejective multiple
test procedure", Scandinavian Journal of Statistics 6, 1979). Where the sweep has an open leg they are said of it alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from parkbench import wording
from parkbench.points import Point, holds_alone
from parkbench.record import PHASES, option
from parkbench.splitting import METRICS, difference
from parkbench.stats import MARGIN, MIN_REPEATS_FOR_WORDS, Ratio, holm, mean, paired_ratio, samples_needed

Entry = dict[str, Any]
SIGNIFICANT = 0.05
"""Of all comparisons of a sweep together."""
_METRIC_TEXT = {"mean": "mean response time", "p99": "p99"}
_WAITING = ("request", "transaction")


@dataclass(frozen=True)
class _Pair:
    """Two points of one load and one metric; `ratio` is b / a, None where they are not compared."""

    a: Point
    b: Point
    metric: str
    ratio: Ratio | None
    p_holm: float | None = None
    comparisons: int = 0
    is_latency: bool = True

    @property
    def repeats(self) -> list[int]:
        key = METRICS[self.metric]
        return sorted(self.a.values(key).keys() & self.b.values(key).keys())

    @property
    def verdict(self) -> str:
        """As `Ratio.verdict`, but a difference that Holm does not leave significant is unsure."""
        assert self.ratio is not None
        found = self.ratio.verdict()
        lost = found in ("larger", "smaller") and self.p_holm is not None and self.p_holm > SIGNIFICANT
        return "unsure" if lost else found

    @property
    def is_lost(self) -> bool:
        """Whether the interval alone would tell a difference that the number of comparisons does not leave."""
        return self.ratio is not None and self.verdict != self.ratio.verdict()


def pair_entries(pairs: Sequence[tuple[Point, Point]], *, despite_failures: bool = False) -> list[Entry]:
    """The entries of these pairs, mean and p99, in their order; none for two that have no repeat in common.

    `ratio` is b / a with its 95 % interval `low` to `high` (None below 3 repeats), `p` that of "the ratio is 1" and
    `p_holm` the same over all comparisons given, `detectable` the smallest relative difference that this spread and
    number of repeats find with power 0.8, `verdict` (of b: larger, smaller, same, unsure, too_few_repeats, or
    not_compared) what may be said, `difference_ms` how much longer b takes in each phase (see
    `parkbench.splitting`), `phase` the one that differs most. Where a name failed more than 1 % of its requests all
    figures are None and the text says why, unless `despite_failures`.
    """
    open_leg = any(point.is_open for pair in pairs for point in pair)
    found = [
        _Pair(a, b, metric, ratio, is_latency=a.is_open or not open_leg)
        for a, b in pairs
        for metric in METRICS
        if (ratio := paired_ratio(a.values(METRICS[metric]), b.values(METRICS[metric]))) is not None
    ]
    valid = [pair for pair in found if despite_failures or not (pair.a.fails or pair.b.fails)]
    tested = [pair for pair in valid if pair.ratio is not None and pair.ratio.p is not None]
    adjusted = holm([pair.ratio.p for pair in tested if pair.ratio is not None and pair.ratio.p is not None])
    by_pair = {id(pair): p for pair, p in zip(tested, adjusted, strict=True)}
    entries = []
    for pair in found:
        if not any(pair is one for one in valid):
            if pair.metric == "mean":
                entries.append(_refused(pair))
            continue
        judged = _Pair(pair.a, pair.b, pair.metric, pair.ratio, by_pair.get(id(pair)), len(tested), pair.is_latency)
        entries.append(_entry(judged))
        if pair.metric == "mean" and not any(one is not pair and _same(one, pair) for one in found):
            need = f"{samples_needed(0.99):,} timed requests in each run"
            entries[-1]["text"] += f" p99 is not compared: it needs {need}."
    return entries


def _same(one: _Pair, other: _Pair) -> bool:
    return one.a is other.a and one.b is other.b


def _entry(pair: _Pair) -> Entry:
    ratio = pair.ratio
    assert ratio is not None
    a, b = pair.a, pair.b
    spent_a, spent_b = a.phases(pair.repeats), b.phases(pair.repeats)
    of_metric = difference(a.ok, b.ok, pair.metric) if set(pair.repeats) == a.ok.keys() & b.ok.keys() else None
    longer = of_metric or {phase: spent_b[phase] - spent_a[phase] for phase in PHASES}
    phase = max(PHASES, key=lambda name: abs(longer[name]))
    text = _comparison(pair, ratio)
    if _differs(pair):
        slower = b if longer[phase] > 0 else a
        text += f" {_where(pair, slower, phase, longer[phase], of_metric is not None)}{_why(a, b, slower, phase)}"
    return _labelled(pair, text) | {
        "ratio": ratio.ratio, "low": ratio.low, "high": ratio.high, "phase": phase, "p": ratio.p,
        "p_holm": pair.p_holm, "detectable": ratio.detectable, "verdict": pair.verdict, "difference_ms": of_metric,
    }  # fmt: skip


def _refused(pair: _Pair) -> Entry:
    """An entry without figures: whoever fails much answers only what was easy."""
    failing = [f"{point.name} failed {wording.percent(point.failure_share)} of its requests"
               for point in (pair.a, pair.b) if point.fails]  # fmt: skip
    text = (
        f"{wording.at_load(pair.a.example)} {pair.a.name} and {pair.b.name} are not compared: "
        f"{wording.listed(failing)}, more than 1 %, and a quick failure is no quick answer "
        f"(explain(despite_failures=True) compares what was answered)."
    )
    figures = ("ratio", "low", "high", "phase", "p", "p_holm", "detectable", "difference_ms")
    return _labelled(pair, text) | dict.fromkeys(figures) | {"verdict": "not_compared"}


def _labelled(pair: _Pair, text: str) -> Entry:
    if different := wording.unequal([pair.a.example, pair.b.example]):
        text = f"unequal by design: {different}. {text}"
    return {"kind": "pair", "a": pair.a.name, "b": pair.b.name, **pair.a.where, "metric": pair.metric, "text": text}


def _differs(pair: _Pair) -> bool:
    """Whether a reason is asked for: beyond the margin, and 1 not within the interval where there is one."""
    ratio = pair.ratio
    assert ratio is not None
    within = ratio.low is not None and ratio.high is not None and ratio.low <= 1 <= ratio.high
    return abs(ratio.ratio - 1) > MARGIN and not within and pair.verdict not in ("same", "unsure")


def _comparison(pair: _Pair, ratio: Ratio) -> str:
    """One sentence. The words faster and slower stand only where the repeats carry them, and only of latency."""
    a, b = pair.a, pair.b
    values = [point.values(METRICS[pair.metric]) for point in (a, b)]
    value_a, value_b = (wording.amount(mean([own[repeat] for repeat in pair.repeats])) for own in values)
    what, at = _METRIC_TEXT[pair.metric], wording.at_load(a.example)
    repeats = f"{wording.plural(ratio.pairs, 'repeat')} ({_detectable(ratio)})"
    figures = f"{what} {value_b} ms against {value_a} ms"
    if pair.is_latency and pair.verdict == "larger":
        span = _span(ratio.ratio, ratio.low, ratio.high)
        return f"{at} {b.name} is slower than {a.name}: {figures}, {span} as long over {repeats}."
    if pair.is_latency and pair.verdict == "smaller":
        span = _span(1 / ratio.ratio, _inverse(ratio.high), _inverse(ratio.low))
        return f"{at} {b.name} is faster than {a.name}: {figures}, {span} shorter over {repeats}."
    sentence = (
        f"{at} the {what} of {b.name} is {value_b} ms, that of {a.name} {value_a} ms: "
        f"{_span(ratio.ratio, ratio.low, ratio.high)} as long over {repeats}"
    )
    if not pair.is_latency:
        return f"{sentence}; with closed users that follows from capacity, latency is judged in the open leg."
    if pair.verdict == "too_few_repeats":
        return f"{sentence}; {MIN_REPEATS_FOR_WORDS} repeats are needed to say faster or slower."
    if pair.is_lost:
        return f"{sentence}: among {pair.comparisons} comparisons that may be chance (Holm, p {pair.p_holm:.2g})."
    return f"{sentence}: {'no practical difference' if pair.verdict == 'same' else 'no difference can be told'}."


def _detectable(ratio: Ratio) -> str:
    """The smallest difference that would have been found, to stand beside the number of repeats."""
    if ratio.detectable is None:
        return "detectable: not known below 3"
    return f"detectable: {wording.percent(ratio.detectable) if ratio.detectable < 10 else 'nothing below 11 times'}"


def _span(ratio: float, low: float | None, high: float | None) -> str:
    times = f"{_times(ratio)} times"
    return times if low is None or high is None else f"{times} ({_times(low)} to {_times(high)})"


def _times(ratio: float) -> str:
    if ratio >= 2:
        return f"{ratio:,.0f}" if ratio >= 99.5 else f"{ratio:.1f}"
    return f"{ratio:.2f}" if ratio >= 0.5 else f"{ratio:.2g}"


def _inverse(value: float | None) -> float | None:
    return 1 / value if value else None


def _where(pair: _Pair, slower: Point, phase: str, longer: float, of_metric: bool) -> str:
    more = wording.amount(abs(longer))
    if pair.metric == "mean":
        who = f"{slower.name} spends {more} ms more"
    elif of_metric:
        who = f"In its slowest requests {slower.name} spends {more} ms more"
    else:
        who = f"{slower.name} spends {more} ms of the mean more"
    return f"{who} {wording.waiting(phase, slower.example)} (phase {phase})"


def _why(a: Point, b: Point, slower: Point, phase: str) -> str:
    """Ends the sentence; says what makes the difference where it is no matter of the models."""
    other = a if slower is b else b
    held, free = (option(point.example, "connection_hold") for point in (slower, other))
    if held != free and held in _WAITING and _waits_for_connections(slower, phase):
        waits = bool(option(slower.example, "app_wait_ms")) and held == "request"
        while_what = "while the application waits" if waits else "longer than a statement"
        return (
            f": what makes the difference is holding the connection (connection_hold={held}) {while_what}, "
            f"not the model."
        )
    if holds_alone(slower, other) and slower.cause is not None:
        evidence = slower.cause.evidence
        return (
            f": what makes the difference is holding the connection ({wording.amount(evidence['hold_ms'])} ms, of "
            f"which the database works {wording.amount(evidence['database_ms'])} ms), not the model."
        )
    if wording.unequal([a.example, b.example]):
        return "; the two run under different limits, so this says nothing about the models."
    return "."


def _waits_for_connections(point: Point, phase: str) -> bool:
    """Also where requests wait for a worker, because all workers wait for a connection."""
    return phase == "connection" or (phase == "queue" and point.example.get("bottleneck") == "connections")
