"""`parkbench run WORKLOAD`: a sweep from the command line, its table, its explanation and its charts."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from parkbench import scenario, validate
from parkbench.cli.output import show
from parkbench.errors import ConfigError
from parkbench.signals import Interrupted

_LOAD = "Load"
_LIMITS = "Limits, equal for all models"
_MODELS = "Of one model"
_PRICING = "What a request does"
_DATABASE = "Database"
_OUTPUT = "Output"


def _option(panel: str, metavar: str, text: str) -> Any:
    return typer.Option(help=text, rich_help_panel=panel, metavar=metavar, show_default=False)


def _flag(name: str, text: str) -> Any:
    return typer.Option(name, help=text, rich_help_panel=_OUTPUT, show_default=False)


def _later() -> Any:
    """An option of a later release: known, so that it is refused with what there is today."""
    return typer.Option(hidden=True)


def run(
    workload: Annotated[str, typer.Argument(help="pricing, sleep or noop.", show_default=False)],
    models: Annotated[
        str | None,
        _option(_LOAD, "LIST", "Comma-separated, or NAME=MODEL; default: thread_pool,virtual_threads,reactive."),
    ] = None,
    concurrency: Annotated[str | None, _option(_LOAD, "LIST", "Numbers of users; default: 10,50,200,400.")] = None,
    arrivals: Annotated[
        str | None, _option(_LOAD, "WHEN", "closed[:think=S] or rounds[:pause=S|every=S]; default: closed.")
    ] = None,
    duration: Annotated[str | None, _option(_LOAD, "S", "Least length of the measured window; default: 2s.")] = None,
    max_duration: Annotated[
        str | None, _option(_LOAD, "S", "A window is extended at most to this; default: 60s.")
    ] = None,
    repeats: Annotated[
        str | None, _option(_LOAD, "N", "Runs of each model at each number of users; default: 5.")
    ] = None,
    warmup: Annotated[str | None, _option(_LOAD, "S", "Least time before the window opens; default: 0.5s.")] = None,
    requests_per_user: Annotated[str | None, _option(_LOAD, "N", "Stop after so many requests of each user.")] = None,
    seed: Annotated[
        str | None, _option(_LOAD, "N", "Makes order and requests repeatable; default: random, recorded.")
    ] = None,
    transport: Annotated[str, _option(_LOAD, "direct", "direct: generator and model in one process.")] = "direct",
    connections: Annotated[str | None, _option(_LIMITS, "N", "Database connections, one pool; default: 10.")] = None,
    limit: Annotated[str | None, _option(_LIMITS, "N", "Requests admitted at once; default: none.")] = None,
    timeout: Annotated[str | None, _option(_LIMITS, "S", "A request fails after this; default: 30s.")] = None,
    acquire_timeout: Annotated[
        str | None, _option(_LIMITS, "S", "Waiting for a connection fails after this; default: 30s.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME.OPTION=VALUE",
            help="An option for one model alone; may be repeated.",
            rich_help_panel=_MODELS,
        ),
    ] = None,
    workers: Annotated[str | None, _option(_MODELS, "N", "thread_pool: its threads; default: 200.")] = None,
    queue: Annotated[str | None, _option(_MODELS, "N", "thread_pool: places in its queue; default: 10000.")] = None,
    rejection: Annotated[
        str | None, _option(_MODELS, "POLICY", "thread_pool, queue full: reject, caller_runs or block.")
    ] = None,
    stack_kib: Annotated[
        str | None, _option(_MODELS, "N", "thread_pool: stack of a worker, KiB; default: 1024.")
    ] = None,
    carriers: Annotated[
        str | None, _option(_MODELS, "N", "virtual_threads: OS threads that run them; default: the CPUs.")
    ] = None,
    stealing: Annotated[
        str | None, _option(_MODELS, "WHICH", "virtual_threads, idle carriers take: started, unstarted or off.")
    ] = None,
    loops: Annotated[str | None, _option(_MODELS, "N", "reactive: event loops; default: the CPUs.")] = None,
    query_delay_ms: Annotated[
        str | None, _option(_PRICING, "N", "Time the database adds to each of the two queries.")
    ] = None,
    connection_hold: Annotated[
        str | None, _option(_PRICING, "HOW LONG", "A connection is held for a statement, request or transaction.")
    ] = None,
    app_wait_ms: Annotated[str | None, _option(_PRICING, "N", "Time the application waits by itself.")] = None,
    app_wait_at: Annotated[
        str | None, _option(_PRICING, "WHERE", "Where it waits: between the queries or after.")
    ] = None,
    cpu_us: Annotated[str | None, _option(_PRICING, "N", "CPU time a request burns, microseconds.")] = None,
    alloc_kib: Annotated[str | None, _option(_PRICING, "N", "Memory a request allocates, KiB.")] = None,
    sleep_ms: Annotated[
        str | None, _option(_PRICING, "N", "Length of the wait of the workload sleep; default: 300.")
    ] = None,
    database: Annotated[
        str | None,
        _option(_DATABASE, "DSN", "A PostgreSQL of your own; default: PARKBENCH_DATABASE, else an embedded one."),
    ] = None,
    database_socket: Annotated[str, _option(_DATABASE, "KIND", "unix or tcp, of the embedded server.")] = "unix",
    products: Annotated[str | None, _option(_DATABASE, "N", "Rows in the table of products; default: 10000.")] = None,
    out: Annotated[str | None, _option(_OUTPUT, "DIR", "Directory for runs and charts: missing or empty.")] = None,
    resume: Annotated[str | None, _option(_OUTPUT, "DIR", "Go on with the sweep in this directory.")] = None,
    strict: Annotated[bool, _flag("--strict", "Exit with 1 also when an audit check fails.")] = False,
    json: Annotated[bool, _flag("--json", "One JSON object on standard output and nothing else.")] = False,
    quiet: Annotated[bool, _flag("--quiet", "No progress bar.")] = False,
    pipeline: Annotated[str | None, _later()] = None,
    driver: Annotated[str | None, _later()] = None,
    downstream: Annotated[str | None, _later()] = None,
    service: Annotated[str | None, _later()] = None,
    faults: Annotated[str | None, _later()] = None,
    live: Annotated[bool, typer.Option("--live", hidden=True)] = False,
) -> int:
    """Run a workload on the three models and say where each millisecond went.

    Numbers take a unit where they are a time: 2, 2s, 500ms. Exit codes: 0 fine, 1 a run failed, 2 wrong use or
    environment, 130 after Ctrl-C, 143 after SIGTERM; what was finished is kept.
    """
    given = {name: value for name, value in locals().items() if value not in (None, False, [])}
    options = {
        name: given[name] for name in (*scenario.OPTIONS, *scenario.LATER) if name in given and name != "transport"
    }
    from parkbench.sweeping import sweep

    if out is not None and resume is not None:
        raise ConfigError("--out begins a sweep and --resume goes on with one; give one of them")
    try:
        result: Any = sweep(
            workload,
            models=models,
            concurrency=concurrency,
            repeats=repeats,  # type: ignore[arg-type]  # text is checked like everything a user types
            transport=transport,
            database=database,
            database_socket=database_socket,
            seed=seed,  # type: ignore[arg-type]
            out=out,
            resume=resume,
            settings=settings(set_ or []),
            quiet=quiet or (json and not sys.stderr.isatty()),
            **options,
        )
    except Interrupted as error:
        if error.partial is not None:
            show(error.partial, as_json=json, directory=error.directory, charts=False)
        kept = (
            f"; the finished runs are in {error.directory}, --resume {error.directory} goes on"
            if error.directory
            else ""
        )
        print(f"parkbench: interrupted{kept}", file=sys.stderr)
        return error.exit_code
    show(result, as_json=json, directory=out or resume)
    return exit_code(result.runs, strict=strict)


def settings(pairs: list[str]) -> dict[str, dict[str, str]]:
    """The options for one model each, from `NAME.option=value`. Raises `ConfigError`."""
    found: dict[str, dict[str, str]] = {}
    for pair in pairs:
        left, equals, value = pair.partition("=")
        name, dot, option = left.rpartition(".")
        if not (name and dot and option and equals):
            raise ConfigError(
                f"--set takes NAME.option=value, as in thread_pool.connection_hold=request, not {validate.shown(pair)}"
            )
        option = option.strip().lstrip("-").replace("-", "_")
        if option in found.setdefault(name.strip(), {}):
            raise ConfigError(f"--set sets {left} twice")
        found[name.strip()][option] = value.strip()
    return found


def exit_code(runs: Any, *, strict: bool) -> int:
    """1 if a run failed or is invalid, or if strict and an audit check did not pass; else 0."""
    from parkbench.record import is_broken

    if any(is_broken(run) for run in runs):
        return 1
    return int(strict and not all((run.get("audit") or {}).get("passed", False) for run in runs))
