"""`parkbench history DIR...`: the same measurement over many saved sweeps, and where its level changed."""

from __future__ import annotations

import dataclasses
import json as json_module
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from parkbench.cli.options import OUTPUT, flag, option
from parkbench.cli.tables import drawn

if TYPE_CHECKING:
    from parkbench.histories import Series

_HEADINGS = ("load", "name", "sweeps", "lowest to highest", "", "latest", "change")
_RIGHT = (0, 2, 3, 5)


def history(
    directories: Annotated[
        list[str], typer.Argument(metavar="DIR...", help="Saved sweeps, or folders of them.", show_default=False)
    ],
    figure: Annotated[
        str | None, option(OUTPUT, "NAME", "One figure of a run, such as response_p99_ms; default: the main ones.")
    ] = None,
    json: Annotated[bool, flag("--json", "One JSON object on standard output and nothing else.")] = False,
) -> int:
    """Follow a measurement over many saved sweeps: series of medians, by machine, with the points where they changed.

    Exit codes: 0 fine, 1 where a sweep could not be read (the others are shown), 2 wrong use.
    """
    from parkbench import histories

    figures = histories.FOLLOWED if figure is None else (histories.check_figure(figure),)
    saved, problems = histories.gather(directories)
    found = histories.series_of(saved, figures)
    for problem in problems:
        print(f"parkbench: {problem}", file=sys.stderr)
    if json:
        rows = [{**dataclasses.asdict(one), "changes": [{**dataclasses.asdict(c), "size": c.size} for c in one.changes]}
                for one in found]  # fmt: skip
        print(json_module.dumps({"sweeps": len(saved), "series": rows, "problems": problems}, allow_nan=False))
    else:
        _print(found)
    return int(bool(problems))


def _print(found: Sequence[Series]) -> None:
    from parkbench import histories

    if not found:
        print("No run in these sweeps can be compared.")
    for machine, title, figure in dict.fromkeys((one.machine, one.title, one.figure) for one in found):
        rows = [one for one in found if (one.machine, one.title, one.figure) == (machine, title, figure)]
        print(drawn(f"{figure}; {title}; {machine}", _HEADINGS, [_cells(one) for one in rows], _RIGHT))
        for sentence in (sentence for one in rows for sentence in histories.sentences(one)):
            print(sentence)
        print()


def _cells(one: Series) -> list[str]:
    from parkbench import histories, wording

    values = one.values
    changes = ", ".join(f"{change.size:+.1%}".replace("%", " %") for change in one.changes) or "none"
    span = f"{wording.amount(min(values))} to {wording.amount(max(values))}"
    return [one.load, one.label, str(len(values)), span, histories.spark(values), wording.amount(values[-1]), changes]
