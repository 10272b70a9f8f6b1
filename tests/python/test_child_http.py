"""A run over HTTP is three processes: whichever dies is named, and none outlives the others. With a stand-in core."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from parkbench import child, scenario
from parkbench.signals import StopRequest

FAKE = str(Path(__file__).with_name("fake_core.py"))
PYTHON_SOURCES = str(Path(child.__file__).parents[1])
ROLES = {"run", "server", "downstream"}


def make(workload: str = "gateway", duration: float = 0.1, options: Any = None, **plant: Any) -> dict[str, Any]:
    given = {"duration": duration} | ({"downstream": "http"} if workload == "gateway" else {}) | (options or {})
    values = scenario.complete(given, workload)
    core = scenario.to_core(workload, "reactive", 5, values, seed=1, dsn=None, transport="http")
    return {**core, "plant": plant}


def until(condition: Callable[[], object], patience_s: float = 20.0) -> None:
    end = time.monotonic() + patience_s
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    assert condition()


def gone(pid: int) -> bool:
    try:
        return "State:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return True


def pids(file: Path) -> dict[str, int]:
    lines = file.read_text().splitlines() if file.exists() else []
    return {line.split()[0]: int(line.split()[1]) for line in lines}


def test_server_and_downstream_are_started_and_the_run_knows_where(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    outcome = child.run(make(pids=str(file)), FAKE)
    assert outcome.failure is None
    assert outcome.report is not None
    assert outcome.report["status"] == "ok"
    told = outcome.report["details"]["scenario"]
    assert told["server_port"] > 0
    assert told["downstream_port"] > 0
    assert set(pids(file)) == ROLES
    assert len(set(pids(file).values())) == 3
    assert all(gone(pid) for pid in pids(file).values())


def test_a_timer_needs_no_downstream_process(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    assert child.run(make(options={"downstream": "timer"}, pids=str(file)), FAKE).failure is None
    assert set(pids(file)) == {"run", "server"}
    file.unlink()
    assert child.run({**make(pids=str(file)), "transport": "direct"}, FAKE).failure is None
    assert set(pids(file)) == {"run", "downstream"}  # whoever executes the gateway calls a real one


def test_the_run_process_loads_no_package() -> None:
    report: Any = child.run(make("noop"), FAKE).report
    assert not {"site", "numpy", "pandas", "matplotlib", "parkbench", "subprocess"} & set(report["details"]["modules"])


@pytest.mark.parametrize("role", ["server", "downstream"])
@pytest.mark.parametrize(
    ("act", "words"), [("refuse", "{} cannot reach None"), ("crash", "{} process killed by SIGSEGV: bad luck")]
)
def test_one_that_cannot_listen_is_the_cause(role: str, act: str, words: str) -> None:
    assert child.run(make("gateway", 0.1, None, **{role: act}), FAKE).failure == words.format(role)


def killing(file: Path, role: str) -> threading.Thread:
    def kill() -> None:
        until(lambda: set(pids(file)) == ROLES)
        os.kill(pids(file)[role], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


@pytest.mark.parametrize("role", ["run", "server", "downstream"])
def test_a_killed_process_is_named_and_takes_the_others_along(role: str, tmp_path: Path) -> None:
    file = tmp_path / "pids"
    killer = killing(file, role)
    outcome = child.run(make(duration=60, pids=str(file)), FAKE)
    killer.join()
    assert outcome.failure == f"{role} process killed by SIGKILL"
    until(lambda: all(gone(pid) for pid in pids(file).values()))


def test_a_killed_parent_leaves_none_of_the_three(tmp_path: Path) -> None:
    import json

    file = tmp_path / "pids"
    script = (
        "import json, sys; sys.path.insert(0, sys.argv[1])\n"
        "from parkbench import child\n"
        "child.run(json.loads(sys.argv[3]), sys.argv[2])\n"
    )
    asked = json.dumps(make(duration=60, pids=str(file), server="stubborn"))
    parent = subprocess.Popen([sys.executable, "-c", script, PYTHON_SOURCES, FAKE, asked])
    until(lambda: set(pids(file)) == ROLES)
    assert not any(gone(pid) for pid in pids(file).values())
    parent.kill()
    parent.wait()
    until(lambda: all(gone(pid) for pid in pids(file).values()))


@pytest.mark.parametrize("plant", [{"server": "hang"}, {"server": "stubborn"}, {"act": "stubborn"}, {"act": "deaf"}])
def test_a_stop_ends_all_three_whatever_they_do(plant: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "pids"
    stop = StopRequest()
    reached = {"run"} if plant.get("server") != "hang" else {"server"}

    def ask() -> None:
        until(lambda: reached <= set(pids(file)))
        stop.ask(signal.SIGINT)

    asker = threading.Thread(target=ask)
    asker.start()
    outcome = child.run(make(duration=60, pids=str(file), **plant), FAKE, stop)
    asker.join()
    stop.close()
    assert outcome.cancelled
    until(lambda: all(gone(pid) for pid in pids(file).values()))


def test_a_stubborn_server_is_killed_after_its_run() -> None:
    outcome = child.run(make("noop", server="stubborn"), FAKE)
    assert outcome.report is not None
    assert outcome.report["status"] == "ok"


def test_no_descriptor_is_left() -> None:
    before = len(os.listdir("/proc/self/fd"))
    plants: list[dict[str, Any]] = [{}, {"server": "crash"}, {"downstream": "refuse"}, {"act": "crash"}]
    for plant in plants:
        child.run(make(**plant), FAKE)
    assert len(os.listdir("/proc/self/fd")) == before
