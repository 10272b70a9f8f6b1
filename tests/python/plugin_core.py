"""The stand-in of fake_core.py with figures that follow the scenario: a request takes its `cpu_us`, roughly.

Loaded by path in a process that has no other module of the tests.
"""

import importlib.util
from pathlib import Path
from typing import Any

_spec = importlib.util.spec_from_file_location("fake_core", Path(__file__).with_name("fake_core.py"))
assert _spec is not None and _spec.loader is not None
fake_core: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fake_core)

Server, Downstream = fake_core.Server, fake_core.Downstream
build_info, clock_cost_ns = fake_core.build_info, fake_core.clock_cost_ns
wake_up_cost_us = fake_core.wake_up_cost_us
FACTOR = 1.0


class Run(fake_core.Run):  # type: ignore[misc]  # the base class is loaded by path
    """A run whose mean response time is `cpu_us` times FACTOR, up to 1 % more."""

    def report(self) -> Any:
        report = super().report()
        if self.act == "broken":
            report["status"] = "failed: the planted cause"
        jitter = 1 + (self.scenario["seed"] * 2654435761 % 1000) / 100_000
        mean = self.scenario["cpu_us"] / 1000 * FACTOR * jitter
        report.update(response_mean_ms=mean, throughput_rps=1000 * self.scenario["concurrency"] / mean)
        return report
