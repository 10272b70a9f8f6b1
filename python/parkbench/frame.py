"""Run records to tidy pandas DataFrames: one row per run, one row per sample, units in the column names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from parkbench.record import FIGURES, IDENTITY, LEDGER, LEGS, PHASES, PROCESSES, Record, is_comparable

if TYPE_CHECKING:
    import pandas as pd

DETAILS = (
    "in_flight_mean", "queue_depth_mean", "connections_in_use_mean", "connections_waiting_mean", "lateness_p99_ms",
    "generator_cpu_share", "process_cpu_share", "host_cpu_share", "requests_timed", "rounds", "steals",
)  # fmt: skip
"""Scalars of `details` that become columns under their own names."""

LOAD = ("rate_rps", "load_share")

TIMELINE = (
    "run", "name", "model", "concurrency", "repeat", "t_s", "in_flight", "queue_depth", "threads", "threads_blocked",
    "threads_on_io", "threads_on_connection", "threads_on_app_wait", "threads_pinned", "threads_on_cpu", "threads_idle",
    "requests_waiting", "connections_in_use", "connections_waiting", "rss_mib", "cpu_s", "throughput_rps",
)  # fmt: skip


def runs_frame(runs: Sequence[Record]) -> pd.DataFrame:
    """One row per run, in the order of the runs.

    Columns: `run` (index of the run), the identity and figures of a record, its load (`leg`, closed or open; in an open
    leg `rate_rps`, 1/s, and `load_share`, its share of the lowest capacity), the CPU seconds of each process
    (`server_cpu_s`, `generator_cpu_s`, `downstream_cpu_s`, on transport http), `ledger_*` and `failures_*` (whole
    numbers), `phase_*_ms` (twelve, always), the scalars of DETAILS, `option_*`, `unequal` (names of the options set for
    this model alone, comma-separated), `bottleneck`, `cause`, `steady` (kind of the throughput over time), `noisy`
    (the machine had others to serve), `audit_passed`, `status`, `comparable` (status ok and steady: only such runs are
    drawn and compared). What was not looked at is missing. A run that failed has no figures: NaN.
    """
    import pandas as pd

    causes = sorted({cause for run in runs for cause in (run.get("failures") or {})})
    options = _ordered_union(run.get("options") or {} for run in runs)
    rows = [_row(index, run, causes, options) for index, run in enumerate(runs)]
    columns = list(_row(0, {}, causes, options))
    frame = pd.DataFrame(rows, columns=columns)
    for column in (*LOAD, *FIGURES, *(f"{p}_cpu_s" for p in PROCESSES), *(f"phase_{p}_ms" for p in PHASES), *DETAILS):
        frame[column] = pd.to_numeric(frame[column]).astype("float64")
    for column in (*(f"ledger_{key}" for key in LEDGER), *(f"failures_{cause}" for cause in causes)):
        frame[column] = frame[column].astype("Int64")
    frame["noisy"] = frame["noisy"].astype("boolean")
    return frame


def timeline_frame(rows: Sequence[Record]) -> pd.DataFrame:
    """One row per run and sample; `run` is the row of `runs_frame`, `t_s` counts from the opening of the window."""
    import pandas as pd

    extra = [key for key in _ordered_union(rows) if key not in TIMELINE]
    return pd.DataFrame([dict(row) for row in rows], columns=[*TIMELINE, *extra])


def _row(index: int, run: Record, causes: Sequence[str], options: Sequence[str]) -> dict[str, Any]:
    ledger, failures = run.get("ledger") or {}, run.get("failures")
    phases, details = run.get("phases_ms") or {}, run.get("details") or {}
    own_options = run.get("options") or {}
    return {
        "run": index,
        "workload": run.get("workload"),
        **{key: run.get(key) for key in IDENTITY},
        "leg": run.get("leg") or LEGS[0],
        **{key: run.get(key) for key in LOAD},
        "status": run.get("status"),
        "comparable": is_comparable(run),
        **{key: run.get(key) for key in FIGURES},
        **{f"{process}_cpu_s": (run.get("cpu") or {}).get(f"{process}_s") for process in PROCESSES},
        **{f"ledger_{key}": ledger.get(key) for key in LEDGER},
        **{f"failures_{cause}": None if failures is None else failures.get(cause, 0) for cause in causes},
        **{f"phase_{phase}_ms": phases.get(phase) for phase in PHASES},
        **{key: details.get(key) for key in DETAILS},
        "bottleneck": run.get("bottleneck"),
        "cause": (details.get("cause") or {}).get("name"),
        "steady": (details.get("steady") or {}).get("kind"),
        "noisy": (details.get("noise") or {}).get("noisy"),
        "audit_passed": (run.get("audit") or {}).get("passed"),
        "unequal": ",".join(run.get("unequal") or ()),
        "started_at": run.get("started_at"),
        **{f"option_{name}": own_options.get(name) for name in options},
    }


def _ordered_union(mappings: Iterable[Record]) -> list[str]:
    """All keys of all mappings, in the order in which they first appear."""
    return list(dict.fromkeys(key for mapping in mappings for key in mapping))
