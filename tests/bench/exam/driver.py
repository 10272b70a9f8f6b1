"""Makes the exam's runs as a sweep makes its own: a process each, sensors around it, one database for all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from bench.exam.neighbours import Neighbours
from bench.exam.scenarios import Case
from parkbench import child, noise, plan, scenario, specification
from parkbench.recording import record_of

FOREIGN, STEAL = 0.15, 0.05
"""Shares of the CPUs' time beyond which a run has a second cause beside the planted one."""


def planned(case: Case) -> tuple[specification.Specification, plan.PlannedRun]:
    """The sweep of one run that the case is. Raises `ConfigError` if its options cannot be."""
    spec = specification.check(
        case.scenario.workload,
        model_list=[case.model],
        concurrency=[case.users],
        repeats=1,
        seed=case.seed,
        options={name: value for name, value in case.options.items() if _has(case.model, name)},
        transport=case.scenario.transport,
    )
    return spec, plan.runs(spec.cells(), 1, spec.seed)[0]


def make(case: Case, core: str, dsn: str | None, beside: Neighbours) -> dict[str, Any]:
    """Makes the run and returns its record, nothing blanked. A run that fails is a record whose status says why."""
    spec, run = planned(case)
    cell = run.cell
    sent = scenario.to_core(
        spec.workload, cell.model, cell.concurrency, cell.options, seed=run.seed, dsn=dsn, transport=spec.transport
    )
    started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
    if case.neighbours:
        beside.run(case.neighbours)
    try:
        with noise.watching() as watch:
            outcome = child.run(
                {**sent, "plant": dict(case.plant)}, core, None, plan.longest_s(cell.options), run.env_padding_bytes
            )
            heard = watch.read((outcome.report or {}).get("details"))
    finally:
        if case.neighbours:
            beside.run(0)
    timeline = (outcome.report or {}).pop("timeline", None) or []
    return record_of(spec.workload, run, outcome, started_at, spec.transport, timeline=timeline, noise=heard)


def disturbance(case: Case, record: Mapping[str, Any]) -> str:
    """What disturbed the run from outside, though no neighbours were planted; empty when nothing much did."""
    seen = (record.get("details") or {}).get("noise") or {}
    foreign, steal = (float(seen.get(name) or 0.0) for name in ("foreign_cpu_share", "steal_share"))
    if case.neighbours or (foreign <= FOREIGN and steal <= STEAL):
        return ""
    return f"other programs used {foreign:.0%} of the CPUs, {steal:.0%} were stolen"


def connections(case: Case) -> int:
    """The database connections the run holds; 0 for a run without a database."""
    spec, run = planned(case)
    return int(run.cell.options["connections"]) if spec.needs_database else 0


def cannot(record: Mapping[str, Any]) -> str:
    """Why this core cannot plant the scenario that left the record, as it refuses what it lacks; empty when it can."""
    found = re.search(r"plant: there is no \w+", str(record.get("status")))
    return f"the core refuses it: {found[0]}" if found else ""


def _has(model: str, option: str) -> bool:
    """Whether the option has an effect on the model."""
    return scenario.OPTIONS[option].model in (None, model)
