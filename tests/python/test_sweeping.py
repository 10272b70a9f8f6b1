"""A sweep over real run processes with a stand-in for the core, and over the compiled core where it is built."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

import parkbench as pb
from parkbench import child, environment
from parkbench.errors import ConfigError
from parkbench.sweeping import sweep

FAKE = str(Path(__file__).with_name("fake_core.py"))
PYTHON_SOURCES = str(Path(child.__file__).parents[1])

# A program that makes a sweep with the stand-in; arguments: sources, core, out, keywords as JSON.
PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
from parkbench import child
child.core_path = lambda: sys.argv[2]
import parkbench as pb
try:
    pb.sweep("noop", out=sys.argv[3], quiet=True, **json.loads(sys.argv[4]))
except pb.Interrupted as error:
    print(json.dumps([run["status"] for run in error.partial.runs]), flush=True)
    sys.exit(error.exit_code)
"""


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "core_path", lambda: FAKE)


def quick(**more: Any) -> Any:
    given = {"models": "thread_pool,reactive", "concurrency": [5, 10], "repeats": 2, "duration": 0.05, "quiet": True}
    return sweep("noop", **{**given, **more})


def started(out: Path, **more: Any) -> subprocess.Popen[str]:
    given = json.dumps({"models": "reactive", "concurrency": 5, "repeats": 50, "duration": 0.2, **more})
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, PYTHON_SOURCES, FAKE, str(out), given], stdout=subprocess.PIPE, text=True
    )


def lines(out: Path) -> list[dict[str, Any]]:
    file = out / "runs.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def wait_until(condition: Any, seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    assert condition()


@pytest.mark.usefixtures("fake")
def test_every_cell_is_run_in_every_repeat() -> None:
    result = quick(seed=4)
    keys = [(run["name"], run["concurrency"], run["repeat"]) for run in result.runs]
    assert len(keys) == len(set(keys)) == 8
    assert all(run["status"] == "ok" for run in result.runs)
    assert keys == [(run["name"], run["concurrency"], run["repeat"]) for run in quick(seed=4).runs]


@pytest.mark.usefixtures("fake")
def test_a_record_says_what_was_run() -> None:
    models = [pb.ThreadPool(workers=7, name="small"), "reactive"]
    result = quick(models=models, concurrency=5, repeats=1, seed=10)
    small = next(run for run in result.runs if run["name"] == "small")
    assert (small["model"], small["transport"], small["workload"]) == ("thread_pool", "http", "noop")
    assert small["options"]["workers"] == 7
    assert small["options"]["seed"] == 11
    assert small["unequal"] == ["workers"]
    assert small["options"]["arrivals"] == "closed"
    assert small["audit"]["checks"]
    assert small["bottleneck"]
    assert "timeline" not in small
    other = next(run for run in result.runs if run["name"] == "reactive")
    assert other["unequal"] == []


@pytest.mark.usefixtures("fake")
def test_a_late_generator_is_said_and_is_the_bottleneck() -> None:
    late = quick(models="reactive", concurrency=5, repeats=1, _plant={"act": "late"}).runs[0]
    assert (late["status"], late["bottleneck"]) == ("client_limited", "generator")
    in_time = quick(models="reactive", concurrency=5, repeats=1).runs[0]
    assert in_time["status"] == "ok"


@pytest.mark.usefixtures("fake")
def test_each_run_is_on_disk_when_the_next_begins(tmp_path: Path) -> None:
    seen: list[int] = []
    before = child.run

    def counting(*arguments: Any) -> Any:
        seen.append(len(lines(tmp_path / "out")))
        return before(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(child, "run", counting)
        quick(out=tmp_path / "out")
    assert seen == list(range(8))
    described = json.loads((tmp_path / "out" / "sweep.json").read_text())
    assert described["workload"] == "noop"
    assert len(described["order"]) == 8
    assert described["environment"]["kernel"] == os.uname().release
    assert (tmp_path / "out" / "timeline.jsonl").read_text().count("\n") == 8


@pytest.mark.usefixtures("fake")
def test_a_killed_run_is_marked_and_the_sweep_goes_on(tmp_path: Path) -> None:
    result = quick(_plant={"act": "crash_once", "mark": str(tmp_path / "mark")})
    statuses = [run["status"] for run in result.runs]
    assert statuses == ["failed: run process killed by SIGKILL", *["ok"] * 7]
    assert result.runs[0]["response_mean_ms"] is None
    assert result.runs[0]["ledger"] is None


@pytest.mark.usefixtures("fake")
def test_interrupted_within_two_seconds_with_what_is_there(tmp_path: Path) -> None:
    def interrupt() -> None:
        wait_until(lambda: len(lines(tmp_path / "out")) >= 1, 30.0)
        time.sleep(0.1)  # into the next run
        told.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    told: list[float] = []
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt) as caught:
        quick(duration=0.4, repeats=50, out=tmp_path / "out")
    assert time.monotonic() - told[0] < 8.0
    error = caught.value
    assert isinstance(error, pb.Interrupted)
    assert error.directory == str(tmp_path / "out")
    statuses = [run["status"] for run in error.partial.runs]
    assert statuses[-1] == "incomplete"
    assert set(statuses[:-1]) == {"ok"}
    assert [run["status"] for run in lines(tmp_path / "out")] == statuses
    assert "stopped early" in error.partial.title
    assert json.loads((tmp_path / "out" / "sweep.json").read_text())["design"]["stopping"]["stopped_early"]
    assert len(quick().runs) == 8  # the next sweep in this process works


def test_ctrl_c_reaches_the_program_and_not_the_run(tmp_path: Path) -> None:
    program = started(tmp_path / "out", duration=1.5)
    wait_until(lambda: len(lines(tmp_path / "out")) >= 1)
    time.sleep(0.3)  # into the next run
    begun = time.monotonic()
    program.send_signal(signal.SIGINT)
    text, _ = program.communicate(timeout=10)
    assert program.returncode == 130
    assert json.loads(text) == ["ok", "incomplete"]
    assert time.monotonic() - begun < 8.0


def test_a_second_ctrl_c_ends_a_sweep_whose_run_does_not_stop(tmp_path: Path) -> None:
    told = tmp_path / "told"
    program = started(tmp_path / "out", duration=30, _plant={"act": "stubborn", "pids": str(told)})
    wait_until(lambda: told.exists() and "run " in told.read_text(), 30.0)
    program.send_signal(signal.SIGINT)
    wait_until(lambda: "cancelled " in told.read_text(), 30.0)  # the first one has been heard
    begun = time.monotonic()
    program.send_signal(signal.SIGINT)
    program.communicate(timeout=20)
    assert program.returncode == 130
    assert time.monotonic() - begun < 8.0


def test_kill_of_the_whole_sweep_leaves_the_runs_and_no_process(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    program = started(tmp_path / "out", _plant={"act": "pid", "file": str(file)})
    wait_until(lambda: len(lines(tmp_path / "out")) >= 2)
    program.kill()
    program.communicate()
    assert all(run["status"] == "ok" for run in lines(tmp_path / "out"))
    pids = [int(line) for line in file.read_text().splitlines()]
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids), 5.0)


@pytest.mark.usefixtures("fake")
def test_a_sweep_goes_on_where_it_stopped(tmp_path: Path) -> None:
    out = tmp_path / "out"
    whole = quick(out=out, seed=3)
    kept = (out / "runs.jsonl").read_text().splitlines(keepends=True)[:3]
    (out / "runs.jsonl").write_text("".join(kept) + '{"name": "cut off')
    result = sweep("noop", resume=out, quiet=True)
    assert not result.sweep["design"]["stopping"]["stopped_early"]
    assert [(r["name"], r["concurrency"], r["repeat"]) for r in result.runs] == [
        (r["name"], r["concurrency"], r["repeat"]) for r in whole.runs
    ]
    assert [r["started_at"] for r in result.runs][:3] == [r["started_at"] for r in whole.runs][:3]
    assert len(lines(out)) == 8


@pytest.mark.usefixtures("fake")
def test_a_sweep_does_not_go_on_with_other_arguments(tmp_path: Path) -> None:
    quick(out=tmp_path / "out", seed=3)
    with pytest.raises(ConfigError, match="resume: the sweep there has another concurrency"):
        quick(resume=tmp_path / "out", concurrency=[7])
    with pytest.raises(ConfigError, match="another duration"):
        sweep("noop", resume=tmp_path / "out", duration=9)
    with pytest.raises(ConfigError, match="another transport"):
        sweep("noop", resume=tmp_path / "out", transport="direct")
    with pytest.raises(ConfigError, match="another workload"):
        sweep("sleep", resume=tmp_path / "out")
    with pytest.raises(ConfigError, match="out begins a sweep and resume goes on"):
        sweep("noop", resume=tmp_path / "out", out=tmp_path / "new")
    with pytest.raises(ConfigError, match="holds no sweep"):
        sweep("noop", resume=tmp_path / "none")


@pytest.mark.usefixtures("fake")
def test_a_sweep_works_in_a_running_event_loop() -> None:
    async def cell() -> int:
        return len(quick(repeats=1).runs)

    assert asyncio.run(cell()) == 4


@pytest.mark.usefixtures("fake")
def test_a_sweep_works_in_another_thread() -> None:
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(len(quick(repeats=1).runs)))
    thread.start()
    thread.join()
    assert found == [4]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"models": "nothing"}, "unknown model nothing"),
        ({"concurrency": 0}, "concurrency must be at least 1, not 0"),
        ({"concurrency": 10**12}, r"concurrency 10+ needs about [\d,]+ MiB for"),
        ({"duration": 0}, "duration must be more than 0 s"),
        ({"repeats": 0}, "repeats must be at least 1"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"transport": "udp"}, "transport knows no udp; it takes http and direct"),
        ({"arrivals": "ramp:1-5@3"}, "arrivals ramp are not in this release"),
        ({"arrivals": "poisson:rate=5", "requests_per_user": 5}, "requests_per_user needs users"),
        ({"placement": "split", "transport": "direct"}, "placement split needs transport http"),
        ({"settings": {"reactive": {"transport": "direct"}}}, "transport holds for the whole sweep"),
        ({"wokers": 5}, r"did you mean workers\?"),
        ({"query_delay_ms": 5}, "belongs to the pricing workload"),
        ({"settings": {"none": {}}}, "no model is named none"),
        ({"database": 5}, "database takes a connection string, not int"),
        ({"database": "postgresql://me:s3c@ret@h/db"}, "percent-encoded"),
        ({"database_socket": "udp"}, "it takes unix and tcp"),
        ({"out": "/proc/x"}, "out /proc/x cannot be written"),
        ({"repeats": 1000, "concurrency": range(1, 200)}, "would have"),
        ({"legs": "both", "arrivals": "rounds"}, "legs both finds capacities with closed users"),
        ({"legs": "open"}, "legs knows no open; it takes closed and both"),
        ({"until": "5%"}, "repeats and until are two rules"),
        ({"repeats": None, "until": "significant"}, "cannot go on until something is significant"),
        ({"settings": {"reactive": {"until": "5%"}}}, "until holds for the whole sweep"),
    ],
)
@pytest.mark.usefixtures("fake")
def test_bad_input_is_one_sentence_and_nothing_is_run(
    given: dict[str, Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any) -> None:
        raise AssertionError("something was started")

    monkeypatch.setattr(child, "run", never)
    monkeypatch.setattr("parkbench.database.open_database", never)
    with pytest.raises(ConfigError, match=words) as caught:
        quick(**given)
    assert "\n" not in str(caught.value)
    assert "s3c" not in str(caught.value)


def test_a_missing_core_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda *_: None)
    with pytest.raises(pb.ParkbenchError, match=r"the compiled core \(parkbench._core\) is missing"):
        quick()


def test_the_compiled_core_reports_the_record_of_the_design() -> None:
    from parkbench.record import FIGURES, LEDGER, PHASES

    result = sweep("noop", concurrency=20, duration=0.2, repeats=1, quiet=True, transport="direct")
    assert len(result.runs) == 3
    for run in result.runs:
        assert run["status"] in ("ok", "client_limited"), run["status"]
        assert set(FIGURES) <= set(run)
        assert set(run["phases_ms"]) == set(PHASES)
        ledger = run["ledger"]
        assert set(ledger) == set(LEDGER)
        assert ledger["scheduled"] == sum(value for key, value in ledger.items() if key != "scheduled")


def test_the_compiled_core_stops_when_asked() -> None:
    def has_begun(child: psutil.Process) -> bool:
        with contextlib.suppress(psutil.Error):  # one that has ended meanwhile
            return any(part.endswith("run_child.py") for part in child.cmdline())
        return False

    def interrupt() -> None:
        while not any(has_begun(child) for child in psutil.Process().children()):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    begun = time.monotonic()
    with pytest.raises(pb.Interrupted) as caught:
        sweep("sleep", models="virtual_threads", concurrency=20, duration=50, repeats=1, quiet=True, transport="direct")
    assert time.monotonic() - begun < 40.0
    assert caught.value.partial.runs[-1]["status"] == "incomplete"


@pytest.mark.usefixtures("fake")
def test_the_transport_is_http_unless_said_and_stands_everywhere(tmp_path: Path) -> None:
    result = quick(repeats=1, concurrency=5, out=tmp_path / "out")
    assert {run["transport"] for run in result.runs} == {"http"}
    assert result.sweep["transport"] == "http"
    assert json.loads((tmp_path / "out" / "sweep.json").read_text())["transport"] == "http"
    assert {run["cpu"]["generator_s"] for run in result.runs} == {0.01}
    assert result.frame["generator_cpu_s"].tolist() == [0.01, 0.01]
    assert ", http, " in result.title
    direct = quick(repeats=1, concurrency=5, transport="direct")
    assert {run["transport"] for run in direct.runs} == {"direct"}
    assert ", direct, " in direct.title


@pytest.mark.usefixtures("fake")
def test_a_brownout_and_a_placement_are_recorded(tmp_path: Path) -> None:
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("this process may use one CPU")
    options = {"faults": "brownout", "placement": "split", "downstream": "http"}
    result = sweep("gateway", models="reactive", concurrency=5, repeats=1, duration=0.3, quiet=True, **options)  # type: ignore[arg-type]
    run = result.runs[0]
    assert run["options"]["faults"] == "brownout:from=0.1s,until=0.2s,delay=5s"
    assert run["details"]["scenario"]["brownout"]["delay_ms"] == 5000.0
    assert result.sweep["environment"]["placement"] == {
        "placement": "split", "server": cpus[: len(cpus) // 2], "generator": cpus[len(cpus) // 2 :],
    }  # fmt: skip
    assert "CPUs split" in result.title
    assert quick(repeats=1).sweep["environment"]["placement"] == {"placement": "none"}


@pytest.mark.usefixtures("fake")
def test_a_server_that_dies_is_the_cause_and_the_sweep_goes_on() -> None:
    result = quick(repeats=1, concurrency=5, _plant={"server": "crash"})
    assert [run["status"] for run in result.runs] == ["failed: server process killed by SIGSEGV: bad luck"] * 2


def test_a_core_that_was_not_built_for_measuring_is_refused(
    fake: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(environment, "build_info", lambda: {"build_type": "Debug", "assertions": True})
    with pytest.raises(ConfigError, match="not for use"):
        quick(out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    monkeypatch.setenv("PARKBENCH_ALLOW_DEBUG", "1")
    assert len(quick(out=tmp_path / "out").runs) == 8
