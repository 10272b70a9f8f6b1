"""`parkbench advise DIR`: which model to take, by the runs of a sweep and by what the user answers."""

from __future__ import annotations

from json import dumps
from typing import Annotated

import typer


def advise(
    directory: Annotated[str, typer.Argument(metavar="DIR", help="A sweep saved by run --out.", show_default=False)],
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output and nothing else.")] = False,
    answer: Annotated[
        list[str] | None,
        typer.Option(
            "--answer",
            metavar="KEY=VALUE",
            help="An answer to an open question, as in team=yes; users=N decides for that load. May be repeated.",
            show_default=False,
        ),
    ] = None,
) -> int:
    """Say which model to take by the runs in DIR, each reason with its run and figure, and ask what they cannot tell.

    Without a verdict it says why and what to run. Exit codes: 0 also without a verdict, 2 wrong use.
    """
    from parkbench.result import load

    advice = load(directory).advise(answer or [])
    print(dumps(advice.to_json(), allow_nan=False) if json else str(advice))
    return 0
