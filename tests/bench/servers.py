"""Starts the servers that are compared: ours by `parkbench serve`, the peers from .build/peers."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO

from bench import proc

MODELS = ("reactive", "virtual_threads", "thread_pool")
PEERS = ("nginx", "fasthttp", "hyper", "net/http")

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "tests" / "peers"
BUILT = ROOT / ".build" / "peers"

_DESCRIPTORS = 20_000
_NGINX_PROCESSES = 3  # a master and, as nginx.conf says, two workers
_START_S = 20.0
_STOP_S = 10.0


class StartError(RuntimeError):
    """A server did not come up; the text says which and what it printed."""


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Server:
    """A server on 127.0.0.1 in processes of its own; they begin at once, ready() waits until they listen.

    `pids` are the processes that hold the listening socket, without a command that only waits for them.
    """

    def __init__(
        self, name: str, command: list[str], port: int, *, directory: Path | None = None, processes: int = 1
    ) -> None:
        """`processes` is how many will hold the listening socket. Raises OSError when there is no such program."""
        self.name = name
        self.port = port
        self.pids: list[int] = []
        self.resident_kib_at_start = 0
        self._processes = processes
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by stop()
        # A group, not a session: where the kernel shares CPUs out by session, each server would be favoured over wrk.
        self._process = subprocess.Popen(
            command,
            cwd=directory,
            env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            process_group=0,
        )

    def ready(self) -> Server:
        """Wait until it listens. Raises StartError."""
        if not self.pids:
            try:
                self.pids = self._wait()
            except BaseException:
                self.stop()
                raise
            self.resident_kib_at_start = proc.resident_kib(self.pids)
        return self

    def _wait(self) -> list[int]:
        end = time.monotonic() + _START_S
        while time.monotonic() < end:
            if self._process.poll() is not None:
                raise StartError(f"{self.name} ended with exit code {self._process.returncode}: {self._said()}")
            found = proc.listeners(proc.tree(self._process.pid), self.port)
            if len(found) >= self._processes:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1.0):
                    return found
            time.sleep(0.01)
        raise StartError(f"{self.name} did not listen on port {self.port} within {_START_S:.0f} s: {self._said()}")

    def _said(self) -> str:
        self._log.seek(0)
        return self._log.read()[-1000:].decode(errors="replace").strip() or "it said nothing"

    def alive(self) -> bool:
        """Whether its first process runs."""
        return self._process.poll() is None

    def begin_stop(self) -> None:
        """Ask it to end; stop() waits for that."""
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, 15)

    def stop(self) -> None:
        """End it, by force after 10 s. Calling it again does nothing."""
        if self._log.closed:
            return
        self.begin_stop()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_STOP_S)
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, 9)  # also what outlived its parent
        self._process.wait()
        self._log.close()

    def __enter__(self) -> Server:
        return self.ready()

    def __exit__(self, *_: object) -> None:
        self.stop()


def allow_descriptors() -> int:
    """Raise this process's limit of open files as far as it goes (at most 20,000), for what it starts too."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


def ours(model: str, *, down: int | None = None, descriptors: int | None = None) -> Server:
    """One of our models with the workload gateway, whose server has every route.

    `down` is the port of its gateway's downstream, None a timer. With `descriptors` it may open no more files than
    that, and takes connections until there are none left.
    """
    port = free_port()
    if down is None:
        command = [sys.executable, "-m", "parkbench", "serve", model, "gateway", "--port", str(port)]
    else:
        command = [sys.executable, "-m", "bench.behind", model, str(port), str(down)]
    if descriptors is not None:
        limited = ["sh", "-c", 'ulimit -n "$0" && exec "$@"', str(descriptors)]
        command = [*limited, *command, "--max-connections", "100000"]
    return Server(model, command, port)


def downstream() -> Server:
    """Our downstream, which answers everything after 50 ms."""
    port = free_port()
    return Server("downstream", [sys.executable, "-m", "parkbench", "serve", "downstream", "--port", str(port)], port)


def peer(name: str, *, down: int | None = None) -> Server:
    """One of PEERS; `down` is the port of its gateway's downstream, None a timer. Raises StartError without nginx."""
    port = free_port()
    if name == "nginx":
        return _nginx(port)
    if name == "hyper":
        command = [str(BUILT / "rust-server"), "--listen", f"127.0.0.1:{port}"]
        command += [] if down is None else ["--down", f"127.0.0.1:{down}"]
    else:
        command = [str(BUILT / "go-server"), "-listen", f"127.0.0.1:{port}", "-mode", name.replace("/", "")]
        command += [] if down is None else ["-down", f"http://127.0.0.1:{down}"]
    return Server(name, command, port)


def nginx_program() -> Path | None:
    """nginx of the system, or the one that was unpacked into .build/peers."""
    for candidate in (shutil.which("nginx"), "/usr/sbin/nginx", BUILT / "nginx" / "usr" / "sbin" / "nginx"):
        if candidate is not None and os.access(candidate, os.X_OK):
            return Path(candidate)
    return None


def _nginx(port: int) -> Server:
    program = nginx_program()
    if program is None:
        raise StartError("nginx is not there")
    directory = BUILT / "nginx-run"
    directory.mkdir(parents=True, exist_ok=True)
    configuration = directory / "nginx.conf"
    configuration.write_text((SOURCES / "nginx.conf").read_text().replace("PORT", str(port)))
    command = [str(program), "-p", str(directory), "-c", str(configuration), "-e", "stderr"]
    return Server("nginx", command, port, directory=directory, processes=_NGINX_PROCESSES)


class Fleet(contextlib.ExitStack):
    """Servers that begin together and end together: all are asked first and then waited for."""

    def __init__(self) -> None:
        super().__init__()
        self._servers: list[Server] = []
        self.callback(self._stop)

    def start(self, makers: Iterable[Callable[[], Server]]) -> list[Server]:
        """Start them and wait until all listen. Raises StartError."""
        servers = []
        for make in makers:
            server = make()
            self._servers.append(server)
            servers.append(server)
        return [server.ready() for server in servers]

    def _stop(self) -> None:
        for server in self._servers:
            server.begin_stop()
        for server in self._servers:
            server.stop()
