"""What identifies a machine, and how fast it is now."""

from __future__ import annotations

import itertools
import json

import pytest

from parkbench.plugin import machine


def test_this_machine_has_a_name_that_does_not_change() -> None:
    here = machine.describe()
    assert json.loads(json.dumps(here)) == here
    assert here["cpus"] >= 1 and here["cpu_model"]
    assert machine.identity(here) == machine.identity(dict(reversed(here.items())))
    assert machine.identity(here) != machine.identity({**here, "kernel": "1.0"})
    assert "/" not in machine.identity({**here, "machine": "a/../b"})


def test_differences() -> None:
    assert machine.difference({"cpus": 2, "kernel": "6.1"}, {"cpus": 2, "kernel": "6.1"}) == ""
    assert machine.difference({"cpus": 2}, {"cpus": 4, "kernel": "6.1"}) == "cpus 2 and 4, kernel None and 6.1"


def test_the_speed_is_the_median_piece() -> None:
    ticks = itertools.accumulate(itertools.chain([0], itertools.cycle([5_000, 0, 9_000_000, 0, 6_000, 0])))
    assert machine.speed_us(lambda: next(ticks)) == pytest.approx(6.0)
    assert machine.speed_us() > 0
