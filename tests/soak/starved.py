"""A server that runs out of descriptors: 2,000 connections on 256 of them, again and again, for each model.

While it is starved it may let connections wait, answer 503 or close; it must serve those it holds, must not spin (less
than a tenth of a CPU), and must serve everybody again as soon as the crowd has gone.
"""

from __future__ import annotations

import contextlib
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bench import answers, proc, servers
from bench.servers import Server

CONNECTIONS = 2_000
DESCRIPTORS = 256
MOST_CPU = 0.1  # of one CPU, while starved
_BEGUN = b"GET /hello HTTP/1.1\r\nHost: localhost\r\n"  # a request that never ends holds its connection
_WATCH_S = 3.0
_PATIENCE_S = 20.0
_SPARE = 8  # a reserve, and what comes and goes


@dataclass(frozen=True)
class Starved:
    """What became of a crowd of connections."""

    waiting: int  # held by the server or in its backlog
    refused: int  # answered with 503
    closed: int  # without a word
    wrong: list[bytes]  # anything else that was answered
    cpu: float  # CPUs that the server used meanwhile
    served: bool  # the connection that was there before got its answer
    recovered: bool  # once they were gone, a new connection got its answer

    def faults(self) -> list[str]:
        """What is not as it must be, apart from the CPU."""
        found = [f"answered {self.wrong[0]!r}"] if self.wrong else []
        found += [] if self.served else ["an old connection was not served"]
        found += [] if self.recovered else ["it did not recover"]
        return found + ([] if self.waiting else ["no connection was held or left waiting"])


def crowd(server: Server, connections: int = CONNECTIONS, watch_s: float = _WATCH_S) -> Starved:
    """Let unfinished requests meet the server, watch it for `watch_s` seconds once it is starved, then leave.

    Raises OSError, and RuntimeError when it does not come to use its descriptors up.
    """
    with contextlib.ExitStack() as stack:
        old = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), _PATIENCE_S))
        before = _served_on(old)
        many = [stack.enter_context(_begun(server.port)) for _ in range(connections)]
        _wait_for(lambda: proc.descriptors(server.pids) >= DESCRIPTORS - _SPARE, "did not use its descriptors up")
        began, cpu = time.monotonic(), proc.cpu_s(server.pids)
        time.sleep(watch_s)
        used = (proc.cpu_s(server.pids) - cpu) / max(1e-3, time.monotonic() - began)
        served = before and _served_on(old)
        heard = [_heard(one) for one in many]
    said = [answer for answer in heard if answer]
    wrong = [answer for answer in said if not answer.startswith(b"HTTP/1.1 503 ")]
    recovered = _served_again(server.port)
    waiting = sum(answer is None for answer in heard)
    return Starved(waiting, len(said) - len(wrong), heard.count(b""), wrong, used, served, recovered)


def _begun(port: int) -> socket.socket:
    """A connection with an unfinished request, or one that was refused."""
    connection = socket.socket()
    connection.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        connection.connect(("127.0.0.1", port))
    with contextlib.suppress(OSError):
        connection.send(_BEGUN)
    return connection


def _heard(connection: socket.socket) -> bytes | None:
    """What the server said: None for nothing yet, empty for a close."""
    try:
        return connection.recv(4096)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _served_on(connection: socket.socket) -> bool:
    """Whether a kept connection gets its answer."""
    try:
        connection.sendall(b"GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n")
        got = b""
        while not got.endswith(b"Hello, World!"):
            part = connection.recv(4096)
            if not part:
                return False
            got += part
    except OSError:
        return False
    return got.startswith(b"HTTP/1.1 200 ")


def _served_again(port: int) -> bool:
    """Whether a new connection is served, sooner or later."""

    def served() -> bool:
        with contextlib.suppress(OSError, ValueError):
            return answers.ask(port, answers.HELLO).status == 200
        return False

    with contextlib.suppress(RuntimeError):
        _wait_for(served, "was not served")
        return True
    return False


def _wait_for(condition: Callable[[], bool], otherwise: str) -> None:
    """Raises RuntimeError when the condition has not come about after 20 s."""
    end = time.monotonic() + _PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError(f"after {_PATIENCE_S:.0f} s the server {otherwise}")
        time.sleep(0.02)


def main() -> None:
    """`python -m soak.starved DIR SECONDS`: exit code 1 at the first fault."""
    end = time.monotonic() + float(sys.argv[2])
    servers.allow_descriptors()
    rounds = 0
    with servers.Fleet() as fleet:
        started = fleet.start(partial(servers.ours, model, descriptors=DESCRIPTORS) for model in servers.MODELS)
        while time.monotonic() < end:
            rounds += 1
            for server in started:
                seen = crowd(server)
                faults = seen.faults()
                if seen.cpu > MOST_CPU:
                    faults.append(f"it used {seen.cpu:.2f} CPUs while starved")
                if rounds == 1 or faults:
                    print(
                        f"{server.name}: {seen.waiting} waited, {seen.refused} got 503, {seen.closed} were closed, "
                        f"{seen.cpu:.3f} CPUs",
                        flush=True,
                    )
                if faults:
                    raise SystemExit(f"{server.name}, round {rounds}: {'; '.join(faults)}")
    print(f"starved: {rounds} rounds of {CONNECTIONS} connections on {DESCRIPTORS} descriptors, three models, no fault")


if __name__ == "__main__":
    main()
