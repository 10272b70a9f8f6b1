"""Whether all servers do the same work: their answers and what their gateways send on, byte for byte."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bench.servers import Server

_NOT_COMPARED = ("date", "server", "connection", "keep-alive")
_TIMEOUT_S = 10.0


@dataclass(frozen=True)
class Answer:
    """A whole answer over HTTP/1.1."""

    status: int
    headers: Mapping[str, str]  # names in lower case, without those that may differ
    body: bytes


@dataclass(frozen=True)
class Case:
    """One request whose answer is compared."""

    name: str
    target: str
    headers: tuple[str, ...] = ()


HELLO = Case("hello", "/hello")
ROUTES = (
    HELLO,
    Case("sleep", "/sleep?ms=1"),
    Case("gateway", "/gateway/items/7?all=1"),
    Case("gateway, denied", "/gateway/items/7", ("X-Deny: 1",)),
    Case("unknown path", "/nothing"),
)


def parse(raw: bytes) -> Answer:
    """An answer with a Content-Length, exactly as long as that says. Raises ValueError."""
    head, mark, body = raw.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    status = re.fullmatch(r"HTTP/1\.1 (\d{3}) .*", lines[0])
    if not mark or status is None:
        raise ValueError(f"no answer: {raw[:200]!r}")
    headers = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    if headers.get("content-length") != str(len(body)):
        raise ValueError(f"Content-Length {headers.get('content-length')} with {len(body)} bytes of body")
    compared = {name: value for name, value in headers.items() if name not in _NOT_COMPARED}
    return Answer(int(status.group(1)), compared, body)


def ask(port: int, case: Case) -> Answer:
    """The answer to a case on a connection of its own. Raises OSError, ValueError."""
    lines = [f"GET {case.target} HTTP/1.1", f"Host: 127.0.0.1:{port}", *case.headers, "Connection: close", "", ""]
    with socket.create_connection(("127.0.0.1", port), _TIMEOUT_S) as connection:
        connection.sendall("\r\n".join(lines).encode())
        raw = b""
        while part := connection.recv(65536):
            raw += part
    return parse(raw)


def differences(answers: Mapping[str, Answer]) -> list[str]:
    """What sets each server's answer apart from the first one's, as sentences."""
    (first, expected), *others = answers.items()
    found = []
    for name, answer in others:
        for what in ("status", "headers", "body"):
            mine, theirs = getattr(expected, what), getattr(answer, what)
            if mine != theirs:
                found.append(f"{what}: {first} gives {mine!r}, {name} gives {theirs!r}")
    return found


def compare(servers: list[Server], cases: tuple[Case, ...]) -> list[str]:
    """All differences between the servers over the cases; empty when they answer alike."""
    found = []
    for case in cases:
        answers = {}
        for server in servers:
            try:
                answers[server.name] = ask(server.port, case)
            except (OSError, ValueError) as error:
                found.append(f"{case.name}: {server.name}: {error}")
        if len(answers) > 1:
            found += [f"{case.name}: {difference}" for difference in differences(answers)]
    return found


class Recorder:
    """A downstream that keeps the head of every request it gets, and answers at once."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.heads: list[str] = []

    def serve(self) -> None:
        """Answer one request on each connection until the listener is shut down."""
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                with connection, contextlib.suppress(OSError):
                    connection.settimeout(_TIMEOUT_S)
                    head = b""
                    while b"\r\n\r\n" not in head and (part := connection.recv(65536)):
                        head += part
                    self.heads.append(head.decode("latin-1"))
                    connection.sendall(
                        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"
                        b"Content-Length: 13\r\nConnection: close\r\n\r\ndownstream ok"
                    )

    def stop(self) -> None:
        """End serve()."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


@contextlib.contextmanager
def recorder() -> Iterator[Recorder]:
    """A Recorder at work."""
    recording = Recorder()
    thread = threading.Thread(target=recording.serve, name="recorder", daemon=True)
    thread.start()
    try:
        yield recording
    finally:
        recording.stop()
        thread.join()


def forwarded(head: str) -> tuple[str, bool]:
    """Of a request that a gateway sent on: its request line, and whether the filter's X-Request-Start is in it."""
    line, _, rest = head.partition("\r\n")
    return line, re.search(r"^x-request-start: *\d+\r$", rest, re.IGNORECASE | re.MULTILINE) is not None
