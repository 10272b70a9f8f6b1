"""`parkbench doctor`: what is fine on this machine, what is not, and what to do. Each group of checks has its file."""

from __future__ import annotations

from collections.abc import Callable

from parkbench.doctor.check import Check as Check


def examine() -> list[Check]:
    """Every check, in the order in which it is shown. A check that breaks is a problem and says so; nothing raises."""
    from parkbench.doctor import clock, core, database, limits, machine, noise, python

    groups = (python.checks, core.checks, database.checks, limits.checks, machine.checks, noise.checks,
              clock.checks)  # fmt: skip
    return [check for group in groups for check in _safely(group)]


def _safely(group: Callable[[], list[Check]]) -> list[Check]:
    try:
        return group()
    except Exception as error:
        name = group.__module__.rpartition(".")[2]
        text = f"could not be examined: {type(error).__name__}: {' '.join(str(error).split())}"
        return [Check(name, "problem", text, "please report this as a fault of parkbench")]
