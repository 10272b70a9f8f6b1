"""What the tests of parkbench.database share: a session to test with, and a look at what a server left behind."""

from __future__ import annotations

import importlib.util
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from parkbench.database import watcher
from parkbench.database.account import copy_to_cache, reachable
from parkbench.database.binaries import find_binaries
from parkbench.database.session import Connect, Session, core_connect
from parkbench.errors import DatabaseError

NOBODY = 65534
SOURCES = Path(__file__).resolve().parents[2] / "python"
IS_ROOT = os.geteuid() == 0
needs_root = pytest.mark.skipif(not IS_ROOT, reason="only root becomes somebody else")
ACCOUNTS = ["namespace", "nobody"] if IS_ROOT else ["user"]


class PsycopgSession:
    """A session over psycopg: another client than the one under test, and independent of the compiled core."""

    def __init__(self, dsn: str, timeout_s: float = 5.0) -> None:
        try:
            self._connection = psycopg.connect(dsn, autocommit=True, connect_timeout=int(timeout_s))
        except psycopg.Error as error:
            raise DatabaseError(str(error), error.sqlstate) from None

    def execute(self, sql: str) -> list[tuple[str | None, ...]]:
        try:
            cursor = psycopg.ClientCursor(self._connection)
            cursor.execute(sql.encode())
            if cursor.description is None or cursor.pgresult is None:
                return []
            result = cursor.pgresult
            values = [
                [result.get_value(row, column) for column in range(result.nfields)] for row in range(result.ntuples)
            ]
            return [tuple(None if value is None else bytes(value).decode() for value in row) for row in values]
        except psycopg.Error as error:
            raise DatabaseError(str(error), error.sqlstate) from None

    def copy_in(self, sql: str, data: bytes) -> None:
        try:
            with self._connection.cursor() as cursor, cursor.copy(sql.encode()) as copy:
                copy.write(data)
        except psycopg.Error as error:
            raise DatabaseError(str(error), error.sqlstate) from None

    def close(self) -> None:
        self._connection.close()


def connects() -> list[Connect]:
    """The ways to connect: psycopg, and the compiled core where it is built."""
    built = importlib.util.find_spec("parkbench._core") is not None
    return [PsycopgSession, core_connect] if built else [PsycopgSession]


@contextmanager
def session(dsn: str, connect: Connect = PsycopgSession) -> Iterator[Session]:
    opened = connect(dsn)
    try:
        yield opened
    finally:
        opened.close()


def eventually(what: str, holds: Callable[[], bool], seconds: float = 5.0) -> None:
    """Wait until `holds()`; fails with `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"after {seconds} s still not: {what}"
        select.select([], [], [], 0.02)


@dataclass(frozen=True)
class Traces:
    """Where a running server can be found: its folder, its System V segment, its files in /dev/shm."""

    folder: str
    segment: tuple[str, str]

    @classmethod
    def of(cls, folder: str | Path) -> Traces:
        lines = Path(folder, "server/data/postmaster.pid").read_text(encoding="utf-8").splitlines()
        key, shmid = lines[6].split()
        traces = cls(str(folder), (key, shmid))
        assert traces.segment in segments(), "the server has a segment while it runs, else this test sees nothing"
        assert watcher.processes_in(str(folder)), "the server's processes are found, else this test sees nothing"
        return traces

    def left(self) -> list[str]:
        """What is there of it now."""
        found = [f"process {pid}" for pid in watcher.processes_in(self.folder)]
        if Path(self.folder).exists():
            found.append(f"folder {self.folder}")
        if self.segment in segments():
            found.append(f"segment {self.segment}")
        return found

    def assert_gone(self, seconds: float = 5.0) -> None:
        eventually("everything is gone", lambda: not self.left(), seconds)


def segments() -> dict[tuple[str, str], int]:
    """The System V segments by key and id, with the number of processes attached."""
    lines = Path("/proc/sysvipc/shm").read_text(encoding="utf-8").splitlines()[1:]
    return {(words[0], words[1]): int(words[6]) for words in map(str.split, lines)}


def alive(pid: int) -> bool:
    """Whether the process runs (one that has ended and was not waited for does not)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


OWNER = """
import sys, json, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # where a shell's "&" has it ignored
from parkbench.database.server import EmbeddedServer
server = EmbeddedServer(socket=sys.argv[1], root_mode=sys.argv[2] or None)
server.start()
print(json.dumps([str(server.folder), server.server_pid, server._watcher.pid, server.dsn]), flush=True)
{then}
"""


def owner_script(then: str = "sys.stdin.read()") -> str:
    """A program that starts a server, says where it is, and does `then`."""
    return OWNER.format(then=then)


def start_owner(account: str, then: str = "sys.stdin.read()", socket: str = "unix") -> subprocess.Popen[bytes]:
    """Start `owner_script` in a session of its own."""
    env = os.environ | {"PYTHONPATH": str(SOURCES)}
    mode = account if account != "user" else ""
    return subprocess.Popen(
        [sys.executable, "-c", owner_script(then), socket, mode],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=env,
        start_new_session=True,
    )


@contextmanager
def place_for_nobody() -> Iterator[tuple[list[str], dict[str, str]]]:
    """A command and an environment with which the account nobody runs Python with these sources.

    The sources, and where needed PostgreSQL, are copied to where nobody can read them.
    """
    home = Path(tempfile.mkdtemp(prefix="nobody-", dir="/tmp"))
    try:
        home.chmod(0o755)
        shutil.copytree(SOURCES / "parkbench", home / "parkbench", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]
        pythons = [sys.executable, "/usr/bin/python3"]
        check = "import os, sys; sys.exit(sys.version_info < (3, 11) or not os.access(sys.executable, os.X_OK))"
        usable = [p for p in pythons if subprocess.run([*become, p, "-c", check], capture_output=True).returncode == 0]
        if not usable:
            pytest.skip("no Python that the account nobody can run")
        binaries = find_binaries()
        if not reachable(str(binaries.path), NOBODY):
            binaries = copy_to_cache(binaries, home / "cache")
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(home), "PARKBENCH_PG_BIN": str(binaries.path)}
        yield [*become, usable[0]], env
    finally:
        shutil.rmtree(home)
