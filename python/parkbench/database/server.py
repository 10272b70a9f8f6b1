"""A PostgreSQL server of the sweep's own: in a private folder, reached by a unix socket, gone when the sweep is gone.

The owner (this process) starts a watcher process and holds the write end of a pipe to it. The watcher (watcher.py)
makes the folder, runs initdb and the server, and cleans up when the pipe ends, whether by stop(), by an exception, or
because this process died by kill -9. So no interruption at any point can leave anything behind.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import select
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Any
from urllib.parse import quote

from parkbench.database import watcher
from parkbench.database.account import SHORT_BASE, Account, choose_account, choose_base
from parkbench.database.binaries import Binaries, find_binaries
from parkbench.database.stale import remove_stale
from parkbench.errors import ConfigError

USER = "parkbench"
START_TIMEOUT_S = 60.0  # the slowest machine; the usual start takes 1 s
STOP_TIMEOUT_S = 5.0  # the watcher needs 0.3 s, and 3.5 s for a server that does not listen to it


def server_settings(connections: int) -> dict[str, str]:
    """The settings that differ from PostgreSQL's own, for `connections` connections of the workload.

    Nothing is kept on disk for longer than the sweep, so durability is off; background work that would disturb a
    measurement (autovacuum, just-in-time compilation) is off; shared memory is of a kind that leaves no file.
    """
    return {
        "max_connections": str(connections + 20),
        "shared_buffers": "128MB",
        "fsync": "off",
        "synchronous_commit": "off",
        "full_page_writes": "off",
        "autovacuum": "off",
        "jit": "off",
        "dynamic_shared_memory_type": "mmap",
        "unix_socket_permissions": "0700",
    }


class EmbeddedServer:
    """A private PostgreSQL server; use it as a context manager, or call start() and stop().

    `connections` is the number the workload needs (20 are added); `socket` "unix" listens on a unix socket in a folder
    only this account can enter, "tcp" adds 127.0.0.1 on a free port with a random password. `root_mode` is for tests.
    Raises ConfigError when no PostgreSQL is found or the server does not come up (with the last lines of its log).
    """

    def __init__(self, connections: int = 10, socket: str = "unix", *, root_mode: str | None = None) -> None:
        if connections < 1:
            raise ConfigError(f"connections must be at least 1, not {connections}")
        if socket not in ("unix", "tcp"):
            raise ConfigError(f"the database socket is unix or tcp, not {socket}")
        self.settings = server_settings(connections)
        self.socket = socket
        self.binaries: Binaries | None = None
        self.account: Account | None = None
        self.folder: Path | None = None
        self.server_pid: int | None = None
        self.seconds: dict[str, float] = {}
        self._root_mode = root_mode
        self._lock = threading.RLock()
        self._pipe: IO[bytes] | None = None
        self._watcher: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()
        self._dsn: str | None = None
        self._unread = b""

    def __enter__(self) -> EmbeddedServer:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def dsn(self) -> str:
        """The connection string (URI) of the running server. Raises ConfigError when it is not running."""
        if self._dsn is None:
            raise ConfigError("the embedded PostgreSQL is not running: call start() first")
        return self._dsn

    def start(self) -> EmbeddedServer:
        """Start the server (about 1 s). Whatever interrupts it, nothing is left."""
        if self._pipe is not None:
            raise ConfigError("the embedded PostgreSQL has been started already")
        begun = time.monotonic()
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        self.seconds["total"] = time.monotonic() - begun
        return self

    def stop(self) -> None:
        """Stop the server and wait until nothing of it is left. A second call does nothing."""
        if os.getpid() != self._owner:
            return  # a forked child has a copy of this object, but the server is not its own
        with self._lock:
            self._dsn = None
            pipe, self._pipe = self._pipe, None
            if pipe is not None:
                pipe.close()  # from here on the watcher cleans up, even when this process is interrupted
            process, self._watcher = self._watcher, None
            if process is None:
                return
            try:
                process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            finally:
                if process.stdout is not None:
                    process.stdout.close()
            if self.folder is not None:
                # Only when the watcher was killed is there anything left to do.
                watcher.clean(str(self.folder), self.account.uid if self.account else None)

    def ended(self) -> str | None:
        """None while the server runs, else one sentence that says how it ended."""
        event = self._next_event(0.0)
        if event is not None and event.get("event") == "ended":
            self._dsn = None
            return f"the embedded PostgreSQL ended by itself ({_how(event)}): {_lines(event)}"
        return None

    def log_tail(self, lines: int = 12) -> list[str]:
        """The last lines of the server's log; empty when it does not run."""
        return watcher.log_tail(str(self.folder), lines) if self.folder else []

    def _start(self) -> None:
        found = find_binaries()
        self.account, self.binaries = choose_account(found, self._root_mode)
        base = choose_base(self.account)
        for place in {base, SHORT_BASE}:
            remove_stale(place)
        self._start_watcher(self._plan(base, self.account, self.binaries))
        while True:
            event = self._next_event(START_TIMEOUT_S)
            if event is None:
                raise ConfigError(f"the embedded PostgreSQL did not come up in time: {' | '.join(self.log_tail())}")
            if event["event"] == "folder":
                self.folder = Path(event["path"])
            elif event["event"] == "ready":
                self.server_pid = event["server_pid"]
                self.seconds = {"initdb": event["initdb_s"], "start": event["start_s"]}
                self._dsn = self._make_dsn(event["port"], event["password"])
                return
            else:
                raise ConfigError(
                    f"the embedded PostgreSQL did not come up ({event.get('what', 'ended')}): {_lines(event)}"
                )

    def _plan(self, base: str, account: Account, binaries: Binaries) -> watcher.Plan:
        """What the watcher is to do."""
        path = binaries.path
        initdb = [
            *account.prefix,
            str(path / "initdb"),
            "--no-sync",
            "--no-clean",  # its pid file names the shared memory to remove
            "--encoding=UTF8",
            "--no-locale",
            f"--username={USER}",
        ]
        if binaries.major >= 16:
            # Else initdb's own servers use /dev/shm. One round of SCRAM is enough for 24 random bytes.
            initdb += ["-c", "dynamic_shared_memory_type=mmap", "-c", "scram_iterations=1"]
        return {
            "owner_pid": os.getpid(),
            "base": base,
            "uid": account.uid,
            "gid": account.gid,
            "tcp": self.socket == "tcp",
            "initdb": initdb,
            "postgres": [*account.prefix, str(path / "postgres")],
            "preload": _one_session(),
            "settings": [f"{name}={value}" for name, value in self.settings.items()],
        }

    def _start_watcher(self, plan: watcher.Plan) -> None:
        read_end, write_end = os.pipe()  # neither is inherited by other children
        self._pipe = os.fdopen(write_end, "wb", buffering=0)
        env = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}  # a sanitizer's, for example
        try:
            self._watcher = subprocess.Popen(
                [sys.executable, "-I", "-S", watcher.__file__],
                stdin=read_end,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                process_group=0,  # Ctrl-C of a terminal does not reach it
                cwd="/",
                env=env,
            )
        except OSError as error:
            raise ConfigError(f"the watcher of the embedded PostgreSQL could not be started: {error}") from None
        finally:
            os.close(read_end)
        with contextlib.suppress(BrokenPipeError):  # it ended at once; the missing event says so
            self._pipe.write(json.dumps(plan).encode() + b"\n")

    def _next_event(self, timeout_s: float) -> dict[str, Any] | None:
        """The watcher's next event, None after `timeout_s`; its unexpected end is an event too."""
        if self._watcher is None or self._watcher.stdout is None:
            return None
        descriptor = self._watcher.stdout.fileno()
        deadline = time.monotonic() + timeout_s
        while b"\n" not in self._unread:
            poller = select.poll()
            poller.register(descriptor, select.POLLIN)
            if not poller.poll(max(0.0, deadline - time.monotonic()) * 1000):
                return None
            part = os.read(descriptor, 65536)
            if not part:
                return {
                    "event": "ended",
                    "what": "its watcher ended",
                    "status": self._watcher.poll(),
                    "log": self.log_tail(),
                }
            self._unread += part
        line, _, self._unread = self._unread.partition(b"\n")
        event: dict[str, Any] = json.loads(line)
        return event

    def _make_dsn(self, port: int, password: str) -> str:
        if port:
            return f"postgresql://{USER}:{password}@127.0.0.1:{port}/postgres?sslmode=disable"
        return f"postgresql://{USER}@/postgres?host={quote(f'{self.folder}/server', safe='')}&port=5432"


def _how(event: dict[str, Any]) -> str:
    status = event.get("status")
    if isinstance(status, int) and status < 0:
        return f"signal {-status}"
    return f"exit code {status}"


def _one_session() -> str | None:
    """The library that lies beside the compiled core; None where the core is not built."""
    spec = importlib.util.find_spec("parkbench._core")
    library = Path(spec.origin).with_name("one_session.so") if spec and spec.origin else None
    return str(library) if library and library.exists() else None


def _lines(event: dict[str, Any]) -> str:
    """The log of an event in one line; the lines of a log are the sentence's evidence, so they are kept whole."""
    return " | ".join(event.get("log") or ["its log is empty"])
