"""A server's process beside the one that starts it: started, waited for until it listens, named when it dies, ended.

Used by a run's process, which has no package to import from, and by `parkbench serve`: it needs the standard library
only, and little of that.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # the module typing is not worth its memory here
    from collections.abc import Mapping
    from typing import Any

_POLL_S = 0.01
_CONTROL = 3  # the number under which the process finds its end of the control socket


class HelperError(Exception):
    """The process could not be started, could not listen, or died; the text is one sentence."""


class Helper:
    """One process that serves. `control` and `port` are for the core; `name` stands in sentences."""

    def __init__(self, role: str, program: str, core: str, order: Mapping[str, Any], *, controlled: bool) -> None:
        """Starts it. `role`: server or downstream. `order`: scenario, listen, cpus. Raises HelperError."""
        self.name = f"{role} process"
        self.port = 0
        self.control: int | None = None
        self._status: int | None = None
        opened: list[int] = []
        try:
            for_stdin, self._in = _pipe(opened)
            self._out, for_stdout = _pipe(opened)
            actions: list[Any] = [(os.POSIX_SPAWN_DUP2, for_stdin, 0), (os.POSIX_SPAWN_DUP2, for_stdout, 1)]
            theirs: int | None = None
            if controlled:
                self.control, theirs = _socket_pair(opened)
                actions.append((os.POSIX_SPAWN_DUP2, theirs, _CONTROL))
            arguments = [sys.executable, "-I", "-S", program, core, role, str(_CONTROL) if controlled else "none"]
            shown = {name: value for name, value in os.environ.items() if name != "PARKBENCH_DATABASE"}
            self.pid = os.posix_spawn(sys.executable, arguments, shown, file_actions=actions)
        except OSError as error:
            for fd in opened:
                os.close(fd)
            raise HelperError(f"{self.name} could not be started: {error.strerror or error}") from None
        for fd in (for_stdin, for_stdout, *(() if theirs is None else (theirs,))):
            os.close(fd)
        self._say((json.dumps(dict(order), allow_nan=False) + "\n").encode())

    def listens(self, stop_fd: int | None = None) -> bool:
        """Waits until it listens; False when `stop_fd` became readable first. Raises HelperError."""
        read = b""
        while b"\n" not in read:
            ready = select.select([self._out, *([] if stop_fd is None else [stop_fd])], [], [])[0]
            if self._out not in ready:
                return False
            part = os.read(self._out, 65536)
            if not part:
                raise HelperError(self.ended(1.0) or f"{self.name} ended before it listened")
            read += part
        answer = json.loads(read)
        if "error" in answer:
            raise HelperError(str(answer["error"]))
        self.port = int(answer["port"])
        return True

    @property
    def fd(self) -> int:
        """Readable when the process is gone, once it listens."""
        return self._out

    def is_over(self, patience_s: float = 0.0) -> bool:
        """Whether it has ended, waiting at most so long."""
        until = time.monotonic() + patience_s
        while self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._status = os.waitstatus_to_exitcode(status)
            elif time.monotonic() >= until:
                return False
            else:
                time.sleep(_POLL_S)
        return True

    def ended(self, patience_s: float = 0.0) -> str | None:
        """Why it is gone, if it has ended and not well; None while it runs or after an orderly end."""
        if not self.is_over(patience_s) or self._status == 0:
            return None
        status = self._status or 0
        if status > 0:
            return f"{self.name} ended with exit code {status}"
        try:
            return f"{self.name} killed by {signal.Signals(-status).name}"
        except ValueError:
            return f"{self.name} killed by signal {-status}"

    def tell(self, number: int) -> None:
        """Sends it a signal, if it has not ended."""
        if not self.is_over():
            os.kill(self.pid, number)

    def end(self, patience_s: float = 0.0) -> None:
        """Waits at most so long for its own end, then kills it; closes the pipes. The control socket is the core's."""
        if not self.is_over(patience_s):
            os.kill(self.pid, signal.SIGKILL)
            self.is_over(60.0)
        for fd in (self._in, self._out):
            os.close(fd)

    def _say(self, line: bytes) -> None:
        try:
            while line:
                line = line[os.write(self._in, line) :]
        except BrokenPipeError:
            pass  # it is gone: listens() says why


def _pipe(opened: list[int]) -> tuple[int, int]:
    ends = os.pipe()
    opened.extend(ends)
    return ends


def _socket_pair(opened: list[int]) -> tuple[int, int]:
    """Two connected sockets that keep messages apart. The module socket is loaded only here: a run may need none."""
    import socket

    ours, theirs = (end.detach() for end in socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET))
    opened.extend((ours, theirs))
    return ours, theirs
