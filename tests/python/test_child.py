"""The process protocol, with real processes and a stand-in for the core."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from parkbench import child, scenario
from parkbench.signals import StopRequest

FAKE = str(Path(__file__).with_name("fake_core.py"))
PYTHON_SOURCES = str(Path(child.__file__).parents[1])


def make(act: Any = None, duration: Any = 0.1, dsn: Any = None, **plant: Any) -> Any:
    core = scenario.to_core("noop", "reactive", 5, scenario.complete({"duration": duration}), seed=1, dsn=dsn)
    return {**core, "plant": {"act": act, **plant} if act else {}}


def alive(pid: Any) -> Any:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def wait_until(condition: Any, seconds: Any = 5.0) -> Any:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    assert condition()


def test_a_run_reports_from_a_process_and_group_of_its_own() -> None:
    outcome = child.run(make(), FAKE)
    assert outcome.failure is None and not outcome.cancelled and outcome.report is not None
    assert outcome.report["status"] == "ok"
    assert outcome.report["details"]["group"] != os.getpgid(0)
    assert outcome.report["details"]["scenario"] == make()


def test_the_process_loads_no_package_and_sees_the_dsn_by_the_pipe_only(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "postgresql://me:s3cret@host/db"
    monkeypatch.setenv("PARKBENCH_DATABASE", secret)
    report: Any = child.run(make(dsn=secret), FAKE).report
    assert not {"site", "numpy", "pandas", "matplotlib", "parkbench"} & set(report["details"]["modules"])
    assert "PARKBENCH_DATABASE" not in report["details"]["environment"]
    assert report["details"]["argv"] == [str(Path(child.__file__).with_name("run_child.py")), FAKE]
    assert report["details"]["scenario"]["dsn"] == secret


def test_a_library_that_prints_does_not_spoil_the_report() -> None:
    assert child.run(make("chatter"), FAKE).report is not None


@pytest.mark.parametrize(
    ("act", "words"),
    [
        ("crash", "run process killed by SIGKILL"),
        ("exit", "run process ended with exit code 7: first line | assertion failed: x > 0"),
        ("nan", "Out of range float values are not JSON compliant"),
    ],
)
def test_a_crash_is_a_cause_and_no_exception(act: Any, words: Any) -> None:
    outcome = child.run(make(act), FAKE)
    assert outcome.report is None and words in (outcome.failure or "")


def test_an_error_of_the_core_is_the_cause_without_password() -> None:
    outcome = child.run(make("refuse", dsn="postgresql://me:s3cret@host/db"), FAKE)
    assert outcome.failure == "cannot reach postgresql://me:***@host/db"


def test_a_core_that_cannot_be_loaded(tmp_path: Path) -> None:
    assert "no Python module" in (child.run(make(), str(tmp_path / "none")).failure or "")
    broken = tmp_path / "broken.py"
    broken.write_text("raise ImportError('built for another Python')")
    assert child.run(make(), str(broken)).failure == "built for another Python"


def test_an_answer_that_is_no_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "garbage.py"
    program.write_text("print('Segmentation? no, garbage')")
    monkeypatch.setattr(child, "_PROGRAM", program)
    assert "gave no report but Segmentation? no, garbage" in (child.run(make(), FAKE).failure or "")


def test_more_text_than_a_pipe_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "long.py"
    program.write_text(
        "import sys\nsys.stderr.write('x' * 300_000)\nprint('{\"report\": {\"a\": \"' + 'y' * 3_000_000 + '\"}}')"
    )
    monkeypatch.setattr(child, "_PROGRAM", program)
    report: Any = child.run(make(), FAKE).report
    assert len(report["a"]) == 3_000_000


def test_a_process_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert child.run(make(), FAKE).failure == "run process could not be started: No such file or directory"


def test_kill_from_outside_is_named(tmp_path: Path) -> None:
    file = tmp_path / "pid"

    def kill() -> Any:
        wait_until(lambda: file.exists() and file.read_text().endswith("\n"))
        os.kill(int(file.read_text()), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    outcome = child.run(make("pid", duration=30, file=str(file)), FAKE)
    killer.join()
    assert outcome.failure == "run process killed by SIGKILL"


def ask_after(stop: Any, seconds: Any) -> Any:
    timer = threading.Timer(seconds, stop.ask, [signal.SIGINT])
    timer.start()
    return timer


def test_a_stop_gives_the_report_so_far() -> None:
    stop = StopRequest()
    ask_after(stop, 0.3)
    begun = time.monotonic()
    outcome = child.run(make(duration=30), FAKE, stop)
    assert outcome.cancelled and outcome.report is not None and outcome.report["status"] == "incomplete"
    assert time.monotonic() - begun < 10.0
    stop.close()


@pytest.mark.parametrize("act", ["stubborn", "deaf"])
def test_a_run_that_does_not_stop_is_killed_within_two_seconds(act: Any) -> None:
    stop = StopRequest()
    ask_after(stop, 0.3)
    begun = time.monotonic()
    outcome = child.run(make(act, duration=30), FAKE, stop)
    assert outcome.cancelled and outcome.report is None
    assert time.monotonic() - begun < 10.0
    stop.close()


def test_a_hung_run_is_killed() -> None:
    outcome = child.run(make("hang"), FAKE, limit_s=0.5)
    assert outcome.failure == "the run process did not end within 0 s and was killed" and not outcome.cancelled


def test_an_exception_in_the_parent_leaves_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "pid"

    def boom(*_: Any) -> Any:
        wait_until(lambda: file.exists() and file.read_text().endswith("\n"))
        raise KeyboardInterrupt

    monkeypatch.setattr(child._RunProcess, "wait", boom)
    with pytest.raises(KeyboardInterrupt):
        child.run(make("pid", duration=30, file=str(file)), FAKE)
    assert not alive(int(file.read_text()))


def test_the_process_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from parkbench import child, scenario\n"
        "core = scenario.to_core('noop', 'reactive', 5, scenario.complete({'duration': 30.0}), seed=1, dsn=None)\n"
        "child.run({**core, 'plant': {'act': 'pid', 'file': sys.argv[3]}}, sys.argv[2])\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script, PYTHON_SOURCES, FAKE, str(file)])
    wait_until(lambda: file.exists() and file.read_text().endswith("\n"))
    pid = int(file.read_text())
    assert alive(pid)
    parent.kill()
    parent.wait()
    wait_until(lambda: not alive(pid), 5.0)


def test_no_descriptor_is_left() -> None:
    before = len(os.listdir("/proc/self/fd"))
    for act in (None, "crash", "exit"):
        child.run(make(act), FAKE)
    assert len(os.listdir("/proc/self/fd")) == before
