"""A scaling fit for each name that has loads enough, and the reason where it has not."""

from __future__ import annotations

from typing import Any

import pytest
import run_records as records

from parkbench.fits import scalings

USERS = (1, 2, 4, 8, 16, 32)


def run_at(model: str, users: int, repeat: int) -> dict[str, Any]:
    """X(N) = 100 N / (1 + 0.05 (N - 1)): no more than 2,000/s."""
    throughput = 100 * users / (1 + 0.05 * (users - 1))
    return records.record(model, users, repeat, throughput_rps=throughput * (1 + 0.001 * repeat))


def test_one_fit_for_each_name_with_six_loads() -> None:
    runs = [run_at("reactive", users, repeat) for users in USERS for repeat in range(3)]
    runs += [run_at("thread_pool", users, 0) for users in USERS[:5]]
    runs += [{**run_at("thread_pool", 100, 0), "leg": "open", "rate_rps": 10.0}]
    runs += [{**run_at("thread_pool", 200, 0), "status": "too_short"}]
    found = scalings(runs)
    assert list(found) == ["reactive"]
    assert found["reactive"].sigma.value == pytest.approx(0.05, abs=0.005)
    assert found["reactive"].lambda_.value == pytest.approx(100, rel=0.02)
    assert list(found.refused) == ["thread_pool"]
    assert "at least 6 different loads, these are 5" in found.refused["thread_pool"]
    assert str(found).splitlines()[0].startswith("reactive: One user ")
    assert str(found).splitlines()[1].startswith("thread_pool: no scaling fit, ")
