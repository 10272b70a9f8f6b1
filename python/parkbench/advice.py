"""Which model to take: the articles' check-list and decision tree, answered from the user's own runs.

Where a number decides, it is measured and cited with its run; where none can, it is asked. What the runs do not carry
is refused with the remedy: no decision rests on `direct`, none about latency on closed users, none on runs that
contradict themselves.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parkbench import checklist, questions, wording
from parkbench.checklist import Line
from parkbench.pairs import SIGNIFICANT, pair_entries
from parkbench.points import Point, points_of
from parkbench.questions import NO, YES
from parkbench.record import MODELS, Record
from parkbench.stats import MIN_REPEATS_FOR_WORDS, holm, mean, paired_ratio

SIMPLEST = MODELS
"""From the simplest to write and debug to the one that asks most."""
_CLOSED = (
    'Latency is not judged: with closed users it follows from capacity. Run the sweep with legs "both" (--legs both) '
    "to compare it at equal rates."
)
_TRANSFERS = (
    "What carries over to a service is queueing; its own CPU and memory per request, garbage collection and framework "
    "are not in this."
)


@dataclass(frozen=True)
class Advice:
    """`verdict`: a model, or None where the runs carry none; `text` says it in a few sentences.

    `refused`: why there is no verdict, each with its remedy; `lines`: the check-list (see `parkbench.checklist`);
    `latency_judged`: whether an open leg carried the verdict.
    """

    verdict: str | None
    text: str
    refused: tuple[str, ...]
    lines: tuple[Line, ...]
    latency_judged: bool

    @property
    def open_questions(self) -> list[str]:
        """The keys that `--answer` may still answer."""
        return [line.key for line in self.lines if line.source == "open"]

    def to_json(self) -> dict[str, Any]:
        """The object that `parkbench advise --json` prints."""
        return {"schema": 1, "verdict": self.verdict, "text": self.text, "refused": list(self.refused),
                "latency_judged": self.latency_judged, "open_questions": self.open_questions,
                "lines": [line.as_dict() for line in self.lines]}  # fmt: skip

    def __str__(self) -> str:
        head = f"Advice: {self.verdict}" if self.verdict else "No advice"
        return "\n".join([head, self.text, "", *(f"  {line}" for line in self.lines)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = html.escape(self.verdict or "no advice")
        items = "".join(f"<li>{html.escape(str(line))}</li>" for line in self.lines)
        return f"<p><b>{head}</b></p><p>{html.escape(self.text)}</p><ul>{items}</ul>"


def advise_on(runs: Sequence[Record], answers: Mapping[str, Any] | Iterable[str] | None = None) -> Advice:
    """The advice for these runs. `answers`: `{"team": "yes"}` or `["team=yes"]`, see `parkbench.questions`.

    Raises ConfigError for an answer to no question.
    """
    told = questions.check(answers)
    cells = points_of(runs)
    closed = [points for points in cells if points and not points[0].shows_latency]
    opened = [points for points in cells if points and points[0].shows_latency]
    load = _one_of_each(_at(closed, told.get("users")) or (opened[-1] if opened else []))
    lines = checklist.measured(load)
    lines += checklist.asked(told, lines)
    judged = [_one_of_each(points) for points in opened]
    if refused := _refusals(load, judged):
        return Advice(None, f"No verdict: {'; '.join(refused)}.", tuple(refused), tuple(lines), False)
    compared = _compared(load, judged)
    verdict, text = _decide(load, compared, told, lines)
    text = f"{text} {_TRANSFERS}" if judged else f"{text} {_CLOSED} {_TRANSFERS}"
    return Advice(verdict, text, (), tuple(lines), bool(judged))


def _at(cells: Sequence[Sequence[Point]], users: int | None) -> Sequence[Point]:
    """The load to decide for: the lowest with at least so many users, else the highest with runs to compare."""
    usable = [points for points in cells if any(point.ok for point in points)]
    if users is not None:
        usable = [points for points in usable if points[0].load[1] >= users][:1] or usable
    return usable[-1] if usable else []


def _one_of_each(points: Sequence[Point]) -> list[Point]:
    """The points of the three models, one of each: the model's own name before others of it."""
    found: dict[str, Point] = {}
    for point in points:
        found.setdefault(str(point.example.get("model")), point)
    return [found[model] for model in SIMPLEST if model in found]


def _refusals(load: Sequence[Point], opened: Sequence[Sequence[Point]]) -> list[str]:
    """Why these runs carry no verdict, each with what to do. `load`: the load to decide for; `opened`: the open leg."""
    compared = [run for points in (load, *opened) for point in points for run in point.ok.values()]
    if not any(point.ok for point in load):
        return ["no run can be compared"]
    found = []
    if any(run.get("transport") != "http" for run in compared):
        found.append("measured over direct, in one process, where the model's own cost is all there is: run over http "
                     "(--transport http)")  # fmt: skip
    failed = {
        check["name"]: f"{run['name']} at {wording.load(run)}, repeat {run['repeat']}: {check['text']}"
        for run in reversed(compared)
        for check in (run.get("audit") or {}).get("checks") or ()
        if not check["passed"]
    }
    found += [f"the audit's check {name} failed ({text}): mend that and run again" for name, text in failed.items()]
    with_runs = [point for point in load if point.ok]
    if len(with_runs) < 2:
        found.append("there is only one model to choose from: run at least two (--models thread_pool,virtual_threads)")
    fewest = min(len(point.ok) for point in with_runs)
    if fewest < MIN_REPEATS_FOR_WORDS:
        found.append(
            f"{wording.plural(fewest, 'repeat')} cannot tell a difference from chance: "
            f"make at least {MIN_REPEATS_FOR_WORDS}"
        )
    if different := wording.unequal(compared):
        found.append(f"unequal by design: {different}; run them under equal limits")
    failing = [point for point in with_runs if point.fails]
    found += [f"{point.name} failed {wording.percent(point.failure_share)} of its requests: lower the load"
              for point in failing]  # fmt: skip
    return found


@dataclass(frozen=True)
class _Compared:
    """`behind[b]` holds, for each other name's model, how many times b is worse, and in what; `detectable`: the largest
    of the smallest differences that would have been found.
    """

    behind: Mapping[str, Mapping[str, tuple[float, str]]]
    detectable: float | None


def _compared(load: Sequence[Point], opened: Sequence[Sequence[Point]]) -> _Compared:
    """Capacity at the load, and latency in every load of the open leg."""
    behind: dict[str, dict[str, tuple[float, str]]] = {}
    detectable: list[float] = []
    pairs = [(a, b) for index, a in enumerate(load) for b in load[index + 1 :]]
    ratios = [paired_ratio(a.values("throughput_rps"), b.values("throughput_rps")) for a, b in pairs]
    known = [
        (pair, ratio) for pair, ratio in zip(pairs, ratios, strict=True) if ratio is not None and ratio.p is not None
    ]
    adjusted = holm([ratio.p for _, ratio in known if ratio.p is not None])
    for ((a, b), ratio), p in zip(known, adjusted, strict=True):
        detectable += [ratio.detectable] if ratio.detectable is not None else []
        if p <= SIGNIFICANT and ratio.verdict() in ("larger", "smaller"):
            worse, better = (a, b) if ratio.verdict() == "larger" else (b, a)
            times = max(ratio.ratio, 1 / ratio.ratio)
            _note(behind, worse, better, times, f"capacity at {wording.load(worse.example)}")
    of_latency = [(a, b) for points in opened for index, a in enumerate(points) for b in points[index + 1 :]]
    models = {point.name: point for points in opened for point in points}
    for entry in pair_entries(of_latency):
        detectable += [entry["detectable"]] if entry["detectable"] is not None else []
        if entry["verdict"] in ("larger", "smaller"):
            a, b = models[entry["a"]], models[entry["b"]]
            worse, better = (b, a) if entry["verdict"] == "larger" else (a, b)
            what = f"{entry['metric']} response time at {wording.load(worse.example)}"
            _note(behind, worse, better, max(entry["ratio"], 1 / entry["ratio"]), what)
    return _Compared(behind, max(detectable, default=None))


def _note(
    behind: dict[str, dict[str, tuple[float, str]]], worse: Point, better: Point, times: float, what: str
) -> None:
    own = behind.setdefault(_model(worse), {})
    if times > own.get(_model(better), (0.0, ""))[0]:
        own[_model(better)] = (times, what)


def _model(point: Point) -> str:
    return str(point.example.get("model"))


def _decide(
    load: Sequence[Point], compared: _Compared, told: Mapping[str, Any], lines: Sequence[Line]
) -> tuple[str, str]:
    """The model and the sentences for it."""
    there = [_model(point) for point in load if point.ok]
    front = [model for model in there if not compared.behind.get(model)] or _least_behind(there, compared)
    wants_flux = any(line.key in ("streaming", "backpressure", "framework") and line.answer == YES for line in lines)
    kept_from = [key for key in ("team", "drivers") if told.get(key) == NO]
    unsaid = [key for key in ("team", "drivers") if key not in told]
    where = f"at {wording.load(load[0].example)}"
    seen = "" if compared.detectable is None else (
        f" (a difference of {wording.percent(compared.detectable)} would have been found)")  # fmt: skip
    if "reactive" in front and wants_flux and not kept_from:
        asks = f" This holds if {_conditions(unsaid)}." if unsaid else ""
        return (
            "reactive",
            f"Take reactive: streams, demand or its framework are needed, and {where} it is not behind.{asks}",
        )
    if len(front) == len(there) and not compared.behind:
        simplest = there[0]
        pinned = " (look at the locks first: a pinned carrier takes its advantage)" if told.get("locks") == YES else ""
        extra = pinned if simplest == "virtual_threads" else ""
        return simplest, f"No measurable difference {where}{seen}: take the simplest, {simplest}{extra}.{_limits(load)}"
    choice = front[0]
    reasons = [
        f"{model} is behind by {times:.2f} times in {what}"
        for model, by in compared.behind.items()
        for better, (times, what) in by.items()
        if better == choice
    ]
    because = f": {'; '.join(reasons)}" if reasons else ""
    if choice != "reactive":
        check = " Look at locks and native code first: a pinned carrier takes its advantage." if (
            choice == "virtual_threads" and told.get("locks") != NO) else ""  # fmt: skip
        return choice, f"Take {choice}, the simplest that is not behind {where}{because}.{check}{_limits(load)}"
    if kept_from:
        rest = [model for model in there if model != "reactive"]
        second = _least_behind(rest, compared)[0]
        times, what = compared.behind.get(second, {}).get("reactive", (1.0, ""))
        ahead = f" ({times:.2f} times in {what})" if what else ""
        return second, f"Take {second}: reactive is ahead{ahead}, but you say no to {wording.listed(kept_from)}."
    asks = f" This holds if {_conditions(unsaid)}; if not, take {_second(there, compared)}." if unsaid else ""
    return "reactive", f"Take reactive{because}.{asks}{_limits(load)}"


def _conditions(keys: Sequence[str]) -> str:
    texts = {"team": "the team knows Mono and Flux", "drivers": "every driver is non-blocking"}
    return wording.listed([texts[key] for key in keys])


def _second(there: Sequence[str], compared: _Compared) -> str:
    return _least_behind([model for model in there if model != "reactive"], compared)[0]


def _least_behind(models: Sequence[str], compared: _Compared) -> list[str]:
    """The models, those first whose worst lag is least; equal ones from the simplest on."""
    worst = {
        model: max((times for times, _ in compared.behind.get(model, {}).values()), default=1.0) for model in models
    }
    return sorted(models, key=lambda model: (worst[model], SIMPLEST.index(model)))


def _limits(load: Sequence[Point]) -> str:
    """What limits all of them alike, and is worth more than a choice of model."""
    names = {str(point.example.get("bottleneck")) for point in load if point.ok}
    if len(names) != 1 or names & {"none", "workers", "carriers", "loops", "generator"}:
        return ""
    throughput = mean([value for point in load for value in point.values("throughput_rps").values()])
    about = f"{next(iter(names))} (about {wording.amount(throughput)}/s)"
    return f" What limits all of them is {about}: change that before the model."
