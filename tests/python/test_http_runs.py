"""Whole runs over HTTP with the compiled core: every workload on every model, and processes that are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

import parkbench as pb
from parkbench.record import FIGURES, LEDGER, PHASES

MODELS = ("thread_pool", "virtual_threads", "reactive")
FINE = {"ok", "client_limited"}  # on a loaded machine the generator may be late; that is not what is tested here
PATIENCE_S = 60.0


def runs(workload: str, concurrency: int = 20, **options: Any) -> list[dict[str, Any]]:
    """One short run of each model."""
    given: dict[str, Any] = {"duration": 0.3, "warmup": 0.1, "repeats": 1, "quiet": True, "transport": "http"}
    result = pb.sweep(workload, concurrency=concurrency, **(given | options))
    return result.runs


def agrees_with_itself(run: dict[str, Any]) -> None:
    assert run["status"] in FINE, run["status"]
    assert set(FIGURES) <= set(run)
    ledger = run["ledger"]
    assert set(ledger) == set(LEDGER)
    assert ledger["scheduled"] == sum(value for key, value in ledger.items() if key != "scheduled")
    assert ledger["ok"] > 0
    assert set(run["phases_ms"]) == set(PHASES)
    assert sum(run["phases_ms"].values()) == pytest.approx(run["response_mean_ms"], rel=0.001, abs=1e-6)
    assert run["cpu"]["generator_s"] > 0
    assert run["cpu"]["server_s"] > 0
    checks = {check["name"]: check for check in run["audit"]["checks"]}
    for name in ("ledger", "failures"):
        assert checks[name]["passed"], checks[name]


@pytest.mark.parametrize(
    ("workload", "options", "least_ms"),
    [
        ("noop", {}, 0.0),
        ("sleep", {"sleep_ms": 20}, 20.0),
        ("cpu", {"cpu_us": 200}, 0.2),
        ("file", {}, 0.0),
        ("stream", {"rows": 20}, 0.0),
        ("mixed", {"mixed_fast_ms": 2, "mixed_slow_ms": 20}, 2.0),
        ("gateway", {"downstream_ms": 10}, 10.0),
        ("gateway", {"downstream_ms": 10, "downstream": "http"}, 10.0),
        ("gateway", {"downstream_ms": 5, "aggregate": 3, "gateway_token": "abc"}, 5.0),
        ("gateway", {"downstream_ms": 5, "aggregate": 3, "aggregate_order": "sequential", "downstream": "http"}, 15.0),
    ],
)
def test_every_workload_runs_on_every_model(workload: str, options: dict[str, Any], least_ms: float) -> None:
    for run in runs(workload, **options):
        agrees_with_itself(run)
        assert run["response_mean_ms"] >= least_ms, run["name"]
        if workload == "gateway":
            assert run["phases_ms"]["downstream"] >= 0.9 * least_ms
            assert (run["cpu"]["downstream_s"] is None) == (options.get("downstream") != "http")


def test_pricing_agrees_with_the_database() -> None:
    for run in runs("pricing", products=500):
        agrees_with_itself(run)
        checks = {check["name"]: check for check in run["audit"]["checks"]}
        assert checks["database"]["passed"], checks["database"]
        assert checks["database"]["value"] is not None
        assert run["phases_ms"]["network"] > 0
        assert run["phases_ms"]["database"] > 0


@pytest.mark.parametrize("arrivals", ["rounds", "constant:rate=2000", "poisson:rate=2000"])
@pytest.mark.parametrize("transport", ["http", "direct"])
def test_arrivals(arrivals: str, transport: str) -> None:
    models = "thread_pool,reactive"
    for run in runs("sleep", 50, models=models, arrivals=arrivals, sleep_ms=2, transport=transport, duration=0.5):
        assert run["status"] in FINE, run["status"]
        if arrivals != "rounds":
            expected = 2000 * run["duration_s"]
            assert abs(run["ledger"]["scheduled"] - expected) < 6 * expected**0.5  # Poisson's spread is its root


def test_a_brownout_is_slow_in_its_time_and_named(tmp_path: Path) -> None:
    options: dict[str, Any] = {
        "faults": "brownout:from=0.3s,until=0.7s,delay=400ms",
        "downstream_ms": 10,
        "duration": 1.2,
    }
    for downstream in ("timer", "http"):
        for run in runs("gateway", downstream=downstream, models="reactive", **options):
            agrees_with_itself(run)
            assert run["response_max_ms"] >= 400
            assert run["response_p50_ms"] < 400


def test_a_split_keeps_every_process_on_its_cpus() -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("this process may use one CPU")
    run = runs("noop", placement="split", models="reactive")[0]
    agrees_with_itself(run)
    assert run["options"]["loops"] == len(os.sched_getaffinity(0)) // 2


def test_a_wrong_token_never_reaches_the_downstream() -> None:
    """Its generator sends the token it was given, so the run is ok; a limit of one per second is not."""
    run = runs("gateway", models="reactive", downstream_ms=1, rate_limit=1.0)[0]
    assert run["ledger"]["failed"] + run["ledger"]["rejected"] > run["ledger"]["ok"]


COMMAND = [sys.executable, "-m", "parkbench", "run", "gateway", "--downstream", "http", "--models", "reactive"]
COMMAND += ["--concurrency", "20", "--duration", "1", "--warmup", "0.1", "--repeats", "2", "--quiet"]


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    assert condition()


@contextmanager
def sweep(out: Path) -> Iterator[psutil.Process]:
    with subprocess.Popen([*COMMAND, "--out", str(out)], process_group=0, stdout=subprocess.DEVNULL) as popen:
        try:
            yield psutil.Process(popen.pid)
        finally:
            popen.kill()


def statuses(out: Path) -> list[str]:
    file = out / "runs.jsonl"
    return [str(json.loads(line)["status"]) for line in file.read_text().splitlines()] if file.exists() else []


def of(process: psutil.Process, words: str) -> list[psutil.Process]:
    found = []
    for one in process.children(recursive=True):
        try:
            if words in " ".join(one.cmdline()):
                found.append(one)
        except psutil.Error:
            continue
    return found


def loaded(process: psutil.Process) -> list[psutil.Process]:
    """Run, server and downstream, once the server has connections of the generator and to the downstream."""
    found = [of(process, words) for words in ("run_child.py", " server ", " downstream ")]
    if not all(found):
        return []
    try:
        return [one[0] for one in found] if len(found[1][0].net_connections()) > 20 else []
    except psutil.Error:
        return []


@pytest.mark.parametrize(("which", "name"), [(0, "run"), (1, "server"), (2, "downstream")])
def test_a_killed_process_is_named_and_the_sweep_goes_on(which: int, name: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with sweep(out) as process:
        until(lambda: loaded(process))
        family = loaded(process)
        family[which].kill()
        assert process.wait(PATIENCE_S) == 1
        assert not any(one.is_running() for one in family)
    found = statuses(out)
    assert found[0] == f"failed: {name} process killed by SIGKILL"
    assert len(found) == 2
    assert found[1] in FINE


def test_a_killed_sweep_leaves_no_process(tmp_path: Path) -> None:
    with sweep(tmp_path / "out") as process:
        until(lambda: loaded(process))
        family = process.children(recursive=True)
        process.kill()
    until(lambda: not any(one.is_running() for one in family))


def test_ctrl_c_ends_all_of_them_and_keeps_what_is_there(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with sweep(out) as process:
        until(lambda: loaded(process))
        family = process.children(recursive=True)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130
        assert not any(one.is_running() for one in family)
    assert statuses(out) == ["incomplete"]


@contextmanager
def served(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-m", "parkbench", "serve", *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as popen:
        try:
            assert popen.stderr is not None
            yield popen, popen.stderr.readline()
        finally:
            popen.kill()


def test_a_server_by_hand_answers_and_ends_with_ctrl_c() -> None:
    import http.client
    import re

    with served("virtual_threads", "pricing", "--products", "100") as (popen, line):
        found = re.search(r":(\d+)/ \(/price/\{id\}, /healthz, /metrics, /dump\); Ctrl-C stops it", line)
        assert found is not None, line
        connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=PATIENCE_S)
        connection.request("GET", "/price/5")
        assert connection.getresponse().status == 200
        connection.close()
        popen.send_signal(signal.SIGINT)
        assert popen.wait(PATIENCE_S) == 0


def test_what_cannot_be_listened_on_is_one_sentence_and_exit_code_2() -> None:
    with served("reactive", "noop") as (_, line):
        taken = line.split(":")[3].split("/")[0]
        with served("reactive", "noop", "--port", taken) as (popen, complaint):
            assert popen.wait(PATIENCE_S) == 2
            assert complaint.startswith("parkbench: ")
            assert taken in complaint
            assert "use" in complaint
    with served("reactive", "noop", "--host", "192.0.2.1") as (popen, complaint):
        assert popen.stderr is not None
        complaint = complaint if "192.0.2.1 can be reached" not in complaint else popen.stderr.readline()
        assert popen.wait(PATIENCE_S) == 2
        assert "192.0.2.1" in complaint
