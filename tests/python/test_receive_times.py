"""Where a slow database ends and a late loop begins: the kernel's receive times on TCP, in real runs."""

from __future__ import annotations

from typing import Any

import pytest

import parkbench as pb

STALL_MS = 5.0
QUICK: dict[str, Any] = {
    "concurrency": 20, "repeats": 1, "duration": 0.3, "max_duration": 0.3, "warmup": 0.1, "products": 300,
    "connections": 20, "transport": "direct", "quiet": True,
}  # fmt: skip


def phases(socket: str, *models: Any, **plant: Any) -> dict[str, dict[str, Any]]:
    """A run of each model against a server of the sweep's own, by name."""
    made = pb.sweep("pricing", models=list(models), database_socket=socket, _plant=plant, **QUICK)
    assert all(run["status"] in ("ok", "too_short") for run in made.runs)
    return {run["name"]: run for run in made.runs}


@pytest.fixture(scope="module")
def stalled() -> dict[str, dict[str, Any]]:
    """Every fifth request blocks its loop or its carrier for 5 ms; answers come over TCP."""
    models = (pb.Reactive(loops=2), pb.VirtualThreads(carriers=2), pb.ThreadPool(workers=20))
    return phases("tcp", *models, loop_stall_ms=STALL_MS, loop_stall_every=5)


@pytest.mark.parametrize("name", ["reactive", "virtual_threads", "thread_pool"])
def test_on_tcp_the_kernel_says_when_a_result_was_there(stalled: dict[str, dict[str, Any]], name: str) -> None:
    assert stalled[name]["details"]["database_result_time"] == "kernel"
    spent = stalled[name]["phases_ms"]
    assert sum(spent.values()) == pytest.approx(stalled[name]["response_mean_ms"])
    assert abs(spent["unexplained"]) <= 0.01 * stalled[name]["response_mean_ms"]


@pytest.mark.parametrize("name", ["reactive", "virtual_threads"])
def test_a_planted_stall_is_booked_as_wakeup_and_not_as_the_database(
    stalled: dict[str, dict[str, Any]], name: str
) -> None:
    spent = stalled[name]["phases_ms"]
    # Ten users of a loop or carrier wait for each stall of it; the database answers in a fraction of one.
    assert spent["wakeup"] > STALL_MS / 2
    assert spent["database"] < spent["wakeup"] / 2
    # A worker's stall is its own request's affair.
    assert stalled["thread_pool"]["phases_ms"]["wakeup"] < spent["wakeup"]


def test_on_a_unix_socket_nobody_knows_and_the_same_stall_looks_like_the_database() -> None:
    run = phases("unix", pb.Reactive(loops=2), loop_stall_ms=STALL_MS, loop_stall_every=5)["reactive"]
    assert run["details"]["database_result_time"] == "told"
    assert run["phases_ms"]["database"] > run["phases_ms"]["wakeup"]


def test_a_plant_that_there_is_not_is_refused() -> None:
    made = pb.sweep("noop", models=["reactive"], _plant={"loop_stal": 1}, **QUICK)
    assert made.runs[0]["status"] == "failed: plant: there is no loop_stal"
