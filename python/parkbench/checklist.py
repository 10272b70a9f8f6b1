"""The articles' check-list, each line answered from the user's own runs: one figure, and the run it stands in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from parkbench import wording
from parkbench.diagnosis import Facts
from parkbench.points import Point
from parkbench.questions import QUESTIONS, YES
from parkbench.record import Record, detail, number, option, phases

WAITS = ("connection", "database", "downstream", "app_wait")
BOUND = 0.5
"""A share of the response time, or of the CPUs, from which something is most of it."""
PINNED = 0.1
MEMORY_MATTERS_MIB = 64.0


@dataclass(frozen=True)
class Line:
    """One line of the check-list. `source`: measured, told (by an answer) or open (to be asked).

    `speaks_for` and `speaks_against` name models. `cites` says where the figure stands: `name`, `concurrency`, `leg`,
    `rate_rps`, `repeat` of the run, `figure` (its key) and `value`; None for what was not measured.
    """

    key: str
    question: str
    answer: str
    source: str
    text: str
    speaks_for: tuple[str, ...] = ()
    speaks_against: tuple[str, ...] = ()
    cites: Mapping[str, Any] | None = field(default=None)

    def as_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {**asdict(self), "cites": None if self.cites is None else dict(self.cites)}

    def __str__(self) -> str:
        mark = {"measured": "measured", "told": "you say", "open": "to answer"}[self.source]
        where = f" [{cited(self.cites)}]" if self.cites else ""
        answer = f" {self.answer}." if self.answer else ""
        return f"{mark}: {self.question}{answer} {self.text}{where}"


def cited(cites: Mapping[str, Any]) -> str:
    """`thread_pool at 400 users, repeat 2: threads_blocked_mean 188`."""
    return f"{cites['where']}, repeat {cites['repeat']}: {cites['figure']} {wording.amount(cites['value'])}"


def cite(point: Point, key: str, figure: str | None = None) -> dict[str, Any] | None:
    """The run of a point whose figure is the median of its comparable repeats; None where none has it."""
    found = sorted((value, repeat) for repeat, run in point.ok.items() if (value := _value(run, key)) is not None)
    if not found:
        return None
    value, repeat = found[(len(found) - 1) // 2]
    return {
        "name": point.name,
        **point.where,
        "repeat": repeat,
        "figure": figure or key,
        "value": value,
        "where": f"{point.name} at {wording.load(point.ok[repeat])}",
    }


def measured(points: Sequence[Point]) -> list[Line]:
    """The lines that the runs of one load answer; `points` are its names, one of each model at most."""
    by_model = {str(point.example.get("model")): point for point in points if point.ok}
    if not by_model:
        return []
    any_point = next(iter(by_model.values()))
    lines = [
        _many_at_once(by_model),
        _io_share(any_point),
        _blocked(by_model),
        _limit(by_model),
        _held(by_model),
        _pinned(by_model),
        _stalled(by_model),
        _memory(by_model),
        _brake(by_model),
        _gateway(any_point),
        _stream(any_point),
    ]
    return [line for line in lines if line is not None]


def asked(answers: Mapping[str, Any], lines: Sequence[Line]) -> list[Line]:
    """The lines that only the user can answer: told where there is an answer, else open; none that was measured."""
    known = {line.key for line in lines}
    found = []
    for key, question in QUESTIONS.items():
        if key in known and key not in answers:
            continue
        answer = answers.get(key)
        if answer is None:
            text = f"yes: {question.yes}; no: {question.no} (--answer {key}=yes or no)."
            found.append(Line(key, question.text, "", "open", text))
            continue
        told = question.yes if answer == YES else question.no
        speaks_for, against = _bearing(key, answer == YES)
        found.append(Line(key, question.text, answer, "told", f"{told[0].upper()}{told[1:]}.", speaks_for, against))
    return found


def _bearing(key: str, yes: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What an answer speaks for and against."""
    if key in ("team", "drivers"):
        return ((), ()) if yes else ((), ("reactive",))
    if key == "locks":
        return ((), ("virtual_threads",)) if yes else ((), ())
    return (("reactive",), ()) if yes else ((), ())


def _many_at_once(by_model: Mapping[str, Point]) -> Line | None:
    pool = by_model.get("thread_pool")
    point = pool or next(iter(by_model.values()))
    cites = cite(point, "in_flight_mean")
    if cites is None:
        return None
    question = "Are more requests under way at once than a pool has workers?"
    workers = option(point.example, "workers") if pool else None
    if not isinstance(workers, int):
        return Line(
            "many",
            question,
            "not comparable",
            "measured",
            f"{wording.amount(cites['value'])} are; there is no pool.",
            cites=cites,
        )
    short = pool is not None and str(pool.example.get("bottleneck")) == "workers"
    text = f"{wording.amount(cites['value'])} under way, {workers:,} workers" + (
        "; they are the bottleneck." if short else "."
    )
    return Line(
        "many",
        question,
        "yes" if cites["value"] > workers else "no",
        "measured",
        text,
        ("virtual_threads", "reactive") if short else (),
        ("thread_pool",) if short else (),
        cites,
    )


def _io_share(point: Point) -> Line | None:
    spent = point.phases(list(point.ok))
    total = sum(spent.values())
    facts = Facts(point.example)
    if total <= 0:
        return None
    waits = sum(spent[phase] for phase in WAITS) / total
    if facts.own >= BOUND and facts.host >= 0.9 and waits < BOUND:
        text = f"The model's process uses {wording.percent(facts.own)} of the CPUs: no model makes computing shorter."
        return Line(
            "cpu",
            "Does the service compute rather than wait?",
            "yes",
            "measured",
            text,
            ("thread_pool",),
            ("reactive",),
            cite(point, "process_cpu_share"),
        )
    largest = max(WAITS, key=lambda phase: spent[phase])
    text = f"{wording.percent(waits)} of a response, most of it in the phase {largest}."
    answer = "no, it waits" if waits >= BOUND else "no"
    return Line(
        "cpu",
        "Does the service compute rather than wait?",
        answer,
        "measured",
        text,
        cites=cite(point, f"phase:{largest}", f"phases_ms.{largest}"),
    )


def _blocked(by_model: Mapping[str, Point]) -> Line | None:
    pool = by_model.get("thread_pool")
    cites = cite(pool, "threads_blocked_mean") if pool else None
    if cites is None or pool is None:
        return None
    idle = cite(pool, "threads_idle_mean")
    text = f"{wording.amount(cites['value'])} on average" + (
        f", {wording.amount(idle['value'])} are idle." if idle else "."
    )
    return Line("blocked", "How many threads of the pool are blocked?", "", "measured", text, cites=cites)


def _limit(by_model: Mapping[str, Point]) -> Line | None:
    found = {model: str(point.example.get("bottleneck")) for model, point in by_model.items()}
    names = set(found.values())
    question = "Is the limit a resource that all models share?"
    shared = len(names) == 1 and names <= {"connections", "database", "cpu", "downstream", "lock", "memory"}
    point = next(iter(by_model.values()))
    key = {
        "connections": "connections_in_use_mean",
        "cpu": "host_cpu_share",
        "lock": "lock_waiting_mean",
        "database": "phase:database",
        "downstream": "phase:downstream",
    }.get(next(iter(names)), "throughput_rps")
    told = ", ".join(f"{model} {name}" for model, name in found.items())
    text = "The model is not what limits: change that first." if shared else f"Bottlenecks: {told}."
    return Line(
        "limit", question, f"yes, {next(iter(names))}" if shared else "no", "measured", text, cites=cite(point, key)
    )


def _held(by_model: Mapping[str, Point]) -> Line | None:
    for point in by_model.values():
        if point.cause is not None and point.cause.name == "held_connections":
            text = f"{point.name}: {point.cause.text}. Giving it back before the wait helps more than any model."
            return Line(
                "held",
                "Is a connection held while the application waits?",
                "yes",
                "measured",
                text,
                cites=cite(point, "connections_in_use_mean"),
            )
    return None


def _pinned(by_model: Mapping[str, Point]) -> Line | None:
    point = by_model.get("virtual_threads")
    cites = cite(point, "threads_pinned_mean") if point else None
    if point is None or cites is None:
        return None
    facts = Facts(point.example)
    pinned = facts.pinned_share >= PINNED
    text = f"{wording.amount(cites['value'])} of {wording.amount(facts.threads)} carriers on average." + (
        " Find the section (pinned_by in the run's details) before choosing virtual threads." if pinned else ""
    )
    return Line(
        "pinned",
        "Are carriers pinned in these runs?",
        "yes" if pinned else "no",
        "measured",
        text,
        (),
        ("virtual_threads",) if pinned else (),
        cites,
    )


def _stalled(by_model: Mapping[str, Point]) -> Line | None:
    point = by_model.get("reactive")
    if point is None or point.cause is None or point.cause.name != "stalled_loop":
        return None
    text = f"{point.cause.text}. A blocking call belongs on a scheduler of its own."
    return Line(
        "stalled",
        "Are loops stalled in these runs?",
        "yes",
        "measured",
        text,
        (),
        ("reactive",),
        cite(point, "threads_pinned_mean"),
    )


def _memory(by_model: Mapping[str, Point]) -> Line | None:
    peaks = {model: found for model, point in by_model.items() if (found := cite(point, "rss_peak_mib")) is not None}
    if len(peaks) < 2:
        return None
    most, least = (chosen(peaks, key=lambda model: peaks[model]["value"]) for chosen in (max, min))
    apart = peaks[most]["value"] - peaks[least]["value"]
    told = ", ".join(f"{model} {wording.amount(found['value'])}" for model, found in peaks.items())
    matters = apart >= MEMORY_MATTERS_MIB
    return Line(
        "memory",
        "Does memory tell the models apart?",
        "yes" if matters else "no",
        "measured",
        f"Peak resident MiB: {told}. A JVM's own memory comes on top.",
        (),
        (most,) if matters else (),
        peaks[most],
    )


def _brake(by_model: Mapping[str, Point]) -> Line | None:
    point = by_model.get("virtual_threads") or by_model.get("reactive")
    if point is None or "limit" not in (point.example.get("options") or {}):
        return None
    limit = option(point.example, "limit")
    text = (
        f"At most {limit:,} requests are inside at once."
        if limit
        else "Nothing refuses requests: if the downstream slows down, memory grows with what is in flight. Set limit."
    )
    return Line(
        "brake",
        "Is there a brake on what is let in?",
        "yes" if limit else "no",
        "measured",
        text,
        cites=cite(point, "in_flight_mean"),
    )


def _gateway(point: Point) -> Line | None:
    if point.example.get("workload") != "gateway":
        return None
    calls = option(point.example, "aggregate") or 1
    text = f"A gateway, {wording.plural(int(calls), 'downstream call')} for each request."
    return Line(
        "gateway",
        "Is the service a gateway, or does it join answers of others?",
        "yes",
        "measured",
        text,
        ("virtual_threads", "reactive"),
        (),
        cite(point, "phase:downstream", "phases_ms.downstream"),
    )


def _stream(point: Point) -> Line | None:
    if point.example.get("workload") != "stream":
        return None
    return Line(
        "streaming",
        QUESTIONS["streaming"].text,
        "yes",
        "measured",
        f"{QUESTIONS['streaming'].yes.capitalize()}.",
        ("reactive",),
        (),
        cite(point, "throughput_rps"),
    )


def _value(run: Record, key: str) -> float | None:
    """A figure of the run, of its details, or (`phase:database`) one of its phases."""
    if key.startswith("phase:"):
        return phases(run).get(key.removeprefix("phase:"))
    found = number(run, key)
    return found if found is not None else detail(run, key)
