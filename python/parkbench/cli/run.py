"""`parkbench run WORKLOAD`: a sweep from the command line, its table, its explanation and its charts."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from parkbench import scenario, validate
from parkbench.cli import options
from parkbench.cli.options import DATABASE, LOAD, MODELS, OUTPUT, flag, later, option
from parkbench.cli.output import show
from parkbench.errors import ConfigError
from parkbench.signals import Interrupted


@options.with_scenario_options(tuple(scenario.OPTIONS))
def run(
    workload: Annotated[
        str, typer.Argument(help="pricing, sleep, noop, gateway, cpu, file, stream or mixed.", show_default=False)
    ],
    models: Annotated[
        str | None,
        option(LOAD, "LIST", "Comma-separated, or NAME=MODEL; default: thread_pool,virtual_threads,reactive."),
    ] = None,
    concurrency: Annotated[str | None, option(LOAD, "LIST", "Numbers of users; default: 10,50,200,400.")] = None,
    repeats: Annotated[str | None, option(LOAD, "N", "Runs of each model at each number of users; default: 5.")] = None,
    until: Annotated[
        str | None,
        option(LOAD, "SHARE", "Instead of --repeats: until every interval reaches at most so far, as 5%."),
    ] = None,
    max_repeats: Annotated[str | None, option(LOAD, "N", "With --until, repeats at most; default: 30.")] = None,
    legs: Annotated[
        str | None,
        option(LOAD, "LEGS", "closed, or both: then poisson at 50, 80, 95 % of the lowest capacity; default: closed."),
    ] = None,
    seed: Annotated[
        str | None, option(LOAD, "N", "Makes order and requests repeatable; default: random, recorded.")
    ] = None,
    transport: Annotated[
        str | None,
        option(LOAD, "HOW", "http: server and generator in processes of their own (default); direct: both in one."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME.OPTION=VALUE",
            help="An option for one model alone; may be repeated.",
            rich_help_panel=MODELS,
        ),
    ] = None,
    database: Annotated[
        str | None,
        option(DATABASE, "DSN", "A PostgreSQL of your own; default: PARKBENCH_DATABASE, else an embedded one."),
    ] = None,
    database_socket: Annotated[str, option(DATABASE, "KIND", "unix or tcp, of the embedded server.")] = "unix",
    out: Annotated[str | None, option(OUTPUT, "DIR", "Directory for runs and charts: missing or empty.")] = None,
    resume: Annotated[str | None, option(OUTPUT, "DIR", "Go on with the sweep in this directory.")] = None,
    strict: Annotated[bool, flag("--strict", "Exit with 1 also when an audit check fails.")] = False,
    json: Annotated[bool, flag("--json", "One JSON object on standard output and nothing else.")] = False,
    quiet: Annotated[bool, flag("--quiet", "No progress bar.")] = False,
    pipeline: Annotated[str | None, later()] = None,
    driver: Annotated[str | None, later()] = None,
    service: Annotated[str | None, later()] = None,
    live: Annotated[bool, typer.Option("--live", hidden=True)] = False,
    *,
    scenario_options: dict[str, Any],
) -> int:
    """Run a workload on the three models and say where each millisecond went.

    Numbers take a unit where they are a time: 2, 2s, 500ms. Exit codes: 0 fine, 1 a run failed, 2 wrong use or
    environment, 130 after Ctrl-C, 143 after SIGTERM; what was finished is kept.
    """
    of_later = {"pipeline": pipeline, "driver": driver, "service": service, "live": live}
    from parkbench.sweeping import sweep

    if out is not None and resume is not None:
        raise ConfigError("--out begins a sweep and --resume goes on with one; give one of them")
    try:
        result: Any = sweep(
            workload,
            models=models,
            concurrency=concurrency,
            repeats=repeats,  # type: ignore[arg-type]  # text is checked like everything a user types
            until=until,
            max_repeats=max_repeats,  # type: ignore[arg-type]
            legs=legs,
            transport=transport,
            database=database,
            database_socket=database_socket,
            seed=seed,  # type: ignore[arg-type]
            out=out,
            resume=resume,
            settings=settings(set_ or []),
            quiet=quiet or (json and not sys.stderr.isatty()),
            **scenario_options,
            **options.given_of(of_later),
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
        name, dot, word = left.rpartition(".")
        if not (name and dot and word and equals):
            raise ConfigError(
                f"--set takes NAME.option=value, as in thread_pool.connection_hold=request, not {validate.shown(pair)}"
            )
        word = word.strip().lstrip("-").replace("-", "_")
        if word in found.setdefault(name.strip(), {}):
            raise ConfigError(f"--set sets {left} twice")
        found[name.strip()][word] = value.strip()
    return found


def exit_code(runs: Any, *, strict: bool) -> int:
    """1 if a run failed or is invalid, or if strict and an audit check did not pass; else 0."""
    from parkbench.record import is_broken

    if any(is_broken(run) for run in runs):
        return 1
    return int(strict and not all((run.get("audit") or {}).get("passed", False) for run in runs))
