"""Summaries and pytest sessions for the tests of the plugin."""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from run_records import record

import parkbench
from parkbench.plugin import measured

# A pytest session inside this process forgets what it loaded, and numpy and the core cannot be loaded twice.
_PROGRAMS = ("__main__", "run_child", "serve_child", "helper")
_PACKAGE = Path(parkbench.__file__).parent
for _file in sorted(_PACKAGE.rglob("*.py")):
    if _file.stem not in _PROGRAMS:
        importlib.import_module(
            ".".join(_file.relative_to(_PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
        )

CORE = str(Path(__file__).with_name("plugin_core.py"))
QUICK = 'models="thread_pool", concurrency=5, repeats=3, duration=0.02, transport="direct", cpu_us={cpu_us}'


def arguments() -> list[str]:
    """What makes pytest load the plugin: nothing where it is installed, since then it is found by its entry point."""
    installed = importlib.metadata.entry_points(group="pytest11", name="parkbench")
    return [] if installed else ["-p", "parkbench.plugin"]


def summary(
    values: Sequence[float], *, lost: float | None = None, speed_us: float | None = None, **more: Any
) -> dict[str, Any]:
    """One cell, thread_pool at 400 users, whose repeats have these mean response times in ms."""
    noise = None if lost is None else {"steal_share": lost, "foreign_cpu_share": 0.0}
    runs = [
        record(repeat=index, response_mean_ms=value, throughput_rps=400_000 / value, details={"noise": noise}, **more)
        for index, value in enumerate(values, 1)
    ]
    return measured.summary(runs, speed_us)


def a_test(
    cpu_us: float = 1000, *, name: str = "test_it", more: str = "", check: str = "assert_no_regression()"
) -> str:
    """The source of a test that makes a quick sweep with the stand-in for the core, and checks it."""
    sweep = QUICK.format(cpu_us=cpu_us) + (f", {more}" if more else "")
    return f"def {name}(parkbench):\n    parkbench.sweep('cpu', {sweep})\n" + (
        f"    parkbench.{check}\n" if check else ""
    )


class Sessions:
    """Pytest sessions in a folder of their own, in this process, over the stand-in for the core."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        pytester.makeini("[pytest]\naddopts = -p no:cacheprovider\n")

    def run(self, source: str, *options: str) -> pytest.RunResult:
        """Runs pytest over one file with that source."""
        self.pytester.makepyfile(test_speeds=source)
        return self.pytester.runpytest_inprocess(*arguments(), *options)

    def baselines(self) -> list[Path]:
        """The files of baselines there are."""
        return sorted(self.pytester.path.glob(".parkbench/*/*.json"))
