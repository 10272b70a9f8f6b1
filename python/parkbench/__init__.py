"""parkbench: thread pool, virtual threads and reactive, side by side over the same workload, measured and explained.

Names are loaded when they are first used, so that the import costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from parkbench._version import __version__ as __version__
from parkbench.errors import ConfigError as ConfigError
from parkbench.errors import DatabaseError as DatabaseError
from parkbench.errors import ParkbenchError as ParkbenchError
from parkbench.errors import RunError as RunError

if TYPE_CHECKING:
    from parkbench.models import Reactive as Reactive
    from parkbench.models import Service as Service
    from parkbench.models import ThreadPool as ThreadPool
    from parkbench.models import VirtualThreads as VirtualThreads
    from parkbench.signals import Interrupted as Interrupted

_WHERE = {
    "sweep": "sweep",
    "Interrupted": "signals",
    "ThreadPool": "models",
    "VirtualThreads": "models",
    "Reactive": "models",
    "Service": "models",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'parkbench' has no attribute {name!r}")
    return getattr(importlib.import_module(f"parkbench.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_WHERE})
