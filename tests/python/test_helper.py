"""A server's process, with a stand-in for the core: it listens, is told its end, and never outlives its parent."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from parkbench import child, helper, scenario
from parkbench.helper import Helper, HelperError

FAKE = str(Path(__file__).with_name("fake_core.py"))
PROGRAM = str(Path(child.__file__).with_name("serve_child.py"))
PYTHON_SOURCES = str(Path(child.__file__).parents[1])


def order(act: str | None = None, dsn: str | None = None, **more: Any) -> dict[str, Any]:
    values = scenario.complete({"duration": 0.1})
    core = scenario.to_core("noop", "reactive", 1, values, seed=1, dsn=dsn, transport="http")
    return {"scenario": core | {"plant": {"server": act} if act else {}}, **more}


def started(act: str | None = None, *, controlled: bool = True, **more: Any) -> Helper:
    return Helper("server", PROGRAM, FAKE, order(act, **more), controlled=controlled)


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


def test_it_listens_and_ends_when_its_control_socket_does() -> None:
    one = started()
    assert one.listens()
    socket.create_connection(("127.0.0.1", one.port)).close()
    assert one.control is not None
    assert not one.is_over()
    os.close(one.control)
    assert one.is_over(20.0)
    assert one.ended() is None
    one.end()


def test_its_command_line_and_environment_hold_no_dsn(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "postgresql://me:s3cret@host/db"
    monkeypatch.setenv("PARKBENCH_DATABASE", secret)
    one = started(dsn=secret, controlled=False)
    assert one.listens()
    for name in ("cmdline", "environ"):
        assert b"s3cret" not in Path(f"/proc/{one.pid}/{name}").read_bytes()
    one.end()


def test_by_hand_a_signal_ends_it_in_good_order() -> None:
    one = started(controlled=False)
    assert one.listens()
    one.tell(signal.SIGINT)  # Ctrl-C goes to the whole group: it is not this process's to hear
    one.tell(signal.SIGTERM)
    assert one.is_over(20.0)
    assert one.ended() is None
    one.end()


@pytest.mark.parametrize(
    ("act", "words"),
    [("refuse", "server cannot reach None"), ("crash", "server process killed by SIGSEGV")],
)
def test_a_server_that_does_not_listen_says_why(act: str, words: str) -> None:
    one = started(act)
    with pytest.raises(HelperError, match=words):
        one.listens()
    one.end()


def test_a_program_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    before = len(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(HelperError, match="server process could not be started: No such file or directory"):
        started()
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_killed_one_is_named() -> None:
    one = started()
    assert one.listens()
    os.kill(one.pid, signal.SIGKILL)
    assert one.is_over(20.0)
    assert one.ended() == "server process killed by SIGKILL"
    one.end()


def test_waiting_for_it_can_be_ended_from_outside() -> None:
    one = started("hang")
    reader, writer = os.pipe()
    os.write(writer, b"!")
    assert not one.listens(stop_fd=reader)
    one.end()
    assert gone(one.pid)
    for fd in (reader, writer):
        os.close(fd)


def test_a_stubborn_one_is_killed_and_no_descriptor_stays() -> None:
    before = len(os.listdir("/proc/self/fd"))
    one = started("stubborn")
    assert one.listens()
    one.end(0.1)
    assert gone(one.pid)
    assert one.control is not None
    os.close(one.control)
    assert len(os.listdir("/proc/self/fd")) == before


def test_cpus_are_taken_before_anything_is_loaded() -> None:
    cpu = min(os.sched_getaffinity(0))
    one = started(cpus=[cpu])
    assert one.listens()
    assert os.sched_getaffinity(one.pid) == {cpu}
    one.end()


@pytest.mark.parametrize("act", [None, "stubborn", "hang"])
def test_it_dies_with_its_parent_whatever_it_is_doing(act: str | None, tmp_path: Path) -> None:
    script = (
        "import json, sys; sys.path.insert(0, sys.argv[1])\n"
        "from parkbench.helper import Helper\n"
        "one = Helper('server', sys.argv[2], sys.argv[3], json.loads(sys.argv[4]), controlled=True)\n"
        "print(one.pid, flush=True)\n"
        "one.listens()\n"
        "import time; time.sleep(600)\n"
    )
    import json

    pids = tmp_path / "pids"
    asked = order(act)
    asked["scenario"]["plant"]["pids"] = str(pids)
    parent = subprocess.Popen(
        [sys.executable, "-c", script, PYTHON_SOURCES, PROGRAM, FAKE, json.dumps(asked)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    until(lambda: pids.exists() and pids.read_text())  # it has come as far as its act
    assert not gone(pid)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    until(lambda: gone(pid))


def test_it_needs_nothing_of_the_package() -> None:
    """A run's process loads it without a package to import from, and must stay small."""
    script = "import sys; before = set(sys.modules); sys.path.insert(0, sys.argv[1]); import helper, serve_child\n"
    script += "print(*sorted(name.split('.')[0] for name in set(sys.modules) - before))"
    folder = str(Path(helper.__file__).parent)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script, folder], capture_output=True, text=True, check=True
    )
    assert not {"socket", "subprocess", "typing", "parkbench", "selectors"} & set(done.stdout.split()), done.stdout
