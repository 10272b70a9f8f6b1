"""`parkbench compare A B`: how many times the figures of one saved sweep are another's, or why none can be said."""

from __future__ import annotations

import json as json_module
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from parkbench.cli.options import flag
from parkbench.cli.tables import drawn
from parkbench.errors import NotComparableError

_HEADINGS = ("load", "name", "figure", "A", "B", "B / A", "95 %", "finds from", "verdict")
_RIGHT = (0, 3, 4, 5, 6, 7)


def compare(
    a: Annotated[str, typer.Argument(metavar="A", help="Directory of a saved sweep.", show_default=False)],
    b: Annotated[str, typer.Argument(metavar="B", help="Directory of another.", show_default=False)],
    unpaired: Annotated[bool, flag("--unpaired", "Compare sweeps of different sessions, and say so.")] = False,
    json: Annotated[bool, flag("--json", "One JSON object on standard output and nothing else.")] = False,
) -> int:
    """Compare two saved sweeps, figure by figure, each with its interval.

    Exit codes: 0 compared, 1 not comparable (the reason stands on standard error), 2 wrong use.
    """
    from parkbench import comparison, manifest
    from parkbench.cli import complain
    from parkbench.result import load

    results = [load(directory) for directory in (a, b)]
    for sentence in (*manifest.differences(Path(a)), *manifest.differences(Path(b))):
        print(f"parkbench: note: {sentence}", file=sys.stderr)
    try:
        frame = comparison.compare(*results, unpaired=unpaired)
    except NotComparableError as error:
        if json:
            print(json_module.dumps({"comparable": False, "reason": str(error)}))
        return complain(str(error), 1)
    rows: list[dict[str, Any]] = [{str(key): row[key] for key in row} for row in frame.to_dict(orient="records")]
    said = comparison.sentences(rows)
    if json:
        found = {"comparable": True, "a": a, "b": b, "rows": [_without_nan(row) for row in rows], "text": said}
        print(json_module.dumps(found, allow_nan=False))
        return 0
    how = {row["pairing"]: None for row in rows}
    words = {"paired": "paired by repeat", "unpaired": "unpaired, what changed on the machine in between is in it"}
    print(drawn(f"A {a}, B {b}; {''.join(words[one] for one in how)}", _HEADINGS, _cells(rows), _RIGHT))
    print()
    for sentence in said:
        print(sentence)
    return 0


def _cells(rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    from parkbench import comparison, wording

    found = []
    for row in rows:
        figure = str(row["figure"]).rsplit("_", 1)[0].replace("_", " ")
        interval = "" if math.isnan(row["low"]) else f"{row['low']:.3f} to {row['high']:.3f}"
        finds = "" if math.isnan(row["detectable"]) else wording.percent(row["detectable"])
        ratio = "" if math.isnan(row["ratio"]) else f"{row['ratio']:.3f}"
        values = comparison.in_one_unit(row["figure"], row["a"], row["b"])
        verdict = str(row["verdict"]).replace("_", " ")
        found.append([comparison.load(row), str(row["name"]), figure, *values, ratio, interval, finds, verdict])
    return found


def _without_nan(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in row.items()}
