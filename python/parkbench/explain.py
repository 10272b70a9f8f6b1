"""Says what differs between the names of a sweep, by how much, and which phase makes the difference.

Two kinds of entries (plain dicts, the same in Python, `--json` and the terminal): `model`, one per name and
concurrency, and `pair`, one per two names, concurrency and metric. Only runs with status `ok` are compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from parkbench import wording
from parkbench.record import PHASES, Record, has_figures, is_ok, names, number, option, phases
from parkbench.stats import MARGIN, MIN_REPEATS_FOR_WORDS, Ratio, mean, paired_ratio, samples_needed

Entry = dict[str, Any]
METRICS = {"mean": "response_mean_ms", "p99": "response_p99_ms"}
_METRIC_TEXT = {"mean": "mean response time", "p99": "p99"}


@dataclass(frozen=True)
class _Point:
    """All runs of one name at one concurrency; `ok` are those that may be compared, by repeat."""

    name: str
    concurrency: int
    runs: Sequence[Record]
    ok: Mapping[int, Record]

    @property
    def example(self) -> Record:
        return next(iter(self.ok.values()), self.runs[0])

    def values(self, key: str) -> dict[int, float]:
        found = {repeat: number(run, key) for repeat, run in self.ok.items()}
        return {repeat: value for repeat, value in found.items() if value is not None}

    def phases(self, repeats: Sequence[int]) -> dict[str, float]:
        """Mean phases over these repeats, in ms."""
        spent = [phases(self.ok[repeat]) for repeat in repeats]
        return {phase: mean([one[phase] for one in spent]) for phase in PHASES}


def explain_runs(runs: Sequence[Record]) -> list[Entry]:
    """The entries of a sweep: per concurrency the names in their order, then their pairs.

    Where something was set for one name alone, the text of the first entry begins with `unequal by design: ...`.
    """
    shown = names(runs)
    entries: list[Entry] = []
    for concurrency in sorted({int(run["concurrency"]) for run in runs}):
        points = [point for name in shown if (point := _point(runs, name, concurrency)) is not None]
        entries += [_model_entry(point) for point in points]
        entries += [entry for a, b in combinations(points, 2) for entry in _pair_entries(a, b)]
    different = wording.unequal(runs)
    if different and entries:
        entries[0]["text"] = f"unequal by design: {different}. {entries[0]['text']}"
    return entries


def _point(runs: Sequence[Record], name: str, concurrency: int) -> _Point | None:
    own = [run for run in runs if run["name"] == name and run["concurrency"] == concurrency]
    return _Point(name, concurrency, own, {int(run["repeat"]): run for run in own if _comparable(run)}) if own else None


def _comparable(run: Record) -> bool:
    return is_ok(run) and has_figures(run)


def _model_entry(point: _Point) -> Entry:
    entry: Entry = {"kind": "model", "concurrency": point.concurrency, "name": point.name,
                    "model": point.example.get("model")}  # fmt: skip
    if not point.ok:
        entry |= {"largest_phase": None, "share": None, "bottleneck": None}
        text = f"{wording.at_load(point.example)} {point.name} is not compared: {_left_out(point)}"
        return entry | {"text": text + "."}
    spent = point.phases(list(point.ok))
    response = mean(list(point.values("response_mean_ms").values()))
    largest = max(PHASES, key=lambda phase: spent[phase])
    share = spent[largest] / response if response else 0.0
    bottlenecks = Counter(str(run.get("bottleneck")) for run in point.ok.values())
    bottleneck = bottlenecks.most_common(1)[0][0]
    text = (
        f"{wording.at_load(point.example)} {point.name} spends {wording.percent(share)} of "
        f"{wording.amount(response)} ms {wording.waiting(largest, point.example)}; "
        f"{_bottleneck_text(bottleneck, bottlenecks)}."
    )
    if left := _left_out(point):
        text += f" Not compared: {left}."
    return entry | {"largest_phase": largest, "share": share, "bottleneck": bottleneck, "text": text}


def _bottleneck_text(name: str, found: Counter[str]) -> str:
    text = "no resource is the bottleneck" if name == "none" else f"bottleneck: {name}"
    others = [f"{other} in {count}" for other, count in found.items() if other != name]
    return text + (f" (but {wording.listed(others)} of {found.total()} repeats)" if others else "")


def _left_out(point: _Point) -> str:
    """The runs that are not compared, with their status: `repeat 2 (too_short)`."""
    left = [run for run in point.runs if not _comparable(run)]
    return wording.listed([f"repeat {run['repeat']} ({run.get('status')})" for run in left])


def _pair_entries(a: _Point, b: _Point) -> list[Entry]:
    """Mean, and p99 where enough requests carry it; none when the two have no repeat in common."""
    entries = [entry for metric in METRICS if (entry := _pair_entry(a, b, metric)) is not None]
    if len(entries) == 1:
        entries[0]["text"] += f" p99 is not compared: it needs {samples_needed(0.99):,} timed requests in each run."
    return entries


def _pair_entry(a: _Point, b: _Point, metric: str) -> Entry | None:
    values_a, values_b = a.values(METRICS[metric]), b.values(METRICS[metric])
    ratio = paired_ratio(values_a, values_b)
    if ratio is None:
        return None
    repeats = sorted(values_a.keys() & values_b.keys())
    spent_a, spent_b = a.phases(repeats), b.phases(repeats)
    phase = max(PHASES, key=lambda name: abs(spent_b[name] - spent_a[name]))
    text = _comparison(a, b, metric, ratio, mean([values_a[r] for r in repeats]), mean([values_b[r] for r in repeats]))
    if _differs(ratio):
        slower = a if spent_a[phase] > spent_b[phase] else b
        text += f" {_difference(slower, phase, spent_a[phase], spent_b[phase], metric)}{_cause(a, b, slower, phase)}"
    if different := wording.unequal([a.example, b.example]):
        text = f"unequal by design: {different}. {text}"
    return {"kind": "pair", "a": a.name, "b": b.name, "concurrency": a.concurrency, "metric": metric,
            "ratio": ratio.ratio, "low": ratio.low, "high": ratio.high, "phase": phase, "text": text}  # fmt: skip


def _differs(ratio: Ratio) -> bool:
    """Whether a reason is asked for: beyond the margin, and 1 not within the interval where there is one."""
    within = ratio.low is not None and ratio.high is not None and ratio.low <= 1 <= ratio.high
    return abs(ratio.ratio - 1) > MARGIN and not within and ratio.verdict() not in ("same", "unsure")


def _comparison(a: _Point, b: _Point, metric: str, ratio: Ratio, value_a: float, value_b: float) -> str:
    """One sentence. The words faster and slower stand only where the repeats carry them."""
    what = _METRIC_TEXT[metric]
    figures = f"{wording.amount(value_b)} ms against {wording.amount(value_a)} ms"
    at = wording.at_load(a.example)
    repeats = wording.plural(ratio.pairs, "repeat")
    verdict = ratio.verdict()
    if verdict == "larger":
        span = _span(ratio.ratio, ratio.low, ratio.high)
        return f"{at} {b.name} is slower than {a.name}: {what} {figures}, {span} as long over {repeats}."
    if verdict == "smaller":
        span = _span(1 / ratio.ratio, _inverse(ratio.high), _inverse(ratio.low))
        return f"{at} {b.name} is faster than {a.name}: {what} {figures}, {span} shorter over {repeats}."
    sentence = (
        f"{at} the {what} of {b.name} is {wording.amount(value_b)} ms, that of {a.name} {wording.amount(value_a)} ms: "
        f"{_span(ratio.ratio, ratio.low, ratio.high)} as long over {repeats}"
    )
    if verdict == "too_few_repeats":
        return f"{sentence}; {MIN_REPEATS_FOR_WORDS} repeats are needed to say faster or slower."
    return f"{sentence}: {'no practical difference' if verdict == 'same' else 'no difference can be told'}."


def _span(ratio: float, low: float | None, high: float | None) -> str:
    times = f"{_times(ratio)} times"
    return times if low is None or high is None else f"{times} ({_times(low)} to {_times(high)})"


def _times(ratio: float) -> str:
    if ratio >= 2:
        return f"{ratio:,.0f}" if ratio >= 99.5 else f"{ratio:.1f}"
    return f"{ratio:.2f}" if ratio >= 0.5 else f"{ratio:.2g}"


def _inverse(value: float | None) -> float | None:
    return 1 / value if value else None


def _difference(slower: _Point, phase: str, spent_a: float, spent_b: float, metric: str) -> str:
    more = wording.amount(abs(spent_b - spent_a))
    of = "" if metric == "mean" else " of the mean"
    return f"{slower.name} spends {more} ms{of} more {wording.waiting(phase, slower.example)} (phase {phase})"


def _cause(a: _Point, b: _Point, slower: _Point, phase: str) -> str:
    """Ends the sentence; names an option as the cause where one was set for one of the two alone."""
    held, free = (option(point.example, "connection_hold") for point in ((a, b) if slower is a else (b, a)))
    differs = held != free and held in ("request", "transaction")
    if differs and _waits_for_connections(slower, phase):
        waits = bool(option(slower.example, "app_wait_ms")) and held == "request"
        while_what = "while the application waits" if waits else "longer than a statement"
        return (
            f": what makes the difference is holding the connection (connection_hold={held}) {while_what}, "
            f"not the model."
        )
    if wording.unequal([a.example, b.example]):
        return "; the two run under different limits, so this says nothing about the models."
    return "."


def _waits_for_connections(point: _Point, phase: str) -> bool:
    """Also where requests wait for a worker, because all workers wait for a connection."""
    return phase == "connection" or (phase == "queue" and point.example.get("bottleneck") == "connections")
