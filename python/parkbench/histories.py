"""One measurement over many saved sweeps: a series per machine, name, load and figure, and where its level changed.

Not named history.py: one reads `histories.series_of(...)`, and `history` is the command. Kernel, build and version may
differ within a series, for whether they changed a figure is the question; machine, workload and options may not.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from parkbench import change_points, manifest, stats, validate, wording
from parkbench.errors import ConfigError, ParkbenchError
from parkbench.record import FIGURES, LEGS, Record, is_comparable, load_key, names, number, run_key
from parkbench.scenario import OPTIONS
from parkbench.store import SWEEP, RunStore

FOLLOWED = ("throughput_rps", "response_mean_ms", "response_p99_ms", "rss_peak_mib")
"""The figures of a history where none is named."""
_MACHINE = ("cpu_model", "cpus_usable", "memory_mib", "machine")
_BLOCKS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class Point:
    """One sweep in a series: when it began, where it is, the median over its repeats and how many there were."""

    at: str
    directory: str
    value: float
    repeats: int


@dataclass(frozen=True)
class Change:
    """A new level from the point with this index on: the medians of the levels before and after."""

    index: int
    at: str
    directory: str
    before: float
    after: float

    @property
    def size(self) -> float:
        """The relative difference: 0.05 is 5 % more than before."""
        return self.after / self.before - 1


@dataclass(frozen=True)
class Series:
    """One figure of one name at one load on one machine, in the order in which the sweeps began."""

    machine: str
    workload: str
    transport: str
    options: Mapping[str, Any]
    name: str
    model: str
    load: str
    figure: str
    points: tuple[Point, ...]
    changes: tuple[Change, ...]

    @property
    def values(self) -> list[float]:
        """The medians."""
        return [point.value for point in self.points]

    @property
    def title(self) -> str:
        """What was measured and what was set for all models: `pricing, http, connections=20`."""
        return ", ".join([self.workload, self.transport, *self._chosen(of_a_model=False)])

    @property
    def label(self) -> str:
        """The name, with what was set of the model's own options: `thread_pool, workers=50`."""
        return ", ".join([self.name, *self._chosen(of_a_model=True)])

    def _chosen(self, *, of_a_model: bool) -> list[str]:
        return [f"{key}={wording.setting(value)}" for key, value in self.options.items()
                if bool(key in OPTIONS and OPTIONS[key].model) == of_a_model]  # fmt: skip


@dataclass(frozen=True)
class Saved:
    """A sweep that was found: where, when it began, what it says of itself, its runs."""

    directory: str
    at: datetime
    sweep: Mapping[str, Any]
    runs: Sequence[Record]


def find(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """The directories of sweeps: those named, and all below folders that are named. Raises ConfigError for none."""
    found: dict[Path, Path] = {}
    for given in paths:
        path = Path(given)
        below = [path] if (path / SWEEP).is_file() else sorted(file.parent for file in path.rglob(SWEEP))
        if not below:
            reason = "holds no sweep" if path.is_dir() else "is no directory"
            raise ConfigError(
                f"{path} {reason}; name directories that `parkbench run --out` filled, or folders of them"
            )
        found.update((directory.resolve(), directory) for directory in below)
    return list(found.values())


def gather(paths: Iterable[str | os.PathLike[str]]) -> tuple[list[Saved], list[str]]:
    """The sweeps below these paths by the time they began, and a sentence for each that cannot be read or trusted.

    Raises ConfigError where a path holds none.
    """
    saved, problems = [], []
    for directory in find(paths):
        try:
            store = RunStore.read(directory, histograms=False)
        except ParkbenchError as error:
            problems.append(str(error))
            continue
        problems += manifest.differences(directory)
        saved.append(Saved(str(directory), _began(store), store.sweep, _latest(store.runs)))
    return sorted(saved, key=lambda one: (one.at, one.directory)), problems


def series_of(saved: Sequence[Saved], figures: Sequence[str] = FOLLOWED) -> list[Series]:
    """The series of these sweeps, which stand in the order in which they began; by machine, load and name.

    Only runs that may be compared count. The open leg that a sweep lays by its own capacity has other rates each time;
    there the share of the capacity is the load.
    """
    points: dict[tuple[Any, ...], list[Point]] = {}
    first: dict[tuple[Any, ...], tuple[Saved, Record]] = {}
    for one in saved:
        cells: dict[tuple[Any, ...], list[Record]] = {}
        for run in filter(is_comparable, one.runs):
            cells.setdefault(_identity(one.sweep, run), []).append(run)
        for identity, runs in cells.items():
            first.setdefault(identity, (one, runs[0]))
            for figure in figures:
                values = [value for run in runs if (value := number(run, figure)) is not None]
                if values:
                    point = Point(one.at.isoformat(), one.directory, stats.median(values), len(values))
                    points.setdefault((identity, figure), []).append(point)
    found = []
    for (identity, figure), row in points.items():
        found.append(_series(*first[identity], figure, row))
    shown = names(run for _, run in first.values())
    return sorted(found, key=lambda s: (s.machine, s.title, _load_order(s.load), shown.index(s.name), s.label))


def changes_in(points: Sequence[Point]) -> list[Change]:
    """Where the level of a series changed, by more than the margin of 2 %."""
    values = [point.value for point in points]
    if not values:
        return []
    ends = [*change_points.find(values), len(values)]
    levels = [stats.median(values[begin:end]) for begin, end in zip([0, *ends], ends, strict=False)]
    found = []
    for index, before, after in zip(ends, levels, levels[1:], strict=False):
        if before > 0 and not 1 / (1 + stats.MARGIN) <= after / before <= 1 + stats.MARGIN:
            found.append(Change(index, points[index].at, points[index].directory, before, after))
    return found


def sentences(one: Series) -> list[str]:
    """A sentence for each change of level: when, which way, how much, and on how many sweeps it stands."""
    unit = {"rps": "/s", "ms": " ms", "mib": " MiB", "s": " s"}.get(one.figure.rsplit("_", 1)[-1], "")
    ends = [0, *(change.index for change in one.changes), len(one.points)]
    found = []
    for change, begin, end in zip(one.changes, ends, ends[2:], strict=False):
        size = f"{change.size:+.1%}".replace("%", " %")
        found.append(
            f"{one.label} at {one.load}: {one.figure} went from {wording.amount(change.before)} to "
            f"{wording.amount(change.after)}{unit} ({size}) with the sweep of {change.at[:16].replace('T', ' ')} "
            f"in {change.directory}; {wording.plural(change.index - begin, 'sweep')} before, "
            f"{end - change.index} since."
        )
    return found


def spark(values: Sequence[float]) -> str:
    """The series as a line of blocks, the lowest value the lowest block and the highest the highest: no axis from 0."""
    low, high = min(values), max(values)
    if high == low:
        return _BLOCKS[3] * len(values)
    return "".join(_BLOCKS[round((value - low) / (high - low) * (len(_BLOCKS) - 1))] for value in values)


def check_figure(figure: str) -> str:
    """The name of a figure of a run. Raises ConfigError."""
    if figure not in FIGURES:
        hint = validate.did_you_mean(figure, FIGURES)
        raise ConfigError(f"{validate.spell('figure')} knows no {validate.shown(figure)}{hint or '; it takes '}"
                          f"{'' if hint else validate.listed(FIGURES)}")  # fmt: skip
    return figure


def _series(one: Saved, run: Record, figure: str, points: list[Point]) -> Series:
    return Series(
        machine=_machine(one.sweep),
        workload=str(run.get("workload") or one.sweep.get("workload")),
        transport=str(run.get("transport")),
        options=_chosen(one.sweep, run),
        name=str(run["name"]),
        model=str(run["model"]),
        load=_load(run),
        figure=figure,
        points=tuple(points),
        changes=tuple(changes_in(points)),
    )


def _identity(sweep: Mapping[str, Any], run: Record) -> tuple[Any, ...]:
    options = json.dumps(_chosen(sweep, run), sort_keys=True)
    return (_machine(sweep), run.get("workload"), run.get("transport"), run["name"], run["model"], _load(run), options)


def _chosen(sweep: Mapping[str, Any], run: Record) -> dict[str, Any]:
    """The options of this run's model that are not as by default: one that did not exist yet is no difference."""
    workload, leg = run.get("workload"), load_key(run)[0]
    defaults = {key: option.default_for(workload) for key, option in OPTIONS.items()}
    defaults |= dict.fromkeys(("carriers", "loops"), (sweep.get("environment") or {}).get("cpus_usable"))
    return {
        key: value
        for key, value in sorted((run.get("options") or {}).items())
        if key != "seed"
        and (key, leg) != ("arrivals", LEGS[1])
        and not (key in defaults and defaults[key] == value)
        and (key not in OPTIONS or OPTIONS[key].model in (None, run["model"]))
    }


def _load(run: Record) -> str:
    leg, concurrency, rate = load_key(run)
    share = number(run, "load_share")
    if share is not None and leg == LEGS[1]:
        return f"{wording.percent(share)} of capacity"
    return f"{rate:,.4g}/s" if rate else f"{concurrency:,}"


def _load_order(load: str) -> tuple[int, float]:
    digits = load.split(" ")[0].replace(",", "")
    kind = 2 if "%" in load else 1 if digits.endswith("/s") else 0
    return kind, float(digits.removesuffix("/s"))


def _machine(sweep: Mapping[str, Any]) -> str:
    found = sweep.get("environment") or {}
    model, cpus, memory, kind = (found.get(key) for key in _MACHINE)
    gib = f"{memory / 1024:.0f} GiB" if isinstance(memory, (int, float)) else "memory not known"
    return f"{model or 'unknown CPU'}, {cpus or '?'} CPUs, {gib}, {kind or 'unknown'}"


def _began(store: RunStore) -> datetime:
    """When the sweep, or its first run, began; the year 1 where neither says it."""
    for moment in [store.sweep.get("started_at"), *(run.get("started_at") for run in store.runs[:1])]:
        try:
            found = datetime.fromisoformat(str(moment))
            return found if found.tzinfo else found.replace(tzinfo=UTC)
        except ValueError:
            continue
    return datetime.min.replace(tzinfo=UTC)


def _latest(runs: Sequence[Record]) -> list[Record]:
    return list({run_key(run): run for run in runs}.values())
