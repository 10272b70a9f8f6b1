"""
The compiled core of parkbench: runs, the set-up session, facts of the build and the machine.
"""

from __future__ import annotations
import collections.abc
import typing

__all__: list[str] = [
    "CoreError",
    "Downstream",
    "Run",
    "Server",
    "Session",
    "answers",
    "build_info",
    "clock_cost_ns",
    "clock_resolution_ns",
    "http_answers",
    "stack_guard_mode",
    "wake_up_cost_us",
]

class CoreError(RuntimeError):
    """
    A failure of the core: args are the message and the cause (a key of `failures`).
    """

class Session:
    """
    One connection to PostgreSQL for set-up and checks. One thread at a time.
    """
    def __init__(self, dsn: str, timeout_s: typing.SupportsFloat | typing.SupportsIndex = 5.0) -> None:
        """
        Connects within timeout_s seconds. Raises CoreError, never with the password in its text.
        """
    def close(self) -> None:
        """
        Closes the connection; may be called again.
        """
    def copy_in(self, sql: str, data: bytes) -> int:
        """
        Runs COPY ... FROM STDIN over data; returns the number of rows. Raises CoreError.
        """
    def execute(self, sql: str) -> list[tuple[str | None, ...]]:
        """
        Runs one or several statements; rows of the last as tuples of text or None. Raises CoreError.
        """

class Run:
    """
    One scenario, executed once on threads of its own; no thread of it ever takes the GIL.
    """
    def __init__(self, scenario: dict[str, typing.Any]) -> None:
        """
        Starts at once. With transport http, server_fd is the control socket of a Server and downstream_fd that of a Downstream, if there is one; the run owns both. Raises KeyError or ValueError for an incomplete scenario.
        """
    def cancel(self) -> None:
        """
        Sends nothing more; the run ends within about a second and says incomplete.
        """
    def progress(self) -> dict[str, typing.Any]:
        """
        phase (setup, warm_up, measure, drain, done), elapsed_s, and counts ok, failed, in_flight.
        """
    def report(self) -> dict[str, typing.Any]:
        """
        The figures of the run. Raises ValueError before it is over.
        """
    def wait(self, timeout_s: typing.SupportsFloat | typing.SupportsIndex) -> bool:
        """
        Waits at most timeout_s seconds; True when the run is over.
        """

class Server:
    """
    The scenario's model as an HTTP/1.1 server; no thread of it ever takes the GIL.
    """
    def __init__(
        self,
        scenario: dict[str, typing.Any],
        control_fd: typing.SupportsInt | typing.SupportsIndex | None,
        listen: dict[str, typing.Any],
    ) -> None:
        """
        Listens when this returns. control_fd is the inherited end of a SOCK_SEQPACKET pair whose other end a Run has, and is owned from now on; None: by hand. listen may hold host, port, backlog, max_connections, header_time_s, body_time_s, idle_time_s, write_time_s. Raises CoreError with one sentence.
        """
    def cancel(self) -> None:
        """
        It is over at once; what is in flight gets no answer if the process ends now.
        """
    def stop(self) -> None:
        """
        Begins to stop: nothing new is taken, what is in flight is answered; wait() tells when that is done.
        """
    def wait(self, timeout_s: typing.SupportsFloat | typing.SupportsIndex) -> bool:
        """
        Waits at most timeout_s seconds; True when it is over: the run is done or gone, or it has stopped.
        """
    @property
    def port(self) -> int:
        """
        The port it listens on.
        """

class Downstream:
    """
    What stands behind a gateway: answers after the scenario's delay.
    """
    def __init__(
        self,
        scenario: dict[str, typing.Any],
        control_fd: typing.SupportsInt | typing.SupportsIndex | None,
        listen: dict[str, typing.Any],
    ) -> None:
        """
        Listens when this returns. control_fd is the inherited end of a SOCK_SEQPACKET pair whose other end a Run has, and is owned from now on; None: by hand. listen may hold host, port, backlog, max_connections, header_time_s, body_time_s, idle_time_s, write_time_s. Raises CoreError with one sentence.
        """
    def cancel(self) -> None:
        """
        It is over at once; what is in flight gets no answer if the process ends now.
        """
    def stop(self) -> None:
        """
        Begins to stop: nothing new is taken, what is in flight is answered; wait() tells when that is done.
        """
    def wait(self, timeout_s: typing.SupportsFloat | typing.SupportsIndex) -> bool:
        """
        Waits at most timeout_s seconds; True when it is over: the run is done or gone, or it has stopped.
        """
    @property
    def port(self) -> int:
        """
        The port it listens on.
        """

def answers(scenario: dict[str, typing.Any]) -> list[int]:
    """
    The price of every product, asked of the scenario's model; a list in the order of the ids.
    """

def build_info() -> dict[str, typing.Any]:
    """
    How the core was built: version, compiler, flags, build_type, sanitizer, libpq, libpq_tls, assertions.
    """

def clock_cost_ns() -> float:
    """
    Nanoseconds that one read of the clock costs here (median of 51 x 1,000 reads).
    """

def clock_resolution_ns() -> float:
    """
    The smallest step, in nanoseconds, that the clock was seen to make between two reads.
    """

def http_answers(pieces: collections.abc.Sequence[bytes]) -> tuple[bytes, bool]:
    """
    What a server writes to these pieces of a connection when its handler answers 13 bytes to everything, and whether it closes the connection behind it.
    """

def stack_guard_mode() -> str:
    """
    How stacks of virtual threads are guarded on this machine.
    """

def wake_up_cost_us() -> dict[str, float | None]:
    """
    Microseconds from waking a thread until it runs: 'same_core', and 'cross_core' (None with one CPU).
    """

__version__: str = "0.1.0"
