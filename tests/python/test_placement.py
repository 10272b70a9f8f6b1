"""Which half of the CPUs is whose."""

from __future__ import annotations

import os

import pytest

from parkbench import placement
from parkbench.errors import ConfigError


@pytest.mark.parametrize(
    ("usable", "server", "generator"),
    [({0, 1}, [0], [1]), ({3, 1, 2}, [1], [2, 3]), (set(range(8)), [0, 1, 2, 3], [4, 5, 6, 7])],
)
def test_halves(usable: set[int], server: list[int], generator: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: usable)
    assert placement.server_cpus() == server
    assert placement.generator_cpus() == generator


def test_what_cannot_be_split() -> None:
    placement.check("placement", "http", 2)
    with pytest.raises(ConfigError, match="pool.placement split needs two CPUs"):
        placement.check("pool.placement", "http", 1)
    with pytest.raises(ConfigError, match="on direct server and generator are one process"):
        placement.check("placement", "direct", 8)
