"""What all benchmarks here have in common: how long they measure, and where the service is."""

from __future__ import annotations

import os
from typing import Any

import pytest


@pytest.fixture
def short() -> dict[str, Any]:
    """Short runs, several of them: five processes of 0.3 s tell more than one of 1.5 s."""
    seconds = float(os.environ.get("SECONDS_PER_RUN", "0.3"))
    return {"repeats": 5, "duration": seconds, "warmup": 0.1, "transport": "direct"}
