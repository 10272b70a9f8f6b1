"""The sweep: models x users x repeats, each run in a process of its own, saved as it ends.

Not named sweep.py: the import of a module of that name would take the place of the function `parkbench.sweep`.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from parkbench import (
    child,
    costs,
    design,
    environment,
    legs,
    noise,
    placement,
    plan,
    progress,
    resources,
    scenario,
    specification,
    stopping,
    validate,
)
from parkbench.errors import ConfigError
from parkbench.record import LEGS, is_broken, load_key, run_key
from parkbench.recording import record_of
from parkbench.result import SweepResult
from parkbench.signals import Interrupted, StopRequest, listening
from parkbench.specification import Specification
from parkbench.store import RunStore

if TYPE_CHECKING:
    from parkbench.database import Database


def sweep(
    workload: str = "pricing",
    *,
    models: Any = None,
    concurrency: Any = None,
    repeats: int | None = None,
    until: float | str | None = None,
    max_repeats: int | None = None,
    legs: str | None = None,
    transport: str | None = None,
    database: str | None = None,
    database_socket: str = "unix",
    seed: int | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    quiet: bool = False,
    _plant: Mapping[str, Any] | None = None,
    _cores: Mapping[str, str] | None = None,
    **options: Unpack[scenario.ScenarioOptions],
) -> SweepResult:
    """Run a workload on several models at several numbers of users, several times, and return the result.

    `models`: names or objects (`pb.ThreadPool(workers=300)`); default all three. `concurrency`: numbers of users;
    default 10, 50, 200, 400. `repeats`: runs of each; default 5. Instead of it `until="5%"`: repeats go on until every
    interval reaches at most 5 % to either side, at most `max_repeats` (default 30) times. `legs`: closed, or both: then
    every model also meets poisson arrivals at 50, 80 and 95 % of the lowest capacity that the closed leg found, from
    which words about latency come. `transport`: http (server and generator in processes of their own, the default) or
    direct (both in one). `database`: a DSN, else PARKBENCH_DATABASE, else an embedded PostgreSQL for the length of the
    sweep. `seed` makes the order of the runs and their requests repeatable.
    `out`: a missing or empty directory that gets every run when it ends. `resume`: the directory of an interrupted
    sweep to go on in; what is not given is as it was there. `settings`: options for one model by its name, as `--set`
    gives them. Further keywords are options of the scenario (`duration`, `connections`, `query_delay_ms`, ...); times
    in seconds or in the unit of the name.

    Raises ConfigError before anything has started if something cannot be as asked, and Interrupted (a
    KeyboardInterrupt) after Ctrl-C; its `partial` is the result so far. A run that fails is no exception: its `status`
    says why, and the sweep goes on.
    """
    dsn, socket = specification.check_database(database, database_socket)
    asked: dict[str, Any] = {"model_list": models, "concurrency": concurrency, "repeats": repeats, "seed": seed}
    asked.update(settings=settings, options=dict(options), transport=transport)
    asked.update(until=until, max_repeats=max_repeats, legs=legs)
    if resume is None:
        store, spec = None, specification.check(workload, **asked)
    else:
        store, spec = _gone_on_with(workload, asked, out, resume)
    _check_resources(spec, spec.cells(), embedded=spec.needs_database and dsn is None)
    directory = None if out is None or resume is not None else resources.check_out(out)
    core = child.core_path()
    environment.check_build()
    try:
        with contextlib.ExitStack() as stack:
            base = stack.enter_context(_database(spec, dsn, socket)) if spec.needs_database else None
            store = store or RunStore.create(directory, _described(spec, base))
            _Sweep(spec, store, core, base, _plant or {}, _cores or {}).make(quiet=quiet)
            store.finish({"ended_at": _now()})
    except KeyboardInterrupt as error:
        number = getattr(error, "signal_number", None) or signal.SIGINT
        place = None if store is None or store.directory is None else str(store.directory)
        partial = SweepResult.of(store or RunStore(None, _described(spec, None)))
        raise Interrupted(number, partial, place) from None
    return SweepResult.of(store)


class _Sweep:
    """A sweep under way: makes the runs that its store lacks, each kept as it ends."""

    def __init__(
        self,
        spec: Specification,
        store: RunStore,
        core: str,
        base: Database | None,
        plant: Mapping[str, Any],
        cores: Mapping[str, str],
    ) -> None:
        self._spec, self._store, self._core, self._plant = spec, store, core, dict(plant)
        self._cores = dict(cores)  # by name, of those that run on another build
        if cores:
            store.update_sweep({"cores": self._cores})
        self._dsn = None if base is None else base.dsn
        # The user's own server works for the sweep, and is no noise; the embedded one is our child.
        own = noise.local_server_pid(base.dsn) if base is not None and base.server is None else None
        self._embedded = base is not None and base.server is not None
        self._also = [] if own is None else [own]
        self._ended: dict[str, dict[str, Any]] = {}

    def make(self, *, quiet: bool) -> None:
        """All legs, and how they ended. Raises Interrupted when asked to stop."""
        spec, store = self._spec, self._store
        done = len(self._done())
        with progress.showing(spec.most_runs, quiet=quiet, done=done) as bar, listening() as stop:
            if "machine_costs" not in store.sweep:
                found = self._costs(stop)
                _end_if_asked(stop)
                store.update_sweep({"machine_costs": found})
            closed = spec.cells()
            self._leg(LEGS[0], closed, bar, stop)
            if spec.legs == "both":
                leg = self._open_leg(closed)
                self._leg(LEGS[1], legs.cells(closed, leg), bar, stop)
                if leg.lowest is None:
                    self._ended[LEGS[1]]["text"] = leg.text
        self._note(over=True)

    def _leg(self, name: str, cells: Sequence[plan.Cell], bar: progress.Progress, stop: StopRequest) -> None:
        """Blocks of one leg, each cell once in each, until the rule holds."""
        rule, repeat, found = self._spec.rule, 0, None
        while cells and repeat < rule.repeats:
            repeat += 1
            block = plan.block(cells, repeat, self._spec.seed)
            self._announce(block)
            done = self._done()
            for run in block:
                if run.key not in done:
                    bar.begin(run)
                    self._run(run, stop)
                    bar.end()
            if rule.until is not None and repeat >= stopping.FEWEST:
                # Only what this block and those before it hold: a sweep that goes on stops where it would have.
                runs = [run for run in self._done().values() if load_key(run)[0] == name and run["repeat"] <= repeat]
                found = stopping.judge(runs, rule.until)
                if found.met:
                    break
        self._ended[name] = stopping.outcome(rule, repeat, found)
        self._note(over=False)

    def _open_leg(self, closed: Sequence[plan.Cell]) -> legs.OpenLeg:
        """What the open leg offers: as stored when the sweep goes on, else from the closed leg's runs."""
        stored = self._store.sweep.get("open_leg")
        if stored and stored.get("lowest"):
            return legs.OpenLeg.stored(stored)

        def fits(leg: legs.OpenLeg) -> bool:
            try:
                _check_resources(self._spec, legs.cells(closed, leg), embedded=self._embedded)
            except ConfigError:
                return False
            return True

        leg = legs.find(list(self._done().values()), self._spec.concurrency)
        leg = legs.fitted(leg, fits, max(self._spec.concurrency))
        self._store.update_sweep({"open_leg": {**leg.recorded(), "text": leg.text}})
        return leg

    def _run(self, run: plan.PlannedRun, stop: StopRequest) -> None:
        """Makes one run and keeps it."""
        spec, cell = self._spec, run.cell
        sent = scenario.to_core(
            spec.workload, cell.model, cell.concurrency, cell.options, seed=run.seed, dsn=self._dsn,
            transport=spec.transport,
        )  # fmt: skip
        started_at, limit_s = _now(), plan.longest_s(cell.options)
        with noise.watching(also=self._also) as watch:
            core = self._cores.get(cell.name, self._core)
            outcome = child.run({**sent, "plant": self._plant}, core, stop, limit_s, run.env_padding_bytes)
            heard = watch.read((outcome.report or {}).get("details"))
        timeline = (outcome.report or {}).pop("timeline", None) or []
        record = record_of(
            spec.workload, run, outcome, started_at, spec.transport, timeline=timeline, noise=heard,
            machine=self._store.sweep.get("machine_costs"),
        )  # fmt: skip
        self._store.append(record, timeline)
        _end_if_asked(stop)

    def _done(self) -> dict[tuple[Any, ...], Mapping[str, Any]]:
        """The runs that need not be made again, by what tells them apart."""
        return {run_key(run): run for run in self._store.runs if not _is_to_do_again(run)}

    def _costs(self, stop: StopRequest) -> dict[str, Any]:
        spec = self._spec
        look = None
        if spec.most_runs > 1 and costs.finds_ceiling(spec.transport, spec.least_measured_s):
            where = str(spec.given.get("placement", "none"))
            look = partial(costs.ceiling, self._core, where, stop)
        return costs.measure(ceiling=look)

    def _announce(self, block: Sequence[plan.PlannedRun]) -> None:
        """Runs that were not planned from the start stand in `order` before they begin."""
        planned = {tuple(key) for key in self._store.sweep["order"]}
        keys = [list(run.key) for run in block if run.key not in planned]
        if keys:
            self._store.update_sweep({"order": [*self._store.sweep["order"], *keys]})

    def _note(self, *, over: bool) -> None:
        block = stopping.block(self._spec.rule, self._ended, over=over)
        self._store.update_sweep({"design": {**self._store.sweep["design"], "stopping": block}})


def _end_if_asked(stop: StopRequest) -> None:
    if stop.signal_number is not None:
        raise Interrupted(stop.signal_number)


def _gone_on_with(
    workload: Any, asked: dict[str, Any], out: Any, resume: str | os.PathLike[str]
) -> tuple[RunStore, Specification]:
    """The store of an older sweep and its specification. Raises ConfigError if something else is asked for now."""
    if out is not None:
        raise ConfigError(f"{validate.spell('out')} begins a sweep and {validate.spell('resume')} goes on with one")
    store = RunStore.resume(resume)
    before = specification.stored(store.sweep)
    specification.check_same(before, specification.check_again(before, workload, **asked))
    described = store.sweep.get("design") or design.describe(before, session="unknown")  # of a file before designs
    order = [list(run.key) for run in _planned(before)] if "design" not in store.sweep else store.sweep["order"]
    store.update_sweep({"design": design.gone_on(described), "order": order})
    return store, before


def _check_resources(spec: Specification, cells: Sequence[plan.Cell], *, embedded: bool) -> None:
    """Raises ConfigError if a cell does not fit into this machine."""
    resources.check(
        cells,
        workload=spec.workload,
        transport=spec.transport,
        database=spec.needs_database,
        embedded=embedded,
    )


def _planned(spec: Specification) -> list[plan.PlannedRun]:
    """The runs that are certain from the start: all of the closed leg, or as many as the rule is first judged on."""
    return plan.runs(spec.cells(), spec.rule.repeats if spec.rule.until is None else stopping.FEWEST, spec.seed)


def _is_to_do_again(record: Mapping[str, Any]) -> bool:
    """Whether a resumed sweep makes this run anew: it was cut short, or it failed."""
    return record.get("status") == "incomplete" or is_broken(record)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _database(spec: Specification, dsn: str | None, socket: str) -> Database:
    """The database of the sweep, ready: with a connection for every one that any cell asks for."""
    from parkbench.database import open_database

    cells = spec.cells()
    connections = max(int(cell.options["connections"]) for cell in cells)
    return open_database(dsn, connections, int(cells[0].options["products"]), socket)


def _described(spec: Specification, base: Database | None) -> dict[str, Any]:
    """What `sweep.json` says: the specification, its cells' options, and the environment."""
    from parkbench.database import redact

    postgres = None
    if base is not None:
        postgres = {"provider": base.provider, "version": base.version, "settings": dict(base.settings)}
        postgres["dsn"] = redact(base.dsn)
    return {
        **spec.recorded(),
        "options": plan.recorded_options(scenario.complete(spec.given, spec.workload)),
        "order": [list(run.key) for run in _planned(spec)],
        "design": design.describe(spec),
        "started_at": _now(),
        "environment": {
            **environment.describe(postgres, environment.command_line()),
            "placement": _placement(spec),
        },
    }


def _placement(spec: Specification) -> dict[str, Any]:
    """Where processes ran: by name of the model where it was set; the CPUs of either side."""
    words = {cell.name: str(cell.options["placement"]) for cell in spec.cells()}
    if "split" not in words.values():
        return {"placement": "none"}
    word = "split" if set(words.values()) == {"split"} else words
    return {"placement": word, "server": placement.server_cpus(), "generator": placement.generator_cpus()}
