"""On which CPUs the processes of a run live: anywhere, or the server on one half and the generator on the other."""

from __future__ import annotations

import os

from parkbench import validate
from parkbench.errors import ConfigError

WORDS = ("none", "split")


def server_cpus() -> list[int]:
    """The first half of the CPUs this process may use; the smaller one where their number is odd."""
    usable = sorted(os.sched_getaffinity(0))
    return usable[: len(usable) // 2]


def generator_cpus() -> list[int]:
    """The other half, for the generator and the downstream."""
    usable = sorted(os.sched_getaffinity(0))
    return usable[len(usable) // 2 :]


def check(option: str, transport: str, cpus: int) -> None:
    """Raises `ConfigError` if the CPUs cannot be split: one process, or one CPU. `option`: as the user typed it."""
    if transport != "http":
        raise ConfigError(
            f"{option} split needs {validate.spell('transport')} http: "
            f"on {transport} server and generator are one process"
        )
    if cpus < 2:
        raise ConfigError(f"{option} split needs two CPUs, but this process may use one; leave it at none")
