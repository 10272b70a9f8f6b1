"""Whatever ends the sweep, at whatever moment, nothing is left of the server five seconds later."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from database_support import ACCOUNTS, SOURCES, Traces, alive, eventually, segments, start_owner

from parkbench.database import watcher
from parkbench.database.server import EmbeddedServer


def where(owner: subprocess.Popen[bytes]) -> tuple[str, int, int, str]:
    """Folder, server, watcher and DSN of an owner's server."""
    assert owner.stdout is not None
    folder, server_pid, watcher_pid, dsn = json.loads(owner.stdout.readline())
    return folder, server_pid, watcher_pid, dsn


def finish(owner: subprocess.Popen[bytes]) -> int:
    """Wait for an owner's end and close its pipes."""
    status = owner.wait(20)
    for pipe in (owner.stdin, owner.stdout):
        if pipe is not None:
            pipe.close()
    return status


@pytest.mark.parametrize("account", ACCOUNTS)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_an_owner_killed_leaves_nothing(account: str, number: signal.Signals) -> None:
    owner = start_owner(account)
    folder, server_pid, watcher_pid, dsn = where(owner)
    traces = Traces.of(folder)
    with psycopg.connect(dsn):  # with a connection open
        owner.send_signal(number)
        traces.assert_gone()
    eventually("the server and the watcher have ended", lambda: not alive(server_pid) and not alive(watcher_pid))
    assert finish(owner) == -number


def test_ctrl_c_reaches_the_sweep_and_not_the_server() -> None:
    then = """
try:
    print("waits", flush=True)
    sys.stdin.read()
except KeyboardInterrupt:
    print("interrupted", server.ended(), server.server_pid, flush=True)
    sys.stdin.read()
"""
    owner = start_owner(ACCOUNTS[0], then)
    folder, server_pid, _, dsn = where(owner)
    assert owner.stdout is not None
    assert owner.stdout.readline() == b"waits\n"
    os.killpg(owner.pid, signal.SIGINT)  # what a terminal does
    assert owner.stdout.readline().decode() == f"interrupted None {server_pid}\n"
    with psycopg.connect(dsn) as connection:
        assert connection.execute("select 1").fetchone() == (1,)
    traces = Traces.of(folder)
    owner.kill()
    traces.assert_gone()
    finish(owner)


# What the folder shows one after the other: marker, initdb's first file, its bootstrap, its last step, the server.
STAGES = [
    "owner",
    "server/data/postgresql.conf",
    "server/data/base/4",
    "server/data/postmaster.opts",
    "server/.s.PGSQL.5432",
]


@pytest.mark.slow
@pytest.mark.parametrize("account", ACCOUNTS)
def test_killed_in_the_middle_of_the_start(account: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed as soon as the folder shows a stage of the start, from its marker to the running server."""
    place = Path(f"/tmp/t{os.getpid()}")  # short enough for a socket, and nobody can pass
    place.mkdir(mode=0o755)
    monkeypatch.setenv("TMPDIR", str(place))
    before = set(segments())
    try:
        for stage in STAGES:
            owner = start_owner(account)
            shows = f"parkbench-*/{stage}"
            try:
                eventually(f"the start is at {stage}", lambda shows=shows: any(place.glob(shows)), 60.0)  # type: ignore[misc]
            except AssertionError:
                owner.kill()
                finish(owner)
                raise
            owner.kill()
            finish(owner)
            eventually(f"nothing is left after {stage}", lambda: not any(place.iterdir()))
            assert watcher.processes_in(str(place)) == []
    finally:
        shutil.rmtree(place)
    eventually(
        "no segment without a process is left",
        lambda: all(attached for segment, attached in segments().items() if segment not in before),
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_in_the_middle_of_the_start(number: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception out of start(), as a signal handler raises one: stop() has been called before it is seen."""
    reached: list[Path] = []

    class StopHereError(BaseException):
        pass

    def handler(*_: object) -> None:
        raise StopHereError

    server = EmbeddedServer(root_mode=None if ACCOUNTS[0] == "user" else ACCOUNTS[0])
    plain = EmbeddedServer._next_event

    def interrupting(self: EmbeddedServer, timeout_s: float) -> object:
        event = plain(self, timeout_s)
        if event is not None and event["event"] == "folder":
            reached.append(Path(event["path"]))
            self.folder = reached[0]
            os.kill(os.getpid(), number)
        return event

    monkeypatch.setattr(EmbeddedServer, "_next_event", interrupting)
    old = signal.signal(number, handler)
    try:
        with pytest.raises(StopHereError):
            server.start()
    finally:
        signal.signal(number, old)
    assert not reached[0].exists()
    assert watcher.processes_in(str(reached[0])) == []


def test_a_forked_child_that_lives_on_does_not_keep_the_server() -> None:
    then = """
import os, signal
child = os.fork()
if child == 0:
    signal.pause()
print(child, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    owner = start_owner(ACCOUNTS[0], then)
    folder, _, _, _ = where(owner)
    assert owner.stdout is not None
    child = int(owner.stdout.readline())
    try:
        eventually("the folder is gone", lambda: not Path(folder).exists())
        assert alive(child)
    finally:
        os.kill(child, signal.SIGKILL)
    finish(owner)


def test_a_forked_child_that_stops_the_server_does_nothing() -> None:
    then = """
import os
child = os.fork()
if child == 0:
    server.stop()
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), os.path.exists(server.folder), server.ended(), flush=True)
server.stop()
"""
    owner = start_owner(ACCOUNTS[0], then)
    folder, _, _, _ = where(owner)
    assert owner.stdout is not None
    assert owner.stdout.readline() == b"7 True None\n"
    assert finish(owner) == 0
    assert not Path(folder).exists()


@pytest.mark.parametrize("account", ACCOUNTS)
def test_a_server_that_listens_to_no_signal_is_removed(account: str) -> None:
    owner = start_owner(account)
    folder, server_pid, _, dsn = where(owner)
    with psycopg.connect(dsn) as connection:
        traces = Traces.of(folder)
        for pid in (server_pid, connection.info.backend_pid):
            os.kill(pid, signal.SIGSTOP)
        owner.kill()
        traces.assert_gone()
    finish(owner)


@pytest.mark.parametrize("account", ACCOUNTS)
def test_a_server_that_was_killed_is_told_of_and_cleaned_up(account: str) -> None:
    with EmbeddedServer(root_mode=None if account == "user" else account) as server:
        assert server.folder is not None
        assert server.server_pid is not None
        traces = Traces.of(server.folder)
        os.kill(server.server_pid, signal.SIGKILL)
        eventually("its segment is gone", lambda: traces.left() == [f"folder {server.folder}"])
        ends: list[str] = []

        def told() -> bool:
            if end := server.ended():
                ends.append(end)
            return bool(ends)

        eventually("it is told", told)
        assert "ended by itself (signal 9)" in ends[0]
        assert "ready to accept connections" in ends[0]
        server.stop()
        assert traces.left() == []


def test_a_backend_that_was_killed_does_not_end_the_server() -> None:
    with EmbeddedServer(root_mode=None if ACCOUNTS[0] == "user" else ACCOUNTS[0]) as server:
        with psycopg.connect(server.dsn) as connection:
            os.kill(connection.info.backend_pid, signal.SIGKILL)

            def answers() -> bool:
                try:
                    with psycopg.connect(server.dsn) as again:
                        return again.execute("select 1").fetchone() == (1,)
                except psycopg.OperationalError:
                    return False

            eventually("the server answers again", answers)
        assert server.ended() is None
        assert server.folder is not None
        traces = Traces.of(server.folder)
    assert traces.left() == []


@pytest.mark.parametrize("account", ACCOUNTS)
def test_a_watcher_that_was_killed_takes_the_server_along_and_stop_cleans_up(account: str) -> None:
    with EmbeddedServer(root_mode=None if account == "user" else account) as server:
        assert server.folder is not None
        assert server.server_pid is not None
        assert server._watcher is not None
        traces = Traces.of(server.folder)
        pid = server.server_pid
        server._watcher.kill()
        eventually("the server has ended", lambda: not alive(pid))
        assert "ended by itself" in (server.ended() or "")
    assert traces.left() == []


def test_the_watcher_ends_when_it_is_told_to() -> None:
    with EmbeddedServer(root_mode=None if ACCOUNTS[0] == "user" else ACCOUNTS[0]) as server:
        assert server.folder is not None
        assert server._watcher is not None
        traces = Traces.of(server.folder)
        server._watcher.terminate()
        traces.assert_gone()


def test_the_watcher_loads_next_to_nothing() -> None:
    program = SOURCES / "parkbench/database/watcher.py"
    command = [sys.executable, "-I", "-S", "-X", "importtime", str(program)]
    report = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True).stderr
    loaded = {line.rpartition("|")[2].strip() for line in report.splitlines() if line.startswith("import time:")}
    assert "shutil" in loaded, "the report is one of imports, else this test sees nothing"
    assert not loaded & {"pathlib", "typing", "subprocess", "asyncio", "ctypes", "tempfile", "socket", "parkbench"}
