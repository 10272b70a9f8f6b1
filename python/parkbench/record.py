"""The names of a run record: what one run leaves behind, one JSON object on one line.

Every module that reads records (frame, audit, bottleneck, explain, table, store) takes its names from here, so that a
figure is spelt once. A record is a plain mapping, never an object of ours: it comes from a child process or a file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

Record = Mapping[str, Any]

PHASES = (
    "client_wait", "lateness", "network", "queue", "connection", "database", "downstream", "app_wait", "wakeup", "cpu",
    "reply", "unexplained",
)  # fmt: skip

LEDGER = ("scheduled", "unsent", "ok", "rejected", "failed", "timed_out", "in_flight_at_end")

THREAD_STATES = ("io", "connection", "app_wait", "pinned", "cpu")
"""What a thread of a model is on; with `idle` they add up to the model's threads."""

IDENTITY = ("name", "model", "concurrency", "repeat", "transport")

FIGURES = (
    "duration_s", "offered_rps", "throughput_rps",
    "response_mean_ms", "response_p50_ms", "response_p90_ms", "response_p99_ms", "response_max_ms",
    "from_send_mean_ms", "from_send_p99_ms",
    "threads_peak", "threads_mean", "threads_blocked_mean", "threads_blocked_max",
    "threads_on_io_mean", "threads_on_connection_mean", "threads_on_app_wait_mean", "threads_pinned_mean",
    "threads_on_cpu_mean", "threads_idle_mean", "requests_waiting_mean",
    "rss_baseline_mib", "rss_peak_mib", "cpu_s", "context_switches",
)  # fmt: skip
"""The measured figures of a run, units in the names; null in a run that failed."""

LEGS = ("closed", "open")
"""`closed`: the load that was asked for, whatever its arrivals. `open`: the same models at rates that all can carry."""

PUBLIC = (
    *IDENTITY, *FIGURES, "ledger", "failures", "phases_ms", "bottleneck", "audit", "status", "leg", "rate_rps",
    "load_share",
)  # fmt: skip
"""The keys of a run in `--json`, in this order. The file on disk holds more (options, details)."""


UNSTEADY = ("unstable", "slow-down")
"""Kinds of `details.steady` that have no mean: no steady state was reached."""
STEADY_SAMPLES = 30
"""From so many samples on a run's kind is believed."""

PROCESSES = ("server", "generator", "downstream")
"""The processes of a run on transport http; `cpu` holds the CPU seconds of each."""

MODELS = ("thread_pool", "virtual_threads", "reactive")


def ordered(models: Mapping[str, str]) -> list[str]:
    """The names of a sweep in the order in which they are shown; `models` maps names to models.

    The runs themselves come in random order, so it says nothing: by model, a model's own name before others of it.
    """
    place = {model: index for index, model in enumerate(MODELS)}
    return sorted(models, key=lambda name: (place.get(models[name], len(place)), name != models[name], name))


def names(records: Iterable[Record]) -> list[str]:
    """The names in these records, in the order in which they are shown."""
    return ordered({str(record.get("name")): str(record.get("model")) for record in records})


def load_key(record: Record) -> tuple[str, int, float]:
    """What tells the load of a run from the sweep's other loads: leg, concurrency, rate (0 where none was set).

    Runs with the same name and the same key are the repeats of one cell. Records of older files have no leg.
    """
    return str(record.get("leg") or LEGS[0]), int(record["concurrency"]), number(record, "rate_rps") or 0.0


def run_key(record: Record) -> tuple[str, str, int, float, int]:
    """What tells a run from the others of its sweep: name, load_key, repeat; the same for a run made again."""
    return str(record.get("name")), *load_key(record), int(record["repeat"])


def loads(records: Iterable[Record]) -> list[tuple[str, int, float]]:
    """The loads of these records in the order in which they are shown: the closed leg first, each from low to high."""
    return sorted({load_key(record) for record in records})


def cores(record: Record) -> dict[str, float]:
    """CPUs used over the window by each process that the run measured: server, generator, downstream.

    Over `direct` there is one, whose generator is not counted. Empty for a run without figures.
    """
    window = number(record, "duration_s")
    if not window:
        return {}
    spent = {role: _finite((record.get("cpu") or {}).get(f"{role}_s")) for role in PROCESSES}
    spent["server"] = spent["server"] if spent["server"] is not None else number(record, "cpu_s")
    return {role: value / window for role, value in spent.items() if value is not None}


def number(record: Record, key: str) -> float | None:
    """A figure of the record itself; None where it is missing, null or not finite."""
    return _finite(record.get(key))


def detail(record: Record, key: str) -> float | None:
    """A figure of the record's `details`; None where it is missing, null or not finite."""
    return _finite((record.get("details") or {}).get(key))


def option(record: Record, key: str) -> Any:
    """A scenario option of this run; None where the run has none of that name."""
    return (record.get("options") or {}).get(key)


def phases(record: Record) -> dict[str, float]:
    """All twelve phases in ms (means over the ok requests); empty for a run without figures."""
    found = record.get("phases_ms") or {}
    if not found:
        return {}
    return {phase: _finite(found.get(phase)) or 0.0 for phase in PHASES}


def is_ok(record: Record) -> bool:
    """Whether the run may be compared with others: only status `ok` may."""
    return record.get("status") == "ok"


def has_figures(record: Record) -> bool:
    """Whether the run measured anything: `too_short` and `client_limited` runs did, `failed` ones did not."""
    return number(record, "response_mean_ms") is not None and bool(record.get("phases_ms"))


def is_steady(record: Record) -> bool:
    """False where the run's throughput showed no steady state, so that its means say nothing about the next second.

    Only enough samples can show that (STEADY_SAMPLES, of 100 ms or longer); shorter runs and those that were not
    judged count as steady. Its figures stay in the record; tables and comparisons leave them out.
    """
    steady = (record.get("details") or {}).get("steady") or {}
    return not (steady.get("kind") in UNSTEADY and (steady.get("samples") or 0) >= STEADY_SAMPLES)


def is_comparable(record: Record) -> bool:
    """Whether the run's means may be shown and compared: status ok, with figures, and steady."""
    return is_ok(record) and has_figures(record) and is_steady(record)


def is_broken(record: Record) -> bool:
    """Whether the run makes the command fail (exit 1): `invalid: WHY` or `failed: WHY`."""
    return str(record.get("status", "")).startswith(("invalid", "failed"))


def arrivals_kind(record: Record) -> str:
    """`closed`, `rounds`, `constant`, ...; closed where nothing is said. Takes both forms: text and mapping."""
    found = option(record, "arrivals")
    if isinstance(found, Mapping):
        return str(found.get("kind", "closed"))
    return str(found or "closed").partition(":")[0]


def think_s(record: Record) -> float:
    """Think time of a closed user in seconds, from `think_s` or from the arrivals; 0 where none is set."""
    found = option(record, "arrivals")
    if isinstance(found, Mapping):
        return _finite(found.get("think_s")) or 0.0
    own = _finite(option(record, "think_s"))
    if own is not None:
        return own
    match = re.search(r"think=([0-9.eE+-]+?)(ms|s)?(?:,|$)", str(found or ""))
    return float(match[1]) / (1000 if match[2] == "ms" else 1) if match else 0.0


def public(record: Record) -> dict[str, Any]:
    """The run as `--json` prints it: exactly the keys of PUBLIC, null where the run has no such figure."""
    return {key: record.get(key) for key in PUBLIC}


def model_threads(record: Record) -> float | None:
    """Mean number of the model's own threads: the sum over what they wait for; None without the counts."""
    parts = [number(record, f"threads_on_{state}_mean" if state != "pinned" else "threads_pinned_mean")
             for state in THREAD_STATES]  # fmt: skip
    idle = number(record, "threads_idle_mean")
    known = [part for part in (*parts, idle) if part is not None]
    return sum(known) if known else None


def _finite(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if math.isfinite(value) else None
