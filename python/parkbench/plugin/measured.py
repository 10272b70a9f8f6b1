"""What is kept of a sweep: plain values, small enough for a file of many sessions, and how two of them differ."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from parkbench import wording
from parkbench.plugin.judging import JUDGED
from parkbench.record import Record, arrivals_kind, is_broken, is_comparable, is_ok, load_key, names, number

Cell = tuple[str, str, int, float]
"""A name at a load: name, leg, concurrency, rate (0 where none was set)."""

MUST_MATCH = ("workload", "transport", "arrivals")
"""What makes figures of two sweeps speak of the same thing. Options may differ: they may be what is tested."""
DISTURBED = 0.05
"""A run in which others took so much more of the CPUs than in the quietest one is left out."""
FEWEST_QUIET = 3
_OF_ONE_RUN = ("seed",)
_OF_THE_MEASUREMENT = ("duration", "duration_s", "max_duration", "max_duration_s", "warmup", "warmup_s")


@dataclass(frozen=True)
class Values:
    """A figure in one cell of one session: its repeats, and the share of the CPUs that others took meanwhile."""

    repeats: tuple[float, ...]
    lost: float | None
    speed_us: float | None


def cell_of(run: Record) -> Cell:
    """The cell whose repeat a run is."""
    return (str(run.get("name")), *load_key(run))


def cells(runs: Iterable[Record]) -> dict[Cell, list[Record]]:
    """The runs by cell, in the order in which cells are shown."""
    kept = list(runs)
    found = {cell: [run for run in kept if cell_of(run) == cell] for cell in sorted({cell_of(run) for run in kept})}
    place = {name: index for index, name in enumerate(names(kept))}
    return dict(sorted(found.items(), key=lambda item: (*item[0][1:], place[item[0][0]])))


def summary(runs: Sequence[Record], speed_us: float | None = None) -> dict[str, Any]:
    """What is kept of a sweep, as JSON knows it.

    `workload`, `transport`, `arrivals`, `speed_us`, and `cells`: each with `name`, `model`, `leg`, `concurrency`,
    `rate_rps`, `load` (words), `options`, `figures` (name -> value of each repeat that may be compared; None where it
    has none), `repeats` (their numbers), `lost` (share of the CPUs that others took, per repeat) and
    `left_out` (why -> runs).
    """
    first: Record = runs[0] if runs else {}
    return {
        "workload": first.get("workload"),
        "transport": first.get("transport"),
        "arrivals": arrivals_kind(first) if runs else None,
        "speed_us": speed_us,
        "cells": [_cell(cell, own) for cell, own in cells(runs).items()],
    }


def broken(runs: Iterable[Record]) -> str | None:
    """Why a sweep cannot be judged: the first run that failed or is invalid; None where there is none."""
    for run in runs:
        if is_broken(run):
            return f"{run.get('name')} at {wording.load(run)}, repeat {run.get('repeat')}: {run.get('status')}"
    return None


def key_of(cell: Mapping[str, Any]) -> Cell:
    """The cell of an entry of `cells`."""
    rate = cell.get("rate_rps")
    return str(cell.get("name")), str(cell.get("leg") or "closed"), int(cell["concurrency"]), float(rate or 0.0)


def find(kept: Mapping[str, Any], cell: Cell) -> Mapping[str, Any] | None:
    """The entry of a cell in a summary; None where it has none."""
    return next((entry for entry in kept.get("cells") or () if key_of(entry) == cell), None)


def values(kept: Mapping[str, Any], cell: Cell, figure: str) -> Values | None:
    """The figure in that cell of a summary; None where it has no such cell or figure. An older file may lack any."""
    entry = find(kept, cell)
    raw = ((entry or {}).get("figures") or {}).get(figure)
    if entry is None or not isinstance(raw, list):
        return None
    shares = list(entry.get("lost") or ())
    shares += [None] * (len(raw) - len(shares))
    both = [(float(v), share) for v, share in zip(raw, shares, strict=False) if _is_number(v) and v > 0]
    both = [both[index] for index in quietest([share for _, share in both], FEWEST_QUIET)]
    lost = [float(share) for _, share in both if _is_number(share)]
    speed = kept.get("speed_us")
    return (
        Values(
            tuple(value for value, _ in both),
            sum(lost) / len(lost) if lost else None,
            float(speed) if _is_number(speed) else None,
        )
        if both
        else None
    )


def quietest(lost: Sequence[Any], least: int) -> list[int]:
    """Which of these runs count, by the share of the CPUs that others took in each: their indices.

    A run that lost 5 points more than the quietest was not measured under the same conditions; but at least half of the
    runs and `least` stay, the quietest ones. Chosen by the sensors and never by the figure, so that nothing is biased.
    All stay where a sensor told nothing.
    """
    if not all(_is_number(share) for share in lost):
        return list(range(len(lost)))
    order = sorted(range(len(lost)), key=lambda index: (lost[index], index))
    within = sum(share <= lost[order[0]] + DISTURBED for share in lost)
    return sorted(order[: max(within, least, math.ceil(len(lost) / 2))])


def joined(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """The cells of the second summary with the repeats of both; repeats of the second are counted on from the first."""
    cells = []
    for entry in second["cells"]:
        before = find(first, key_of(entry))
        if before is None:
            cells.append(dict(entry))
            continue
        shift = 1 + max([0, *before["repeats"]])
        figures = {name: [*before["figures"].get(name, ()), *found] for name, found in entry["figures"].items()
                   if len(before["figures"].get(name, ())) == len(before["repeats"])}  # fmt: skip
        left_out = {why: before["left_out"].get(why, 0) + entry["left_out"].get(why, 0)
                    for why in {**before["left_out"], **entry["left_out"]}}  # fmt: skip
        repeats = [*before["repeats"], *(repeat + shift for repeat in entry["repeats"])]
        cells.append({**entry, "repeats": repeats, "figures": figures, "lost": [*before["lost"], *entry["lost"]],
                      "left_out": left_out})  # fmt: skip
    return {**second, "cells": cells}


def unlike(then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Why two summaries cannot be compared at all, as `transport direct and http`; empty where they can."""
    return ", ".join(
        f"{name} {then.get(name)} and {now.get(name)}" for name in MUST_MATCH if then.get(name) != now.get(name)
    )


def changed(then: Mapping[str, Any], now: Mapping[str, Any], cell: Cell) -> str:
    """The options of a cell that are not what they were, as `cpu_us 1000 -> 1100`; empty where all are."""
    before, after = ((find(kept, cell) or {}).get("options") or {} for kept in (then, now))
    names = [name for name in after if name in before and before[name] != after[name]]
    return ", ".join(
        f"{name} {wording.setting(before[name])} -> {wording.setting(after[name])}"
        for name in names
        if name not in _OF_THE_MEASUREMENT
    )


def _cell(cell: Cell, runs: Sequence[Record]) -> dict[str, Any]:
    used = [run for run in runs if is_comparable(run)]
    left_out: dict[str, int] = {}
    for run in runs:
        if not is_comparable(run):
            why = "not steady" if is_ok(run) else str(run.get("status"))
            left_out[why] = left_out.get(why, 0) + 1
    example = runs[0]
    return {
        "name": cell[0],
        "model": example.get("model"),
        "leg": cell[1],
        "concurrency": cell[2],
        "rate_rps": example.get("rate_rps"),
        "load": wording.load(example),
        "options": {k: v for k, v in (example.get("options") or {}).items() if k not in _OF_ONE_RUN},
        "repeats": [run.get("repeat") for run in used],
        "figures": {figure: [number(run, figure) for run in used] for figure in JUDGED if _has(used, figure)},
        "lost": [_lost(run) for run in used],
        "left_out": left_out,
    }


def _has(runs: Sequence[Record], figure: str) -> bool:
    return any(number(run, figure) is not None for run in runs)


def _lost(run: Record) -> float | None:
    """Steal and the CPU of foreign programs, as a share of all CPUs; None where no sensor told."""
    noise = (run.get("details") or {}).get("noise") or {}
    found = [noise.get(key) for key in ("steal_share", "foreign_cpu_share")]
    known = [float(value) for value in found if _is_number(value)]
    return min(1.0, sum(known)) if known else None


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value
