"""The verdict in a few sentences, for the terminal, the notebook and the head of a report: what comes first is what
matters, and what the data do not carry is said, not left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from parkbench import wording
from parkbench.points import Point, holds_alone, points_of
from parkbench.record import LEGS, Record, arrivals_kind, has_figures, is_ok, is_steady, load_key
from parkbench.stats import mean, paired_ratio

_TRANSFERS_HTTP = (
    "Measured over http on one machine: bottleneck, queueing, hold times and a missing brake carry over to a service; "
    "CPU and memory per request, garbage collection, warm-up and framework do not."
)
_TRANSFERS = (
    "Measured in one process (direct): bottleneck, queueing and hold times carry over to a service; "
    "CPU and memory per request do not."
)
_CLOSED_ONLY = (
    "Closed response times follow from capacity by Little's law (users = throughput x (response + think time)); "
    'legs "both" (--legs both) measures latency at equal rates.'
)
_MANY_TIMES = 3.0
"""From this ratio on a contrast is as that of the first article."""

Entry = Mapping[str, Any]
Load = tuple[str, int, float]


def describe(
    runs: Sequence[Record], entries: Sequence[dict[str, Any]], sweep: Mapping[str, Any] | None = None
) -> list[str]:
    """Sentences, the verdict first. `entries` are those of `explain_runs(runs)`; plain text without markup.

    The highest load that could be compared is told in full, in the open leg where there is one, of every other load
    only its largest difference. `sweep`: what sweep.json says; its costs and its stopping rule are told too.
    """
    if not runs:
        return ["No run has ended yet."]
    if not any(is_ok(run) and has_figures(run) for run in runs):
        reasons = list(dict.fromkeys(str(run.get("status")) for run in runs))
        return [f"No run can be compared: {wording.listed(reasons)}.", *_audit(runs)]
    lines = [f"unequal by design: {different}."] if (different := wording.unequal(runs)) else []
    cells = points_of(runs)
    lines += _verdict(entries)
    lines += _capacity(cells)
    lines += _first_article(cells)
    return [*lines, *_conditions(runs), *_audit(runs), *_of_sweep(sweep or {}), *_transfer(runs, sweep or {})]


def _verdict(entries: Sequence[Entry]) -> list[str]:
    """The highest load in full, of the others one sentence each; then what could not be compared."""
    lines = []
    loads = sorted({_load(entry) for entry in entries if entry.get("largest_phase")}, reverse=True)
    if loads:
        lines += [_plain(entry) for entry in entries if _is_pair(entry, loads[0])]
        lines += [_plain(entry) for entry in entries if entry["kind"] == "model" and _load(entry) == loads[0]]
    for load in reversed(loads[1:]):
        pairs = [entry for entry in entries if _is_pair(entry, load)]
        compared = [entry for entry in pairs if entry["ratio"]]
        if compared:
            lines.append(_first_sentence(_plain(max(compared, key=lambda entry: abs(math.log(entry["ratio"]))))))
        lines += [_plain(entry) for entry in pairs if not entry["ratio"]]
    return lines + [_plain(entry) for entry in entries if entry["kind"] == "model" and _load(entry) not in loads]


def _load(entry: Entry) -> Load:
    return str(entry.get("leg") or LEGS[0]), int(entry["concurrency"]), float(entry.get("rate_rps") or 0.0)


def _is_pair(entry: Entry, load: Load) -> bool:
    return bool(entry["kind"] == "pair" and entry["metric"] == "mean" and _load(entry) == load)


def _plain(entry: Entry) -> str:
    """The text without what is set per model: the first line has said that for the whole sweep."""
    text = str(entry["text"])
    if text.startswith("unequal by design: "):
        starts = [at for word in (". At ", ". With ") if (at := text.find(word)) >= 0]
        text = text[min(starts) + 2 :] if starts else text
    return text


def _first_sentence(text: str) -> str:
    end = text.find(". ")
    return text if end < 0 else text[: end + 1]


def _capacity(cells: Sequence[Sequence[Point]]) -> list[str]:
    """Where there is an open leg: what each name can carry, from the closed one, which is there for that."""
    if not any(point.is_open for points in cells for point in points):
        return []
    best: dict[str, Point] = {}
    for point in (point for points in cells for point in points if not point.is_open and point.ok):
        if point.name not in best or _throughput(point) > _throughput(best[point.name]):
            best[point.name] = point
    told = [
        f"{name} {wording.amount(_throughput(point))}/s at {wording.load(point.example)}"
        for name, point in best.items()
    ]
    sentences = [f"Capacity (closed leg): {wording.listed(told)}."] if told else []
    for a, b in combinations(best.values(), 2):
        ratio = paired_ratio(a.values("throughput_rps"), b.values("throughput_rps"))
        if ratio is not None and ratio.verdict() in ("larger", "smaller"):
            most, least = (b, a) if ratio.verdict() == "larger" else (a, b)
            times = ratio.ratio if most is b else 1 / ratio.ratio
            sentences.append(f"{most.name} carries {times:.2f} times what {least.name} does.")
    return [" ".join(sentences)] if sentences else []


def _throughput(point: Point) -> float:
    values = list(point.values("throughput_rps").values())
    return mean(values) if values else 0.0


def _first_article(cells: Sequence[Sequence[Point]]) -> list[str]:
    """One sentence where one name holds its connections while it waits and the other does not."""
    for points in reversed(cells):
        for one, two in combinations(points, 2):
            for slower, other in ((one, two), (two, one)):
                ratio = paired_ratio(other.values("response_mean_ms"), slower.values("response_mean_ms"))
                if ratio is None or ratio.ratio < _MANY_TIMES or not holds_alone(slower, other) or slower.cause is None:
                    continue
                size = int(slower.cause.evidence.get("connections") or 0)
                which = f"one of {size:,} connections" if size else "one of few connections"
                hold = wording.amount(slower.cause.evidence["hold_ms"])
                text = (
                    f"This is the contrast of 7,724 against 321 ms told of MVC and WebFlux: {slower.name} holds "
                    f"{which} for {hold} ms of each request while it waits, {other.name} does not, and that makes "
                    f"{ratio.ratio:.1f} times, not the model."
                )
                return [text]
    return []


def _conditions(runs: Sequence[Record]) -> list[str]:
    """Noise, runs without a steady state, and what closed response times cannot say."""
    lines = []
    noisy = [run for run in runs if (_of(run, "noise")).get("noisy")]
    if noisy:
        lines.append(
            f"{wording.plural(len(noisy), 'run')} of {len(runs):,} {'was' if len(noisy) == 1 else 'were'} noisy; "
            f"{_where(noisy[0])}: {_of(noisy[0], 'noise').get('text')}."
        )
    unsteady = [run for run in runs if not is_steady(run)]
    if unsteady:
        kinds = wording.listed(sorted({str(_of(run, "steady").get("kind")) for run in unsteady}))
        lines.append(
            f"{wording.plural(len(unsteady), 'run')} of {len(runs):,} had no steady state ({kinds}) and have no mean "
            f"that could be compared; result.timeline has their series; {_where(unsteady[0])}."
        )
    closed = all(load_key(run)[0] == LEGS[0] and arrivals_kind(run) == "closed" for run in runs)
    return [*lines, _CLOSED_ONLY] if closed else lines


def _of(run: Record, key: str) -> Mapping[str, Any]:
    found = (run.get("details") or {}).get(key)
    return found if isinstance(found, Mapping) else {}


def _where(run: Record) -> str:
    return f"{run['name']} at {wording.load(run)}, repeat {run['repeat']}"


def _audit(runs: Sequence[Record]) -> list[str]:
    """One line when all is well, else one line per kind of failure with its first case."""
    failed: dict[str, list[str]] = {}
    for run in runs:
        for check in (run.get("audit") or {}).get("checks") or ():
            if not check["passed"]:
                failed.setdefault(check["name"], []).append(f"{_where(run)}: {check['text']}")
    if not failed:
        checked = sum(bool(run.get("audit")) for run in runs)
        return [f"Audit: all checks passed on {wording.plural(checked, 'run')}."] if checked else []
    return [
        f"Audit: {name} failed on {wording.plural(len(cases), 'run')}; {cases[0]}." for name, cases in failed.items()
    ]


def _of_sweep(sweep: Mapping[str, Any]) -> list[str]:
    """How the sweep ended, where not by its rule, what measuring costs on its machine, and what there sways figures."""
    from parkbench import costs, environment, stopping

    found = sweep.get("environment") or {}
    own_server = (found.get("postgres") or {}).get("provider") == "user"
    swayed = [f"{told[0].upper()}{told[1:]}." for told in environment.cautions(found, own_server=own_server)]
    return [line for line in (stopping.describe(sweep), costs.describe(sweep), *swayed) if line]


def _transfer(runs: Sequence[Record], sweep: Mapping[str, Any]) -> list[str]:
    """Where the processes ran, and what of the figures carries over."""
    postgres = (sweep.get("environment") or {}).get("postgres") or {}
    texts = {"direct": _TRANSFERS, "http": _TRANSFERS_HTTP}
    found = [text for transport, text in texts.items() if any(run.get("transport") == transport for run in runs)]
    return [wording.placement(runs, postgres.get("provider")), *found]
