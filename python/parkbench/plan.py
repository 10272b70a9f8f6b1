"""The plan of a sweep: which run comes when. Pure: the same seed gives the same plan."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parkbench import arrivals, brownout, scenario
from parkbench.models import Model
from parkbench.record import LEGS

MOST_PADDING = 4096
"""Bytes of environment at most that a run's process gets on top."""


@dataclass(frozen=True)
class Cell:
    """One model at one load, with every option of its scenario. `unequal`: options it has for itself.

    In the open leg `concurrency` is the number of the generator's connections, `rate_rps` what is offered, and
    `load_share` its share of the lowest capacity; both are None in the closed leg.
    """

    name: str
    model: str
    concurrency: int
    options: Mapping[str, Any]
    unequal: tuple[str, ...]
    leg: str = LEGS[0]
    rate_rps: float | None = None
    load_share: float | None = None


@dataclass(frozen=True)
class PlannedRun:
    """One run of a cell; `seed` is the same for every model in a repeat, so that they meet the same requests.

    `env_padding_bytes` is drawn for each run: where the environment ends moves the stack, and that alone has biased
    results (Mytkowicz et al., "Producing wrong data without doing anything obviously wrong", ASPLOS 2009).
    """

    cell: Cell
    repeat: int
    seed: int
    env_padding_bytes: int = 0

    @property
    def key(self) -> tuple[str, str, int, float, int]:
        """What tells this run from the others of the sweep; as `record.run_key` of what it leaves."""
        return self.cell.name, self.cell.leg, self.cell.concurrency, self.cell.rate_rps or 0.0, self.repeat


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


def block(all_cells: Sequence[Cell], repeat: int, seed: int) -> list[PlannedRun]:
    """One repeat: every cell once, in a random order of its own. The same arguments give the same block."""
    if not all_cells:
        return []
    draw = random.Random(f"{seed} {all_cells[0].leg} {repeat}")  # noqa: S311  a plan that can be repeated, no secret
    order = list(all_cells)
    draw.shuffle(order)
    return [PlannedRun(cell, repeat, (seed + repeat) % 2**63, draw.randint(0, MOST_PADDING)) for cell in order]


def runs(all_cells: Sequence[Cell], repeats: int, seed: int) -> list[PlannedRun]:
    """All repeats, one after the other, so that what drifts on the machine meets all models alike."""
    return [run for repeat in range(1, repeats + 1) for run in block(all_cells, repeat, seed)]


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
