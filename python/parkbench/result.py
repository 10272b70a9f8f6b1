"""What a sweep gives back: its runs, as data frame, charts, explanation and audit."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parkbench import wording
from parkbench.audit import Audit, Check
from parkbench.errors import ConfigError
from parkbench.explain import Entry, explain_runs
from parkbench.record import Record, is_ok, public, run_key
from parkbench.stats import paired_ratio
from parkbench.store import SCHEMA, RunStore, save
from parkbench.summary import describe

if TYPE_CHECKING:
    import pandas as pd

    from parkbench.plots.theme import Chart, Mode

MUST_MATCH = ("machine", "cpu_model", "cpus_usable", "memory_mib", "kernel", "python", "parkbench", "build", "postgres")
"""Fields of a sweep's environment that must be the same in two sweeps whose figures are compared."""
COMPARED = ("throughput_rps", "response_mean_ms", "response_p99_ms", "rss_peak_mib")


class Explanation(list[Entry]):
    """The entries of `explain_runs` as a list; shown, it is the verdict in sentences."""

    def __init__(self, runs: Sequence[Record]) -> None:
        super().__init__(explain_runs(runs))
        self._runs = runs

    def lines(self) -> list[str]:
        """The verdict first, then where the time goes, what was left out, and the audit."""
        return describe(self._runs, self)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "".join(f"<p>{html.escape(line)}</p>" for line in self.lines())


class SweepAudit(dict[str, Any]):
    """`{"passed", "checks"}` over all runs; each check also has `run`, `name_of_run`, `concurrency` and `repeat`."""

    @property
    def passed(self) -> bool:
        """Whether every check of every run passed."""
        return bool(self["passed"])

    def __str__(self) -> str:
        failed = [check for check in self["checks"] if not check["passed"]]
        head = f"{len(self['checks']) - len(failed):,} of {wording.plural(len(self['checks']), 'check')} passed"
        lines = [
            f"{c['name']} failed: {c['name_of_run']} at {c['concurrency']:,}, repeat {c['repeat']}: {c['text']}"
            for c in failed
        ]
        return "\n".join([head, *lines])

    __repr__ = __str__


class SweepResult:
    """The runs of a sweep. `sweep`: what was asked and on what; `runs`: one record each; nothing of it changes."""

    def __init__(self, sweep: Mapping[str, Any], runs: Sequence[Record], timeline: Sequence[Record] = ()) -> None:
        """`timeline`: rows whose `run` counts the runs as given. Of a run that was made again only the last stays."""
        self.sweep: dict[str, Any] = {key: value for key, value in sweep.items() if key != "schema"}
        latest = {run_key(run): index for index, run in enumerate(runs)}
        kept = sorted(latest.values())
        place = {old: new for new, old in enumerate(kept)}
        self.runs: list[dict[str, Any]] = [dict(runs[index]) for index in kept]
        self._samples = [{**row, "run": place[row["run"]]} for row in timeline if row.get("run") in place]

    @classmethod
    def of(cls, store: RunStore) -> SweepResult:
        """The result of what a store holds so far."""
        return cls(store.sweep, store.runs, store.timeline)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """A tidy DataFrame, one row per run; the columns are those of `parkbench.frame.runs_frame`."""
        from parkbench.frame import runs_frame

        return runs_frame(self.runs)

    @cached_property
    def timeline(self) -> pd.DataFrame:
        """A DataFrame, one row per run and sample (100 ms); `run` is the row of `frame`."""
        from parkbench.frame import timeline_frame

        return timeline_frame(self._samples)

    def explain(self) -> Explanation:
        """What differs, by how much, which phase makes the difference and which resource is the bottleneck."""
        return Explanation(self.runs)

    def audit(self) -> SweepAudit:
        """All checks of all runs, each with its numbers."""
        checks: list[dict[str, Any]] = []
        for index, run in enumerate(self.runs):
            audit: Audit | None = run.get("audit")
            found: list[Check] = audit["checks"] if audit else []
            where = {"run": index, "name_of_run": run["name"], "concurrency": run["concurrency"],
                     "repeat": run["repeat"]}  # fmt: skip
            checks += [{**where, **check} for check in found]
        return SweepAudit(passed=all(check["passed"] for check in checks), checks=checks)

    def plot(self, mode: Mode = "light") -> Chart:
        """The articles' four charts as a matplotlib Figure. Raises ValueError when no run has status ok."""
        from parkbench.plots import articles

        return articles(self.frame, self.title, mode, self._load_word())

    def plot_phases(self, concurrency: int | None = None, mode: Mode = "light") -> Chart:
        """Where the milliseconds go at one load, by default the highest. Raises ValueError if no run was made at it."""
        from parkbench.plots import phases

        loads = [run["concurrency"] for run in self.runs if is_ok(run)]
        load = max(loads, default=0) if concurrency is None else concurrency
        example = next((run for run in self.runs if run["concurrency"] == load), None)
        where = f", {wording.load(example)}" if example else ""
        return phases(self.frame, concurrency, f"Where the milliseconds go{where}", mode)

    @property
    def title(self) -> str:
        """What was measured: workload, transport, arrivals, loads, repeats, and what is unequal by design."""
        from parkbench.table import title

        return title(self.runs)

    def table(self, *, terminal: bool | None = None, width: int | None = None) -> str:
        """The table as text: coloured in a terminal, plain elsewhere."""
        from parkbench.table import render

        return render(self.runs, terminal=terminal, width=width)

    def to_json(self) -> dict[str, Any]:
        """The object that `--json` prints: `schema`, `sweep`, `runs`, `explain`."""
        runs = [public(run) for run in self.runs]
        return {"schema": SCHEMA, "sweep": self.sweep, "runs": runs, "explain": list(self.explain())}

    def save(self, directory: str | os.PathLike[str]) -> None:
        """Write everything into a missing or empty directory; `pb.load` reads it. Raises ConfigError."""
        save(directory, self.sweep, self.runs, self._samples)

    def _load_word(self) -> str:
        from parkbench.table import columns

        return {"at once": "requests at once"}.get(word := columns(self.runs)[0], word)

    def __repr__(self) -> str:
        bad = sum(not is_ok(run) for run in self.runs)
        return f"<SweepResult {self.title}: {wording.plural(len(self.runs), 'run')}, {bad} not ok>"

    def _repr_html_(self) -> str:
        from parkbench.plots.theme import MODEL_COLOURS
        from parkbench.table import columns, rows

        left = "text-align:left"
        head = "".join(f'<th style="{left if h in ("name", "bottleneck", "status") else ""}">{html.escape(h)}</th>'
                       for h in columns(self.runs))  # fmt: skip
        body = ""
        for row in rows(self.runs):
            dot = f'<span style="color:{MODEL_COLOURS.get(row.model, "#888")}">&#9679;</span> '
            cells = [f"<td>{html.escape(cell)}</td>" for cell in row.cells]
            cells[1] = f'<td style="{left}">{dot}{html.escape(row.name)}</td>'
            body += f"<tr>{''.join(cells)}</tr>"
        text = "".join(f"<p>{html.escape(line)}</p>" for line in self.explain().lines())
        head = f"<thead><tr>{head}</tr></thead>"
        return f"<p><b>{html.escape(self.title)}</b></p>{text}<table>{head}<tbody>{body}</tbody></table>"


def load(directory: str | os.PathLike[str]) -> SweepResult:
    """Read a saved sweep, also one that was interrupted. Raises ConfigError, ParkbenchError (see `RunStore.read`)."""
    return SweepResult.of(RunStore.read(directory))


def compare(a: SweepResult, b: SweepResult, *, unlike: bool = False) -> pd.DataFrame:
    """How many times the figures of `b` are those of `a`, per name, concurrency and figure.

    Columns: name, concurrency, figure, a, b (means over the repeats), ratio, low, high (95 %, null below 3 repeats),
    repeats. Only runs with status ok. Refuses sweeps of unlike machines, builds or workloads (ConfigError names the
    field and both values) unless `unlike` is true. The sweeps were not interleaved, so the interval does not cover
    what changed on the machine between them.
    """
    import pandas as pd

    if not unlike:
        _refuse_unlike(a.sweep, b.sweep)
    rows: list[dict[str, Any]] = []
    for name, concurrency in dict.fromkeys((run["name"], run["concurrency"]) for run in a.runs):
        for figure in COMPARED:
            left, right = _values(a, name, concurrency, figure), _values(b, name, concurrency, figure)
            ratio = paired_ratio(left, right)
            if ratio is not None:
                both = sorted(left.keys() & right.keys())
                means = {key: sum(values[r] for r in both) / len(both) for key, values in (("a", left), ("b", right))}
                rows.append({"name": name, "concurrency": concurrency, "figure": figure, **means, "ratio": ratio.ratio,
                             "low": ratio.low, "high": ratio.high, "repeats": ratio.pairs})  # fmt: skip
    return pd.DataFrame(rows, columns=["name", "concurrency", "figure", "a", "b", "ratio", "low", "high", "repeats"])


def _values(result: SweepResult, name: str, concurrency: int, figure: str) -> dict[int, float]:
    """The figure of each repeat that is ok."""
    return {
        int(run["repeat"]): float(run[figure])
        for run in result.runs
        if run["name"] == name and run["concurrency"] == concurrency and is_ok(run) and run.get(figure) is not None
    }


def _refuse_unlike(a: Mapping[str, Any], b: Mapping[str, Any]) -> None:
    for key in ("workload", "transport"):
        _refuse_field(key, a.get(key), b.get(key))
    first, second = a.get("environment") or {}, b.get("environment") or {}
    for key in MUST_MATCH:
        _refuse_field(key, first.get(key), second.get(key))


def _refuse_field(field: str, a: Any, b: Any) -> None:
    """Compare two values, mappings field by field; a DSN names a place and not a kind of machine."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for key in dict.fromkeys([*a, *b]):
            if key != "dsn":
                _refuse_field(f"{field}.{key}", a.get(key), b.get(key))
    elif a != b:
        raise ConfigError(
            f"the two sweeps differ in {field}: {a!r} and {b!r}; their figures cannot be compared (unlike=True goes on)"
        )
