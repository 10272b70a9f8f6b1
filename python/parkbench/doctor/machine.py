"""The machine: its cores."""

from __future__ import annotations

import os

from parkbench import environment
from parkbench.doctor.check import Check


def checks() -> list[Check]:
    """The cores that a sweep may use."""
    usable = len(os.sched_getaffinity(0))
    return [cores(usable, os.cpu_count() or usable)]


def cores(usable: int, total: int) -> Check:
    """Generator, model and database share them on one machine."""
    text = f"{usable} of {total} cores usable, {environment.cpu_model()}, Linux {os.uname().release}"
    if usable >= 2:
        return Check("cores", "fine", text)
    return Check(
        "cores", "note", f"{text}: generator, model and database take turns on one", "figures are for comparison only"
    )
