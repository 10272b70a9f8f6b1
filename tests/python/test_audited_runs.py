"""The audit of whole runs: a clean one passes on every workload and transport, one with a planted fault does not."""

from __future__ import annotations

from typing import Any

import pytest
from planted import doubled

import parkbench as pb
from parkbench.audit import Check, audit_run

SHORT: dict[str, Any] = {"duration": 0.3, "warmup": 0.1, "repeats": 1, "quiet": True}
WORKLOADS: list[tuple[str, dict[str, Any]]] = [
    ("noop", {}),
    ("sleep", {"sleep_ms": 20}),
    ("cpu", {"cpu_us": 200}),
    ("file", {}),
    ("stream", {"rows": 20}),
    ("mixed", {"mixed_fast_ms": 2, "mixed_slow_ms": 20}),
    ("gateway", {"downstream_ms": 10}),
    ("pricing", {"products": 100}),
]
OF_A_LOADED_MACHINE = {"lateness", "generator", "ceiling"}  # other tests may run beside this one


def failed(run: dict[str, Any]) -> list[Check]:
    return [c for c in audit_run(run)["checks"] if not c["passed"] and c["name"] not in OF_A_LOADED_MACHINE]


@pytest.mark.parametrize("transport", ["direct", "http"])
@pytest.mark.parametrize(("workload", "options"), WORKLOADS, ids=[name for name, _ in WORKLOADS])
def test_a_clean_run_passes(workload: str, options: dict[str, Any], transport: str) -> None:
    result = pb.sweep(workload, models=["reactive"], concurrency=40, transport=transport, **SHORT, **options)
    (run,) = result.runs
    assert failed(run) == []
    made = {check["name"] for check in audit_run(run)["checks"] if not check["text"].startswith("not checked")}
    assert {"ledger", "little", "users_bound", "cpu_bound", "histogram", "samples", "failures", "timeouts"} <= made
    if workload == "pricing":
        assert {"answers", "database", "connections_bound"} <= made


@pytest.mark.parametrize("model", ["thread_pool", "virtual_threads", "reactive"])
def test_answers_booked_twice_in_every_book_are_caught(model: str) -> None:
    result = pb.sweep("sleep", models=[model], concurrency=100, transport="direct", sleep_ms=30, **SHORT)
    (run,) = result.runs
    assert failed(run) == []
    run["details"]["answers_model_counted"] *= 2
    assert {check["name"] for check in failed(doubled(run))} >= {"little", "users_bound"}


def test_answers_that_come_before_their_own_wait_are_caught() -> None:
    result = pb.sweep("sleep", models=["reactive"], concurrency=100, transport="direct", sleep_ms=30, **SHORT)
    (run,) = result.runs
    run["options"]["sleep_ms"] = 40.0  # what a model that sleeps a little less would look like
    assert "waits" in {check["name"] for check in failed(run)}
