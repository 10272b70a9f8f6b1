"""From what a run's process left behind to the run's record: status, audit, noise, steadiness, bottleneck, cause."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from parkbench import child, plan
from parkbench.audit import audit_run, is_client_limited
from parkbench.bottleneck import find_bottleneck
from parkbench.diagnosis import find_cause
from parkbench.record import FIGURES, Record, arrivals_kind, number, option, think_s

SAMPLE_S = 0.1
_BEYOND = 0.15  # of a sample by which the cycle may be longer: a wait of 300 ms takes 301 and is three samples
OF_MACHINE = ("clock_resolution_ns", "generator_ceiling_rps")
"""Costs of the machine that the audit holds every run against."""


def record_of(
    workload: str,
    run: plan.PlannedRun,
    outcome: child.Outcome,
    started_at: str,
    transport: str,
    *,
    timeline: Sequence[Record] = (),
    noise: Mapping[str, Any] | None = None,
    machine: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The record of a run from what its process left behind; figures are null where it left none.

    `timeline`: its samples. `noise`: what the sensors around it read. `machine`: the sweep's `machine_costs`.
    """
    cell = run.cell
    record: dict[str, Any] = {
        "name": cell.name,
        "model": cell.model,
        "concurrency": cell.concurrency,
        "repeat": run.repeat,
        "transport": transport,
        **dict.fromkeys(FIGURES),
        "ledger": None,
        "failures": {},
        "phases_ms": None,
        "cpu": None,
        "bottleneck": None,
        "audit": None,
        "status": "ok",
        "leg": cell.leg,
        "rate_rps": cell.rate_rps,
        "load_share": cell.load_share,
        "workload": workload,
        "unequal": list(cell.unequal),
        "options": {**plan.recorded_options(cell.options), "seed": run.seed},
        "started_at": started_at,
        "details": {},
    }
    record.update(outcome.report or {})
    if outcome.cancelled:
        record["status"] = "incomplete"
    elif outcome.failure is not None:
        record["status"] = f"failed: {outcome.failure}"
    details: dict[str, Any] = {**record["details"], "env_padding_bytes": run.env_padding_bytes}
    details.update({key: value for key in OF_MACHINE if (value := (machine or {}).get(key)) is not None})
    details["noise"] = None if noise is None else dict(noise)
    details["steady"] = steadiness(record, timeline)
    record["details"] = details
    audit = record["audit"] = audit_run(record)
    if record["status"] == "ok" and is_client_limited(audit):
        record["status"] = "client_limited"  # what the generator could not send on time it could not measure
    bottleneck = find_bottleneck(record)
    record["bottleneck"] = bottleneck.name
    details["bottleneck"] = {"text": bottleneck.text, "figures": bottleneck.figures}
    details["cause"] = find_cause(record, machine).as_dict()
    return record


def steadiness(record: Record, timeline: Sequence[Record]) -> dict[str, Any]:
    """Whether the throughput of the window was steady: `kind`, `steady_from`, `change_points`, `text`, `samples`,
    `sample_s`.

    `kind` is None where it is not judged: load that comes in rounds and a downstream that is slow for a while change
    the throughput by design. Samples of 100 ms are taken together until one covers the mean time from request to
    request of a user: users who wait in step otherwise look like waves. `steady_from` and `change_points` count samples
    of `sample_s`.
    """
    from parkbench.steady import classify

    base: dict[str, Any] = {"kind": None, "samples": 0, "sample_s": SAMPLE_S}
    if arrivals_kind(record) == "rounds":
        return {**base, "text": "not judged: rounds come in waves by design"}
    if option(record, "faults"):
        return {**base, "text": f"not judged: {option(record, 'faults')} changes the system within the window"}
    cycle_s = (number(record, "response_mean_ms") or 0.0) / 1000 + think_s(record)
    step = max(1, math.ceil(cycle_s / SAMPLE_S - _BEYOND))
    values = _taken_together(window_samples(timeline), step)
    found = classify(values).as_dict()
    return {**found, "samples": len(values), "sample_s": step * SAMPLE_S}


def window_samples(timeline: Sequence[Record]) -> list[float]:
    """Answers per second of each sample that lies within the window wholly, in its order."""
    return [
        rate
        for row in timeline
        if (at := number(row, "t_s")) is not None
        and at >= SAMPLE_S * 0.99
        and (rate := number(row, "throughput_rps")) is not None
    ]


def _taken_together(values: Sequence[float], step: int) -> list[float]:
    """Means of `step` values each; what is left over at the end is no whole sample."""
    return [math.fsum(values[at : at + step]) / step for at in range(0, len(values) - step + 1, step)]
