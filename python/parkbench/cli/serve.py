"""`parkbench serve MODEL WORKLOAD`: one model as an HTTP server, for curl, wrk, a browser or any other client."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from parkbench.cli import options
from parkbench.cli.options import DATABASE, SERVER, option
from parkbench.signals import Interrupted


@options.with_scenario_options(options.of_server())
def serve(
    model: Annotated[
        str,
        typer.Argument(
            help="thread_pool, virtual_threads, reactive; or downstream, a server that only waits.", show_default=False
        ),
    ],
    workload: Annotated[
        str | None,
        typer.Argument(
            help="pricing, sleep, noop, gateway, cpu, file, stream or mixed; none for downstream.", show_default=False
        ),
    ] = None,
    host: Annotated[
        str, option(SERVER, "ADDRESS", "Where it listens, IPv4 or IPv6; default: 127.0.0.1.")
    ] = "127.0.0.1",
    port: Annotated[str | None, option(SERVER, "N", "0 takes a free one; default: 0.")] = None,
    backlog: Annotated[str | None, option(SERVER, "N", "Connections that wait to be accepted; default: 4096.")] = None,
    max_connections: Annotated[
        str | None, option(SERVER, "N", "Connections at once; default: what the limit of open files leaves.")
    ] = None,
    header_time: Annotated[
        str | None, option(SERVER, "S", "From the first byte to the end of the headers; default: 10s.")
    ] = None,
    body_time: Annotated[str | None, option(SERVER, "S", "From there to the end of the body; default: 30s.")] = None,
    idle_time: Annotated[str | None, option(SERVER, "S", "A kept connection without a request; default: 60s.")] = None,
    write_time: Annotated[
        str | None, option(SERVER, "S", "A client that takes nothing of an answer; default: 30s.")
    ] = None,
    database: Annotated[
        str | None,
        option(DATABASE, "DSN", "A PostgreSQL of your own; default: PARKBENCH_DATABASE, else an embedded one."),
    ] = None,
    database_socket: Annotated[str, option(DATABASE, "KIND", "unix or tcp, of the embedded server.")] = "unix",
    *,
    scenario_options: dict[str, Any],
) -> int:
    """Serve a workload by one model over HTTP until Ctrl-C, or with `serve downstream` a server that only waits.

    Ctrl-C stops it gracefully (what is in flight is answered) and is its normal end: exit code 0; a second one ends it
    at once: 130. SIGTERM stops it gracefully too: 143. Wrong use, a port in use and the like: 2; a crash: 1.
    """
    from parkbench import serving

    service = serving.Service.checked(model, workload, scenario_options)
    given = {
        "host": host, "port": port, "backlog": backlog, "max_connections": max_connections,
        "header_time": header_time, "body_time": body_time, "idle_time": idle_time, "write_time": write_time,
    }  # fmt: skip
    listen = serving.Listen.checked(given)
    try:
        return serving.serve(service, listen, _say, database=database, database_socket=database_socket)
    except Interrupted as error:  # typer would make 130 of every interrupt, and say nothing
        _say("interrupted")
        return error.exit_code


def _say(sentence: str) -> None:
    print(f"parkbench: {sentence}", file=sys.stderr, flush=True)
