"""Whole runs over a real server, held against what is known from elsewhere: prices, planted faults, /proc, queueing."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

import parkbench as pb
from parkbench import _core, scenario
from parkbench.audit import Check, audit_run
from parkbench.database import Database, open_database
from parkbench.result import SweepResult

MODELS = ["thread_pool", "virtual_threads", "reactive"]
PRODUCTS = 2_000


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
    with open_database(None, connections=320, products=PRODUCTS) as opened:
        yield opened


def run(database: Database, model: str, users: int, **options: Any) -> dict[str, Any]:
    """One run of the pricing workload in this process."""
    plant = options.pop("plant", {})
    values = scenario.complete({"products": PRODUCTS, "duration": 0.5, "warmup": 0.1} | options)
    core = scenario.to_core("pricing", model, users, values, seed=1, dsn=database.dsn)
    running = _core.Run(core | {"plant": plant})
    while not running.wait(1.0):
        pass
    report = dict(running.report())
    return report | {
        "name": model,
        "workload": "pricing",
        "concurrency": users,
        "options": values,
        "transport": "direct",
    }


def check(record: dict[str, Any], name: str) -> Check:
    return next(entry for entry in audit_run(record)["checks"] if entry["name"] == name)


def test_every_model_gives_the_price_that_python_calculates_for_every_product(database: Database) -> None:
    with psycopg.connect(database.dsn) as connection:
        rows = connection.execute(
            "select p.price_minor, d.percent_hundredths from parkbench.products p"
            " join parkbench.discounts d on d.product_id = p.id order by p.id"
        ).fetchall()
    assert len(rows) == PRODUCTS
    # Half a minor unit is rounded up.
    expected = [(2 * price * (10_000 - percent) + 10_000) // 20_000 for price, percent in rows]
    values = scenario.complete({"products": PRODUCTS})
    for model in MODELS:
        core = scenario.to_core("pricing", model, 1, values, seed=1, dsn=database.dsn)
        assert _core.answers(core) == expected, model


@pytest.mark.parametrize("model", MODELS)
def test_a_run_agrees_with_itself(database: Database, model: str) -> None:
    record = run(database, model, 50)
    assert record["status"] == "ok"
    ledger = record["ledger"]
    assert ledger["scheduled"] == sum(count for name, count in ledger.items() if name != "scheduled")
    assert len(record["phases_ms"]) == 12
    assert sum(record["phases_ms"].values()) == pytest.approx(record["response_mean_ms"])
    for name in ("ledger", "phases", "database", "failures"):
        assert check(record, name)["passed"], check(record, name)


@pytest.mark.parametrize("model", MODELS)
def test_two_milliseconds_between_two_phases_are_unexplained(database: Database, model: str) -> None:
    record = run(database, model, 5, plant={"gap_ms": 2})
    assert record["phases_ms"]["unexplained"] == pytest.approx(2.0, rel=0.05)
    assert not check(record, "phases")["passed"]


@pytest.mark.parametrize("model", MODELS)
def test_one_dropped_answer_fails_the_ledger(database: Database, model: str) -> None:
    record = run(database, model, 20, plant={"drop_answer": 1}, timeout=2.0)
    assert not check(record, "ledger")["passed"]
    assert check(run(database, model, 20), "ledger")["passed"]


def blocked_tasks() -> int:
    """Worker threads of this process that sit in futex, poll or clock_nanosleep, by the number of the system call."""
    calls = {"x86_64": {"202", "7", "271", "230"}, "aarch64": {"98", "73", "115"}}[platform.machine()]
    count = 0
    for task in Path("/proc/self/task").iterdir():
        try:
            if (task / "comm").read_text().startswith("worker-"):
                count += (task / "syscall").read_text().split()[0] in calls
        except OSError:
            continue  # it has just ended
    return count


def test_blocked_threads_agree_with_proc(database: Database) -> None:
    values = scenario.complete({"products": PRODUCTS, "duration": 2.0, "query_delay_ms": 5.0})
    running = _core.Run(scenario.to_core("pricing", "thread_pool", 400, values, seed=1, dsn=database.dsn))
    seen = []
    while not running.wait(0.02):
        if running.progress()["phase"] == "measure":
            seen.append(blocked_tasks())
    report = running.report()
    assert report["threads_blocked_mean"] >= 180
    assert report["threads_on_io_mean"] == pytest.approx(10, abs=2)
    assert sum(seen) / len(seen) == pytest.approx(report["threads_blocked_mean"], rel=0.05)


def means(result: SweepResult) -> dict[str, float]:
    assert all(record["status"] == "ok" for record in result.runs), [record["status"] for record in result.runs]
    return {record["name"]: record["response_mean_ms"] for record in result.runs}


def test_connections_bind_all_models_alike(database: Database) -> None:
    found = means_of_delayed(database, concurrency=60, connections=10)
    assert max(found.values()) / min(found.values()) < 1.10, found


def means_of_delayed(database: Database, **options: Any) -> dict[str, float]:
    result = pb.sweep(
        "pricing", database=database.dsn, repeats=1, duration=1.0, query_delay_ms=20, products=PRODUCTS, quiet=True,
        transport="direct", **options,
    )  # fmt: skip
    for record in result.runs:
        assert record["bottleneck"] == "connections"
        assert max(record["phases_ms"], key=record["phases_ms"].__getitem__) == "connection"
    return means(result)


def test_holding_the_connection_makes_the_difference_and_not_the_model(database: Database) -> None:
    """The first article's contrast, a third of its size: 100 at once, 10 connections, 100 ms of waiting."""
    result = pb.sweep(
        "pricing", database=database.dsn, models=["thread_pool", "reactive"], concurrency=100, workers=100,
        arrivals="rounds", app_wait_ms=100, repeats=1, duration=1.0, products=PRODUCTS, quiet=True,
        transport="direct", settings={"thread_pool": {"connection_hold": "request"}},
    )  # fmt: skip
    found = means(result)
    assert found["thread_pool"] / found["reactive"] > 4
    text = " ".join(entry["text"] for entry in result.explain())
    assert "unequal by design" in text
    assert "holding the connection" in text
    assert "not the model" in text


def test_too_few_workers_are_named(database: Database) -> None:
    result = pb.sweep(
        "pricing", database=database.dsn, models=["thread_pool", "virtual_threads"], concurrency=150, workers=20,
        connections=150, query_delay_ms=25, repeats=1, duration=1.0, products=PRODUCTS, quiet=True,
        transport="direct",
    )  # fmt: skip
    found = means(result)
    assert found["thread_pool"] / found["virtual_threads"] == pytest.approx(7.5, rel=0.2)
    bottlenecks = {record["name"]: record["bottleneck"] for record in result.runs}
    assert bottlenecks["thread_pool"] == "workers"
    assert bottlenecks["virtual_threads"] != "workers"


def test_the_backends_stay_in_the_servers_session(database: Database) -> None:
    assert database.server is not None and database.server.server_pid is not None
    with psycopg.connect(database.dsn) as connection:
        backend = connection.info.backend_pid
        deadline = time.monotonic() + 5
        while os.getsid(backend) != os.getsid(database.server.server_pid) and time.monotonic() < deadline:
            pass
        assert os.getsid(backend) == os.getsid(database.server.server_pid) == os.getsid(0)
        assert os.getpgid(backend) == backend


def rates_of_sleep(concurrency: int, workers: int, sleep_ms: float) -> dict[str, float]:
    """Answers per second, by model, of users who make twenty requests each over HTTP."""
    result = pb.sweep(
        "sleep", transport="http", concurrency=concurrency, workers=workers, requests_per_user=20, repeats=1,
        sleep_ms=sleep_ms, quiet=True,
    )  # fmt: skip
    return {record["name"]: record["throughput_rps"] for record in result.runs if record["status"] == "ok"}


def test_forty_workers_are_two_and_a_half_times_too_few_for_a_hundred_users() -> None:
    """The second article's ratio over HTTP, a fifth of its users and workers, a third of its sleep."""
    rates = rates_of_sleep(100, 40, 100)
    assert rates["virtual_threads"] / rates["thread_pool"] == pytest.approx(2.5, rel=0.05)
    assert rates["reactive"] / rates["thread_pool"] == pytest.approx(2.5, rel=0.05)
