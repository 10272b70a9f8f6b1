"""The split of a response time adds up to it, whatever the run."""

from __future__ import annotations

import math
from typing import Any

import pytest
import run_records as records
from hypothesis import given
from hypothesis import strategies as st

from parkbench.record import PHASES
from parkbench.splitting import METRICS, difference, phases_of

MS = st.one_of(st.just(0.0), st.floats(1e-3, 1e5))
VECTOR = st.dictionaries(st.sampled_from(PHASES), MS, min_size=1)


def run_of(mean: dict[str, float], slowest: dict[str, float], p99: float, off: float = 0.0) -> dict[str, Any]:
    run = records.record(
        "reactive", 50, phases={**mean, "reply": 0.1}, noise=0.0, details={"slowest_phases_ms": slowest}
    )
    return run | {"response_p99_ms": p99, "response_mean_ms": run["response_mean_ms"] * (1 + off)}


@given(mean=VECTOR, slowest=VECTOR, p99=st.floats(0.01, 1e6), off=st.floats(-0.001, 0.001))
def test_phases_add_up_to_the_figure(mean: dict[str, float], slowest: dict[str, float], p99: float, off: float) -> None:
    run = run_of(mean, slowest, p99, off)
    for metric, key in METRICS.items():
        spent = phases_of(run, metric)
        if spent is None:
            assert metric == "p99"
            assert sum(slowest.values()) == 0
        else:
            assert set(spent) == set(PHASES)
            assert math.fsum(spent.values()) == pytest.approx(run[key], rel=1e-9)


@given(a=st.lists(st.tuples(VECTOR, VECTOR, st.floats(0.01, 1e6)), min_size=1, max_size=4),
       b=st.lists(st.tuples(VECTOR, VECTOR, st.floats(0.01, 1e6)), min_size=1, max_size=4))  # fmt: skip
def test_the_split_of_a_difference_adds_up_to_it(
    a: list[tuple[dict[str, float], dict[str, float], float]], b: list[tuple[dict[str, float], dict[str, float], float]]
) -> None:
    left, right = ({repeat: run_of(*one) for repeat, one in enumerate(side)} for side in (a, b))
    both = range(min(len(a), len(b)))
    for metric, key in METRICS.items():
        split = difference(left, right, metric)
        if split is None:
            assert metric == "p99"
            continue
        expected = sum(right[r][key] - left[r][key] for r in both) / len(both)
        scale = max(side[r][key] for side in (left, right) for r in both)
        assert math.fsum(split.values()) == pytest.approx(expected, abs=1e-9 * scale)


def test_the_p99_takes_its_phases_from_the_slowest_requests_and_not_from_the_mean() -> None:
    run = run_of({"database": 10.0}, {"connection": 300.0, "database": 100.0}, 200.0)
    spent = phases_of(run, "p99")
    assert spent is not None
    assert (spent["connection"], spent["database"]) == pytest.approx((150.0, 50.0))


def test_without_the_slowest_there_is_no_split_of_the_p99() -> None:
    run = records.record("reactive", 50)
    assert phases_of(run, "p99") is None
    assert phases_of({**run, "response_mean_ms": None}, "mean") is None
    whole = {0: run_of({}, {"cpu": 1.0}, 2.0), 1: run}
    assert difference(whole, whole, "p99") is None
    assert difference(whole, {}, "mean") is None
