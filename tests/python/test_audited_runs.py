"""The audit of whole runs: a clean one passes on every workload and transport, one with a planted fault does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from planted import doubled

import parkbench as pb
from parkbench.audit import Check, audit_run, too_many_errors
from parkbench.censoring import censored
from parkbench.database import open_database

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


@pytest.fixture(scope="module")
def dsn() -> Iterator[str]:
    with open_database(None, connections=10, products=100) as database:
        yield database.dsn


def failed(run: dict[str, Any]) -> list[Check]:
    return [c for c in audit_run(run)["checks"] if not c["passed"] and c["name"] not in OF_A_LOADED_MACHINE]


@pytest.mark.parametrize("transport", ["direct", "http"])
@pytest.mark.parametrize(("workload", "options"), WORKLOADS, ids=[name for name, _ in WORKLOADS])
def test_a_clean_run_passes(workload: str, options: dict[str, Any], transport: str, dsn: str) -> None:
    given = {**SHORT, **options, "transport": transport, "database": dsn}
    result = pb.sweep(workload, models=["reactive"], concurrency=40, **given)
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


@pytest.mark.parametrize("transport", ["direct", "http"])
def test_a_server_that_always_says_the_same_is_caught(transport: str, dsn: str) -> None:
    given = {**SHORT, "transport": transport, "database": dsn, "products": 100, "max_duration": 0.5}
    result = pb.sweep("pricing", models=["reactive"], concurrency=10, _plant={"constant_answer": True}, **given)
    (run,) = result.runs
    assert run["failures"]["wrong_answer"] > 100
    assert run["ledger"]["ok"] == 0
    (check,) = failed(run)
    assert "wrong_answer" in check["text"]


@pytest.mark.parametrize("transport", ["direct", "http"])
def test_a_server_with_a_hidden_cache_is_caught(transport: str, dsn: str) -> None:
    given = {**SHORT, "transport": transport, "database": dsn, "products": 100}
    result = pb.sweep("pricing", models=["thread_pool"], concurrency=40, _plant={"hidden_cache": True}, **given)
    (run,) = result.runs
    (check,) = [check for check in failed(run) if check["name"] == "database"]
    assert "some came from elsewhere" in check["text"]


def test_a_slow_generator_is_refused() -> None:
    """Half a millisecond for each request on one thread: it cannot send 40 requests at once in time."""
    given = {**SHORT, "transport": "http", "sleep_ms": 20}
    result = pb.sweep("sleep", models=["reactive"], concurrency=40, _plant={"generator_us": 500}, **given)
    (run,) = result.runs
    late = next(check for check in audit_run(run)["checks"] if check["name"] == "lateness")
    assert not late["passed"], late
    assert run["status"] == "client_limited"


def test_timeouts_are_told_as_what_they_are() -> None:
    """Three in a hundred would take 0.4 s and are given up after 0.2 s."""
    given = {**SHORT, "transport": "direct", "mixed_fast_ms": 2, "mixed_slow_ms": 400, "mixed_slow_share": 0.03}
    result = pb.sweep("mixed", models=["reactive"], concurrency=40, timeout=0.2, **given)
    (run,) = result.runs
    checks = {check["name"]: check for check in failed(run)}
    assert censored(run) == {"response_p99_ms": 200.0}
    assert "response_p99_ms is >= 200" in checks["timeouts"]["text"]
    assert not checks["failures"]["passed"]
    assert too_many_errors(run)


def test_answers_that_come_before_their_own_wait_are_caught() -> None:
    result = pb.sweep("sleep", models=["reactive"], concurrency=100, transport="direct", sleep_ms=30, **SHORT)
    (run,) = result.runs
    run["options"]["sleep_ms"] = 40.0  # what a model that sleeps a little less would look like
    assert "waits" in {check["name"] for check in failed(run)}
