"""wrk as the one generator of load, watched from outside while it runs.

wrk says how many requests it made only when it ends, connecting included. But it sends each request by one write(),
and the kernel counts those (/proc/PID/io). So one wrk can stay connected while others take their turn: stopped and
continued by signals, and counted over any window once all of its connections stand.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from bench import proc
from bench.servers import Server

_SCRIPT = Path(__file__).parents[1] / "peers" / "wrk.lua"
_RUN_S = 3_600  # it is always interrupted before
_TIMEOUT_S = 90  # longer than a pause, which wrk would count as time-outs; it reserves 8 MB of addresses per second
_POLL_S = 0.004


@dataclass(frozen=True)
class Totals:
    """What wrk says at its end. Times in microseconds; the last five are numbers of errors."""

    requests: int
    duration_us: int
    p50_us: int
    p99_us: int
    max_us: int
    connect: int
    read: int
    write: int
    status: int
    timeout: int

    @property
    def errors(self) -> int:
        """Of all kinds together."""
        return self.connect + self.read + self.write + self.status + self.timeout


def parse(output: str) -> Totals:
    """The totals in what wrk printed with our script. Raises ValueError when they are not there."""
    found = re.search(r"^RESULT (\{.*\})$", output, re.MULTILINE)
    if found is None:
        raise ValueError(f"wrk printed no result: {output.strip()[-500:]!r}")
    return Totals(**json.loads(found.group(1)))


class Wrk:
    """One running wrk. Use it in a `with`; it never outlives that."""

    def __init__(self, server: Server, path: str, connections: int, *, threads: int = 2) -> None:
        self.server = server
        self.connections = connections
        self._totals: Totals | None = None
        self._process = subprocess.Popen(
            [
                shutil.which("wrk") or "wrk",
                f"-t{threads}",
                f"-c{connections}",
                f"-d{_RUN_S}s",
                f"--timeout={_TIMEOUT_S}s",
                "-s",
                str(_SCRIPT),
                f"http://127.0.0.1:{server.port}{path}",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def __enter__(self) -> Wrk:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    @property
    def pid(self) -> int:
        """Of the wrk process."""
        return self._process.pid

    def sent(self) -> int:
        """Requests sent so far."""
        return proc.writes(self.pid)

    def connect(self, timeout_s: float = 30.0) -> None:
        """Wait until the server holds all connections and each has, on average, sent two requests.

        Raises RuntimeError when that has not come about after `timeout_s`.
        """
        end = time.monotonic() + timeout_s
        while proc.descriptors(self.server.pids) < self.connections or self.sent() < 2 * self.connections:
            if self._process.poll() is not None:
                raise RuntimeError(f"wrk ended early: {self._output()[-500:]}")
            if time.monotonic() > end:
                held = proc.descriptors(self.server.pids)
                raise RuntimeError(
                    f"{self.server.name} held {held} descriptors and had got {self.sent()} requests "
                    f"{timeout_s:.0f} s after {self.connections} connections were asked for"
                )
            time.sleep(0.02)

    def pause(self) -> None:
        """Stop the whole generator where it is; what is under way is answered into its sockets."""
        os.kill(self.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        """Undo pause()."""
        os.kill(self.pid, signal.SIGCONT)

    def rate(self, seconds: float, *, cycles: bool) -> float:
        """Requests/s over a window of `seconds`.

        With `cycles` it is extended to whole cycles, in which each connection has sent once: connections that wait for
        a timer move in step, and a window that cuts a cycle in two would count a burst too many or too few.
        """
        began, first = time.monotonic(), self.sent()
        time.sleep(seconds)
        now, sent = time.monotonic(), self.sent()
        if not cycles:
            return (sent - first) / (now - began)
        goal = first + max(1, math.ceil((sent - first) / self.connections)) * self.connections
        give_up = now + 2 * seconds
        while sent < goal and now < give_up:
            before, sent_before = now, sent
            time.sleep(_POLL_S)
            now, sent = time.monotonic(), self.sent()
            if sent >= goal:  # between the last two looks
                now = before + (now - before) * (goal - sent_before) / (sent - sent_before)
                return (goal - first) / (now - began)
        return (sent - first) / (now - began)

    def finish(self) -> Totals:
        """End it and return what it says of the whole run. Raises ValueError when it says nothing."""
        if self._totals is None:
            with contextlib.suppress(OSError):
                os.kill(self.pid, signal.SIGCONT)
            self._totals = parse(self._output(interrupt=True))
        return self._totals

    def _output(self, *, interrupt: bool = False) -> str:
        """What it printed, once it has ended. A signal may reach a thread of it that does not end it, so: again."""
        for _ in range(20):
            if interrupt:
                with contextlib.suppress(OSError):
                    os.kill(self.pid, signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self._process.communicate(timeout=0.5)[0]
        self._process.kill()
        return self._process.communicate()[0]
