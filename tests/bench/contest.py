"""Servers that take turns under the same load, each with a generator of its own that stays connected."""

from __future__ import annotations

import contextlib
import random
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from bench import proc
from bench.servers import Server
from bench.wrk import Wrk

_MOST_ERRORS = 0.001  # of the requests; more make the figures worthless


@dataclass(frozen=True)
class Pace:
    """How long things are measured."""

    settle_s: float  # load without counting before each window: the warm-up of a turn
    window_s: float
    repeats: int


@dataclass
class Entrant:
    """A server with what it was measured to do, one entry per repeat."""

    server: Server
    downstream: Server | None = None
    rates: list[float] = field(default_factory=list)
    downstream_cpus: list[float] = field(default_factory=list)  # CPUs that its downstream used
    others_cpus: list[float] = field(default_factory=list)  # CPUs that nobody here used: a disturbed machine
    trouble: str = ""  # why its figures are worthless

    @property
    def name(self) -> str:
        """Of the server."""
        return self.server.name


def repeated(repeats: int, deadline: float, least: int) -> Iterator[int]:
    """0, 1, ...: `repeats` numbers, fewer if the next would not be over by `deadline` (monotonic), at least `least`.

    A turn is expected to take as long as those before it.
    """
    began = time.monotonic()
    for done in range(repeats):
        now = time.monotonic()
        if done >= least and now + (now - began) / max(1, done) > deadline:
            return
        yield done


def contest(
    entrants: list[Entrant],
    path: str,
    connections: int,
    pace: Pace,
    deadline: float,
    least_repeats: int,
    *,
    cycles: bool,
    seed: int = 1,
) -> None:
    """Measure the entrants in turns, in a new random order each repeat, as often as repeated() says.

    Raises RuntimeError when a server does not take the connections.
    """
    order = random.Random(seed)
    with contextlib.ExitStack() as stack:
        loads: list[tuple[Entrant, Wrk]] = []
        for entrant in entrants:
            load = stack.enter_context(Wrk(entrant.server, path, connections))
            load.connect()
            load.pause()
            loads.append((entrant, load))
        for _ in repeated(pace.repeats, deadline, least_repeats):
            order.shuffle(loads)
            for entrant, load in loads:
                _turn(entrant, load, pace, cycles=cycles)
        for entrant, load in loads:
            totals = load.finish()
            if totals.errors > _MOST_ERRORS * totals.requests:
                entrant.trouble = f"wrk saw {totals.errors} errors in {totals.requests} requests of {entrant.name}"


def _turn(entrant: Entrant, load: Wrk, pace: Pace, *, cycles: bool) -> None:
    load.go_on()
    time.sleep(pace.settle_s)
    known = [*entrant.server.pids, load.pid]
    behind = entrant.downstream.pids if entrant.downstream is not None else []
    machine, own, below, began = proc.machine_cpu_s(), proc.cpu_s(known), proc.cpu_s(behind), time.monotonic()
    entrant.rates.append(load.rate(pace.window_s, cycles=cycles))
    seconds = time.monotonic() - began
    used_below = proc.cpu_s(behind) - below
    load.pause()
    others = proc.machine_cpu_s() - machine - (proc.cpu_s(known) - own) - used_below
    entrant.downstream_cpus.append(used_below / seconds)
    entrant.others_cpus.append(max(0.0, others) / seconds)


def disturbance(entrants: list[Entrant]) -> float:
    """The CPUs that programs of others used while these were measured, on average."""
    shares = [share for entrant in entrants for share in entrant.others_cpus]
    return statistics.fmean(shares) if shares else 0.0
