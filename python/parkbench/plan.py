"""The plan of a sweep: which run comes when. Pure: the same seed gives the same plan."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parkbench import arrivals, brownout, scenario
from parkbench.models import Model


@dataclass(frozen=True)
class Cell:
    """One model at one number of users, with every option of its scenario. `unequal`: options it has for itself."""

    name: str
    model: str
    concurrency: int
    options: Mapping[str, Any]
    unequal: tuple[str, ...]


@dataclass(frozen=True)
class PlannedRun:
    """One run of a cell; `seed` is the same for every model in a repeat, so that they meet the same requests."""

    cell: Cell
    repeat: int
    seed: int

    @property
    def key(self) -> tuple[str, int, int]:
        """What tells this run from the others of the sweep."""
        return self.cell.name, self.cell.concurrency, self.repeat


def cells(
    workload: str,
    models: Sequence[Model],
    concurrency: Sequence[int],
    given: Mapping[str, Any],
    transport: str = scenario.TRANSPORTS[0],
) -> list[Cell]:
    """Every model at every number of users. `given`: the options of all, checked. Raises `ConfigError`."""
    scenario.check_effect(workload, given, transport=transport)
    shared = scenario.complete(given, workload)
    found = []
    for model in models:
        scenario.check_effect(workload, model.options, model.name, transport)
        options = scenario.complete({**given, **model.options}, workload)
        unequal = tuple(name for name in model.options if options[name] != shared[name])
        found += [Cell(model.name, model.kind, users, options, unequal) for users in concurrency]
    return found


def runs(all_cells: Sequence[Cell], repeats: int, seed: int) -> list[PlannedRun]:
    """Each repeat holds every cell once, in an order of its own: what drifts on the machine meets all models alike."""
    order = random.Random(seed)  # noqa: S311  a plan that can be repeated, no secret
    plan: list[PlannedRun] = []
    for repeat in range(1, repeats + 1):
        block = list(all_cells)
        order.shuffle(block)
        plan += [PlannedRun(cell, repeat, (seed + repeat) % 2**63) for cell in block]
    return plan


def recorded_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as a record holds them: plain values, arrivals and faults as typed."""
    typed = {"arrivals": arrivals.text, "faults": brownout.text}
    return {name: typed[name](value) if name in typed else value for name, value in options.items()}


def longest_s(options: Mapping[str, Any]) -> float | None:
    """After how many seconds a run of these options must be over; None for a run with a request count.

    Set-up, warm-up and drain have limits of their own; half a minute more before the process is taken for hung.
    """
    if options["requests_per_user"] is not None:
        return None
    warm_up = max(float(options["warmup"]), 10.0) + float(options["timeout"])
    rounds = float(options["timeout"])  # a window of whole rounds closes when its last round does
    drain = float(options["timeout"])
    return 60.0 + warm_up + float(options["max_duration"]) + rounds + drain + 30.0
