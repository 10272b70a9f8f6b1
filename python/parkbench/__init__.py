"""parkbench: thread pool, virtual threads and reactive, side by side over the same workload, measured and explained.

Names are loaded when they are first used, so that the import costs nothing and does nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from parkbench._version import __version__
from parkbench.errors import ConfigError, DatabaseError, ParkbenchError, RunError

if TYPE_CHECKING:
    from parkbench import plots
    from parkbench.comparison import compare
    from parkbench.models import Reactive, Service, ThreadPool, VirtualThreads
    from parkbench.result import SweepResult, load
    from parkbench.signals import Interrupted
    from parkbench.sweeping import sweep
    from parkbench.table_audit import audit_table

__all__ = [
    "ConfigError",
    "DatabaseError",
    "Interrupted",
    "ParkbenchError",
    "Reactive",
    "RunError",
    "Service",
    "SweepResult",
    "ThreadPool",
    "VirtualThreads",
    "__version__",
    "audit_table",
    "compare",
    "load",
    "plots",
    "sweep",
]

_WHERE = {
    "Interrupted": "signals",
    "Reactive": "models",
    "Service": "models",
    "SweepResult": "result",
    "ThreadPool": "models",
    "VirtualThreads": "models",
    "audit_table": "table_audit",
    "compare": "comparison",
    "load": "result",
    "sweep": "sweeping",
}


def __getattr__(name: str) -> Any:
    if name == "plots":
        return importlib.import_module("parkbench.plots")
    if name not in _WHERE:
        raise AttributeError(f"module 'parkbench' has no attribute {name!r}")
    # Kept, so that the next use costs nothing.
    found = globals()[name] = getattr(importlib.import_module(f"parkbench.{_WHERE[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
