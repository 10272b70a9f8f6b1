"""Ctrl-C and SIGTERM while runs are under way: a request to stop first, an immediate end on the second signal."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any


class Interrupted(KeyboardInterrupt):
    """A sweep was stopped by a signal. What was finished is kept.

    `partial` is the result so far (a `SweepResult`, or None before the first run), `directory` where it is on disk,
    `exit_code` what a program should end with: 130 after Ctrl-C, 143 after SIGTERM.
    """

    def __init__(self, signal_number: int, partial: Any = None, directory: str | None = None) -> None:
        super().__init__(f"interrupted by {signal.Signals(signal_number).name}")
        self.signal_number = signal_number
        self.partial = partial
        self.directory = directory

    @property
    def exit_code(self) -> int:
        """128 plus the signal's number."""
        return 128 + self.signal_number


class StopRequest:
    """Whether a signal asked to stop. `fd` becomes readable at that moment, so that a `select` wakes at once."""

    def __init__(self) -> None:
        self.fd, self._writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self.signal_number: int | None = None

    def __bool__(self) -> bool:
        return self.signal_number is not None

    def ask(self, signal_number: int) -> None:
        """Asks to stop. Async-signal use only from a Python handler, which runs between byte codes."""
        self.signal_number = signal_number
        with contextlib.suppress(OSError):
            os.write(self._writer, b"!")

    def close(self) -> None:
        """Closes both ends of the pipe."""
        os.close(self.fd)
        os.close(self._writer)


_open: set[StopRequest] = set()


def ask_all(signal_number: int = signal.SIGINT) -> None:
    """Asks every sweep of this process to stop, as Ctrl-C does: for those in threads, which no signal reaches."""
    for request in tuple(_open):
        request.ask(signal_number)


@contextlib.contextmanager
def listening() -> Iterator[StopRequest]:
    """Turns Ctrl-C into a `StopRequest` inside the block; the second one raises `Interrupted` at once.

    SIGTERM is taken too where `terminating` holds. Handlers are put back at the end. Outside the main thread Python
    delivers no signals, and nothing is installed.
    """
    request = StopRequest()
    replaced: dict[int, Any] = {}

    def handle(number: int, _: FrameType | None) -> None:
        if request:
            raise Interrupted(number)
        request.ask(number)

    try:
        if threading.current_thread() is threading.main_thread():
            for number in map(int, (signal.SIGINT, signal.SIGTERM)):
                before = signal.getsignal(number)
                if before is _terminate or (number == signal.SIGINT and before not in (signal.SIG_IGN, None)):
                    replaced[number] = signal.signal(number, handle)
        _open.add(request)
        yield request
    finally:
        _open.discard(request)
        for number, before in replaced.items():
            signal.signal(number, before)
        request.close()


def _terminate(number: int, _: FrameType | None) -> None:
    raise Interrupted(number)


@contextlib.contextmanager
def terminating() -> Iterator[None]:
    """Inside, SIGTERM raises `Interrupted` (exit code 143) instead of ending the program with its database running.

    SIGINT is heard too where it was ignored: a shell without job control starts what stands before `&` that way, and
    a benchmark that outlives the script it belongs to helps nobody. For programs of our own; a library does not touch
    its caller's SIGTERM.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    replaced: dict[int, Any] = {signal.SIGTERM: signal.signal(signal.SIGTERM, _terminate)}
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        replaced[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        for number, before in replaced.items():
            signal.signal(number, before)
