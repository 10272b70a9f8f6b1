"""A model as an HTTP server that is run by hand: `parkbench serve MODEL WORKLOAD`, and a downstream to put behind one.

The server is a process of its own that holds nothing but the compiled core; this one starts it (and a database where
the workload asks one), says where it listens, and passes a signal on.
"""

from __future__ import annotations

import contextlib
import ipaddress
import select
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parkbench import child, resources, scenario, specification, validate
from parkbench.errors import ConfigError, ParkbenchError
from parkbench.helper import Helper, HelperError
from parkbench.plan import Cell
from parkbench.redact import without_password
from parkbench.signals import StopRequest, listening

DOWNSTREAM = "downstream"
_PROGRAM = str(Path(__file__).with_name("serve_child.py"))
_OF_DOWNSTREAM = ("downstream_ms", "downstream_jitter_ms", "faults")
_ROUTES = {
    "pricing": "/price/{id}",
    "sleep": "/sleep?ms=",
    "noop": "/hello",
    "gateway": "/gateway/...",
    "cpu": "/cpu?us=",
    "file": "/file",
    "stream": "/stream?rows=",
    "mixed": "/sleep?ms=",
}
_END_S = 1.0  # after its end was asked for at once


@dataclass(frozen=True)
class Listen:
    """Where a server listens, and how long it waits for whom; None is the core's own default."""

    host: str = "127.0.0.1"
    port: int = 0
    backlog: int | None = None
    max_connections: int | None = None
    header_time_s: float | None = None
    body_time_s: float | None = None
    idle_time_s: float | None = None
    write_time_s: float | None = None

    @classmethod
    def checked(cls, given: Mapping[str, Any]) -> Listen:
        """From what a user typed, by the names of the fields without `_s`. Raises `ConfigError`."""
        values: dict[str, Any] = {"host": _address(given.get("host", "127.0.0.1"))}
        for name, low, high in (("port", 0, 65_535), ("backlog", 1, 65_535), ("max_connections", 1, 10_000_000)):
            if given.get(name) is not None:
                values[name] = validate.whole(name, given[name], low=low, high=high)
        for name in ("header_time", "body_time", "idle_time", "write_time"):
            if given.get(name) is not None:
                values[f"{name}_s"] = validate.real(name, given[name], "s", above=0.0, low=None, high=86_400.0)
        return cls(**values)

    def to_core(self) -> dict[str, Any]:
        """As the core takes it: without what is left to it."""
        return {name: value for name, value in self.__dict__.items() if value is not None}

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        return ipaddress.ip_address(self.host).is_loopback

    def url(self, port: int) -> str:
        """The address to type into a browser."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{port}/"


@dataclass(frozen=True)
class Service:
    """What is to be served: a model with a workload, or a downstream (then `workload` is its name)."""

    role: str
    workload: str
    model: str
    values: Mapping[str, Any]

    @classmethod
    def checked(cls, model: Any, workload: Any, options: Mapping[str, Any]) -> Service:
        """From what a user typed. Raises `ConfigError`."""
        if isinstance(model, str) and model.strip() == DOWNSTREAM:
            if workload is not None:
                raise ConfigError(
                    "serve downstream takes no workload; it answers after downstream_ms, whatever is asked"
                )
            for name in options:
                if name not in _OF_DOWNSTREAM:
                    known = validate.listed(validate.spell(one) for one in _OF_DOWNSTREAM)
                    raise ConfigError(f"{validate.spell(name)} is no option of a downstream; it has {known}")
            values = scenario.complete(_timed(scenario.checked({**options, "downstream": "http"})), "gateway")
            return cls(DOWNSTREAM, "gateway", scenario.MODELS[-1], values)
        servers = (*scenario.MODELS, DOWNSTREAM)
        word = model.strip().replace("-", "_") if isinstance(model, str) else ""
        if word not in scenario.MODELS:
            hint = validate.did_you_mean(word, servers)
            raise ConfigError(f"cannot serve {validate.shown(model)}{hint or ';'} there are {validate.listed(servers)}")
        if workload is None:
            raise ConfigError(f"serve {word} needs a workload: {validate.listed(scenario.WORKLOADS)}")
        name = scenario.check_workload(workload)
        given = scenario.checked(options, model=word)
        scenario.check_effect(name, given)
        return cls("server", name, word, scenario.complete(_timed(given), name))

    def to_core(self, dsn: str | None) -> dict[str, Any]:
        """The scenario; users and seed are the generator's, and there is none."""
        return scenario.to_core(self.workload, self.model, 1, self.values, seed=0, dsn=dsn, transport="http")

    def said(self) -> str:
        """The service in a sentence that begins with it."""
        if self.role == DOWNSTREAM:
            return f"downstream answers after {self.values['downstream_ms']:g} ms"
        return f"{self.model} serves {self.workload}"

    def routes(self) -> str:
        """What can be asked of it, for a sentence."""
        own = "any path" if self.role == DOWNSTREAM else _ROUTES[self.workload]
        return f"{own}, /healthz, /metrics, /dump"


def serve(
    service: Service,
    listen: Listen,
    say: Callable[[str], None],
    *,
    database: str | None = None,
    database_socket: str = "unix",
) -> int:
    """Serves until Ctrl-C (returns 0) or SIGTERM (returns 143), then ends gracefully: what is in flight is answered.

    `say` gets one sentence when it listens, and one before where others can reach it.

    A second signal ends it at once and raises Interrupted. Raises ConfigError where it cannot listen, ParkbenchError
    when the server's process dies.
    """
    needs_database = service.role == "server" and service.workload in specification.NEED_A_DATABASE
    dsn, socket = specification.check_database(database, database_socket)
    core = child.core_path()
    if needs_database:
        cell = Cell(service.model, service.model, 1, service.values, ())
        resources.check_descriptors(cell, resources.file_limits())
    if not listen.is_local:
        say(f"{listen.host} can be reached from other machines, and nobody is asked who they are")
    with contextlib.ExitStack() as stack:
        stop = stack.enter_context(listening())
        if needs_database:
            from parkbench.database import open_database

            connections, products = int(service.values["connections"]), int(service.values["products"])
            dsn = stack.enter_context(open_database(dsn, connections, products, socket)).dsn
        to_core = service.to_core(dsn if needs_database else None)
        if service.role == "server" and scenario.needs_downstream(service.workload, service.values):
            behind = _started(stack, DOWNSTREAM, core, {"scenario": to_core}, stop, dsn)
            if behind is None:
                return _exit_code(stop)
            to_core["downstream_port"] = behind.port
        server = _started(stack, service.role, core, {"scenario": to_core, "listen": listen.to_core()}, stop, dsn)
        if server is None:
            return _exit_code(stop)
        say(f"{service.said()} at {listen.url(server.port)} ({service.routes()}); Ctrl-C stops it")
        _wait(server, stop)
        return _exit_code(stop)


def _timed(given: dict[str, Any]) -> dict[str, Any]:
    """The options with a duration that holds the fault: a server by hand has no window, its start counts as 0."""
    fault = given.get("faults")
    if fault is None:
        return given
    if fault["from_s"] is None or fault["until_s"] is None:
        raise ConfigError(
            f"{validate.spell('faults')} of a server needs both times, counted from its start, "
            f"as in brownout:from=10s,until=20s"
        )
    return {**given, "duration": fault["until_s"]}


def _started(
    stack: contextlib.ExitStack, role: str, core: str, order: dict[str, Any], stop: StopRequest, dsn: str | None
) -> Helper | None:
    """A process that listens; None when a signal came first. Raises ConfigError."""
    try:
        helper = Helper(role, _PROGRAM, core, order, controlled=False)
        stack.callback(helper.end, 0.0)
        return helper if helper.listens(stop.fd) else None
    except HelperError as error:
        raise ConfigError(without_password(str(error), dsn)) from None


def _wait(server: Helper, stop: StopRequest) -> None:
    """Until the process is over; a signal has it end gracefully. Raises ParkbenchError if it dies."""
    watched = [server.fd, stop.fd]
    while not server.is_over():
        ready = select.select(watched, [], [])[0]
        if stop.fd in ready:
            watched.remove(stop.fd)
            server.tell(signal.SIGTERM)
        if server.fd in ready:
            server.is_over(_END_S)
            break
    if cause := server.ended():
        raise ParkbenchError(cause)
    if not stop:
        raise ParkbenchError(f"{server.name} ended by itself")


def _exit_code(stop: StopRequest) -> int:
    """A Ctrl-C is how a server is ended, and so no failure; SIGTERM is told as everywhere, by 143."""
    return 128 + signal.SIGTERM if stop.signal_number == signal.SIGTERM else 0


def _address(host: Any) -> str:
    """An address of IPv4 or IPv6; a name might stand for several."""
    text = str(host).strip().removeprefix("[").removesuffix("]")
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        word = validate.spell("host")
        raise ConfigError(f"{word} takes an address such as 127.0.0.1 or ::1, not {validate.shown(host)}") from None
