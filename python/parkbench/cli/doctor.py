"""`parkbench doctor`: what is fine on this machine, what is not, what to do."""

from __future__ import annotations

import dataclasses
import sys
from json import dumps

import typer


def doctor(json: bool = typer.Option(False, "--json", help="One JSON object on standard output.")) -> int:
    """Say what is fine on this machine, what is not, and what to do. Exit code 2 where runs would not work."""
    from parkbench.doctor import examine

    found = examine()
    broken = any(check.state == "problem" for check in found)
    if json:
        print(dumps({"schema": 1, "checks": [dataclasses.asdict(check) for check in found], "fine": not broken}))
        return 2 if broken else 0
    marks = {"fine": "ok  ", "note": "note", "problem": "BAD "}
    colours = {"fine": "green", "note": "yellow", "problem": "red"}
    width = max(len(check.name) for check in found)
    for check in found:
        mark = marks[check.state]
        mark = typer.style(mark, fg=colours[check.state]) if sys.stdout.isatty() else mark
        print(f"{mark}  {check.name:<{width}}  {check.text}")
        if check.remedy:
            print(f"{'':6}{'':<{width}}  -> {check.remedy}")
    return 2 if broken else 0
