"""What a sweep gives back: its runs, as data frame, charts, explanation and audit."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parkbench import wording
from parkbench.audit import Audit, Check
from parkbench.explain import Entry, explain_runs
from parkbench.record import LEGS, Record, is_comparable, is_ok, load_key, public, run_key
from parkbench.store import RunStore, save
from parkbench.summary import describe

if TYPE_CHECKING:
    import pandas as pd

    from parkbench.advice import Advice
    from parkbench.fits import Scalings
    from parkbench.plots.theme import Chart, Mode

JSON_SCHEMA = 1
"""The number of the object that `--json` prints; the files on disk have one of their own (`store.SCHEMA`)."""


class Explanation(list[Entry]):
    """The entries of `explain_runs` as a list; shown, it is the verdict in sentences."""

    def __init__(self, runs: Sequence[Record], sweep: Mapping[str, Any] | None = None, *,
                 despite_failures: bool = False) -> None:  # fmt: skip
        super().__init__(explain_runs(runs, despite_failures=despite_failures))
        self._runs, self._sweep = runs, sweep

    def lines(self) -> list[str]:
        """The verdict first, then where the time goes, what was left out, and the audit."""
        return describe(self._runs, self, self._sweep)

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

    def explain(self, *, despite_failures: bool = False) -> Explanation:
        """What differs, by how much, which phase makes the difference, which resource is the bottleneck, and why.

        Names that failed more than 1 % of their requests are compared only `despite_failures`.
        """
        return Explanation(self.runs, self.sweep, despite_failures=despite_failures)

    def predictions(self) -> list[dict[str, Any]]:
        """What would change if each bottleneck were doubled, and the check where the sweep holds that point."""
        return [
            {**{key: entry[key] for key in ("name", "concurrency", "leg", "rate_rps")}, **entry["prediction"]}
            for entry in self.explain()
            if entry.get("prediction")
        ]

    def scaling(self) -> Scalings:
        """The universal scalability law fitted to each name; below 6 numbers of users it says why not."""
        from parkbench.fits import scalings

        return scalings(self.runs)

    def advise(self, answers: Mapping[str, Any] | Iterable[str] | None = None) -> Advice:
        """Which model to take, by what was measured and what you answer (`{"team": "yes"}`). Raises ConfigError."""
        from parkbench.advice import advise_on

        return advise_on(self.runs, answers)

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
        """The articles' four charts as a matplotlib Figure. Raises ValueError when no run can be compared."""
        from parkbench.plots import articles

        return articles(self.frame, self._title(LEGS[0]), mode, self._load_word())

    def plot_latency(self, mode: Mode = "light") -> Chart:
        """Mean and p99 of the open leg against the share of the lowest capacity. Raises ValueError without one."""
        from parkbench.plots import latency

        return latency(self.frame, self._title(LEGS[1]), mode)

    def plot_phases(self, concurrency: int | None = None, mode: Mode = "light") -> Chart:
        """Where the milliseconds go at one load, by default the highest. Raises ValueError if no run was made at it."""
        from parkbench.plots import phases

        closed = [run for run in self.runs if load_key(run)[0] == LEGS[0]]
        loads = [run["concurrency"] for run in closed if is_comparable(run)]
        load = max(loads, default=0) if concurrency is None else concurrency
        example = next((run for run in closed if run["concurrency"] == load), None)
        where = f": {wording.arrivals(example)}, {wording.load(example)}" if example else ""
        return phases(self.frame, concurrency, f"Where the milliseconds go{where}", mode)

    @property
    def title(self) -> str:
        """What was measured: workload, transport, arrivals, loads, repeats, and what is unequal by design."""
        return self._title(*LEGS)

    def _title(self, *legs: str) -> str:
        """The title for what shows these legs: a chart of closed users names no rate."""
        from parkbench.table import title

        stopping = (self.sweep.get("design") or {}).get("stopping") or {}
        shown = title([run for run in self.runs if load_key(run)[0] in legs])
        return shown + ("; stopped early" if stopping.get("stopped_early") else "")

    def table(self, *, terminal: bool | None = None, width: int | None = None) -> str:
        """The table as text: coloured in a terminal, plain elsewhere."""
        from parkbench.table import render

        return render(self.runs, terminal=terminal, width=width)

    def to_json(self) -> dict[str, Any]:
        """The object that `--json` prints: `schema`, `sweep`, `runs`, `explain`."""
        runs = [public(run) for run in self.runs]
        return {"schema": JSON_SCHEMA, "sweep": self.sweep, "runs": runs, "explain": list(self.explain())}

    def save(self, directory: str | os.PathLike[str]) -> None:
        """Write everything into a missing or empty directory; `pb.load` reads it. Raises ConfigError."""
        save(directory, self.sweep, self.runs, self._samples)

    def _load_word(self) -> str:
        from parkbench.table import columns

        closed = [run for run in self.runs if load_key(run)[0] == LEGS[0]]
        return {"at once": "requests at once"}.get(word := columns(closed)[0], word)

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
