"""The sweep: models x users x repeats, each run in a process of its own, saved as it ends.

Not named sweep.py: the import of a module of that name would take the place of the function `parkbench.sweep`.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Unpack

from parkbench import child, environment, placement, plan, progress, resources, scenario, specification, validate
from parkbench.audit import audit_run
from parkbench.bottleneck import find_bottleneck
from parkbench.errors import ConfigError
from parkbench.record import FIGURES, is_broken
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
    transport: str | None = None,
    database: str | None = None,
    database_socket: str = "unix",
    seed: int | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    quiet: bool = False,
    _plant: Mapping[str, Any] | None = None,
    **options: Unpack[scenario.ScenarioOptions],
) -> SweepResult:
    """Run a workload on several models at several numbers of users, several times, and return the result.

    `models`: names or objects (`pb.ThreadPool(workers=300)`); default all three. `concurrency`: numbers of users;
    default 10, 50, 200, 400. `repeats`: runs of each; default 5. `transport`: http (server and generator in processes
    of their own, the default) or direct (both in one). `database`: a DSN, else PARKBENCH_DATABASE, else an
    embedded PostgreSQL for the length of the sweep. `seed` makes the order of the runs and their requests repeatable.
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
    if resume is None:
        store, spec = None, specification.check(workload, **asked)
    else:
        store, spec = _gone_on_with(workload, asked, out, resume)
    resources.check(
        spec.cells(),
        workload=spec.workload,
        transport=spec.transport,
        database=spec.needs_database,
        embedded=spec.needs_database and dsn is None,
    )
    directory = None if out is None or resume is not None else resources.check_out(out)
    core = child.core_path()
    try:
        with contextlib.ExitStack() as stack:
            base = stack.enter_context(_database(spec, dsn, socket)) if spec.needs_database else None
            store = store or RunStore.create(directory, _described(spec, base))
            _make(spec, store, core, None if base is None else base.dsn, quiet, dict(_plant or {}))
            store.update_sweep({"ended_at": _now()})
    except KeyboardInterrupt as error:
        number = getattr(error, "signal_number", None) or signal.SIGINT
        place = None if store is None or store.directory is None else str(store.directory)
        partial = SweepResult.of(store or RunStore(None, _described(spec, None)))
        raise Interrupted(number, partial, place) from None
    return SweepResult.of(store)


def _make(spec: Specification, store: RunStore, core: str, dsn: str | None, quiet: bool, plant: dict[str, Any]) -> None:
    """Makes the runs that the store lacks, each kept as it ends. Raises Interrupted when asked to stop."""
    planned = plan.runs(spec.cells(), spec.repeats, spec.seed)
    done = {_key(record) for record in store.runs if not _is_to_do_again(record)}
    missing = [run for run in planned if run.key not in done]
    with progress.showing(len(planned), quiet=quiet, done=len(planned) - len(missing)) as bar, listening() as stop:
        for run in missing:
            bar.begin(run)
            record, timeline = _one(spec, run, core, dsn, plant, stop)
            store.append(record, timeline)
            if stop.signal_number is not None:
                raise Interrupted(stop.signal_number)
            bar.end()


def _one(
    spec: Specification, run: plan.PlannedRun, core: str, dsn: str | None, plant: dict[str, Any], stop: StopRequest
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Makes one run; its record and its samples."""
    cell = run.cell
    sent = scenario.to_core(
        spec.workload, cell.model, cell.concurrency, cell.options, seed=run.seed, dsn=dsn, transport=spec.transport
    )
    started_at = _now()
    outcome = child.run({**sent, "plant": plant}, core, stop, plan.longest_s(cell.options))
    timeline = (outcome.report or {}).pop("timeline", None) or []
    return record_of(spec.workload, run, outcome, started_at, spec.transport), timeline


def _gone_on_with(
    workload: Any, asked: dict[str, Any], out: Any, resume: str | os.PathLike[str]
) -> tuple[RunStore, Specification]:
    """The store of an older sweep and its specification. Raises ConfigError if something else is asked for now."""
    if out is not None:
        raise ConfigError(f"{validate.spell('out')} begins a sweep and {validate.spell('resume')} goes on with one")
    store = RunStore.resume(resume)
    before = specification.stored(store.sweep)
    specification.check_same(before, specification.check_again(before, workload, **asked))
    return store, before


def _key(record: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    return record.get("name"), record.get("concurrency"), record.get("repeat")


def _is_to_do_again(record: Mapping[str, Any]) -> bool:
    """Whether a resumed sweep makes this run anew: it was cut short, or it failed."""
    return record.get("status") == "incomplete" or is_broken(record)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def record_of(
    workload: str, run: plan.PlannedRun, outcome: child.Outcome, started_at: str, transport: str
) -> dict[str, Any]:
    """The record of a run from what its process left behind; figures are null where it left none."""
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
    audit = audit_run(record)
    if record["status"] == "ok" and any(
        check["name"] == "lateness" and not check["passed"] for check in audit["checks"]
    ):
        record["status"] = "client_limited"  # the generator could not send on time: what it saw is about itself
    bottleneck = find_bottleneck(record)
    record["bottleneck"] = bottleneck.name
    record["details"] = {**record["details"], "bottleneck": {"text": bottleneck.text, "figures": bottleneck.figures}}
    record["audit"] = audit
    return record


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
        "order": [list(run.key) for run in plan.runs(spec.cells(), spec.repeats, spec.seed)],
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
