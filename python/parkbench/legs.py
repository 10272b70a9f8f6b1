"""The two legs of a sweep: closed, which finds the capacity of each name, and open, at rates that every name can carry.

Closed and open loads answer different questions about one system (Schroeder, Wierman, Harchol-Balter, "Open versus
closed: a cautionary tale", NSDI 2006): closed users slow down with the server, so a closed leg finds capacity and hides
waiting; requests that come by themselves show the waiting. Words about latency come from the open leg. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from parkbench.plan import Cell
from parkbench.record import LEGS, Record, is_ok, load_key, names, number
from parkbench.stats import median
from parkbench.wording import listed

CHOICES = ("closed", "both")
SHARES = (0.5, 0.8, 0.95)
"""Of the lowest capacity. At half of it hardly anything waits, at 95 % what waits decides."""

# Of Poisson arrivals that use one server to 95 % more than so many are in the system for a thousandth of the time: the
# probability of more than n is 0.95^(n + 1) in M/M/1 (Kleinrock, Queueing Systems I, 3.2).
_QUEUED = math.ceil(math.log(0.001) / math.log(max(SHARES)))
# For so long the host of a virtual machine may take a CPU away; what arrives meanwhile is held as well, within reason.
_STALL_S = 0.05
_MOST_STALLED = 5_000


@dataclass(frozen=True)
class OpenLeg:
    """What the open leg offers: requests per second, over how many connections, and from what that follows.

    `capacity_rps` holds the names that have a capacity, `lowest` the one with the least. Without any ok run of the
    closed leg there is no rate: `lowest` is None and `rates_rps` empty.
    """

    capacity_rps: Mapping[str, float]
    lowest: str | None
    rates_rps: tuple[float, ...]
    connections: int

    def recorded(self) -> dict[str, Any]:
        """As `sweep.json` holds it."""
        return {"capacity_rps": dict(self.capacity_rps), "lowest": self.lowest, "rates_rps": list(self.rates_rps),
                "shares": list(SHARES), "connections": self.connections}  # fmt: skip

    @classmethod
    def stored(cls, recorded: Mapping[str, Any]) -> OpenLeg:
        """The other direction of `recorded`. Raises KeyError where something is missing."""
        return cls(dict(recorded["capacity_rps"]), recorded["lowest"], tuple(recorded["rates_rps"]),
                   int(recorded["connections"]))  # fmt: skip

    @property
    def text(self) -> str:
        """One sentence: the rates and what they are shares of."""
        if self.lowest is None:
            return "no open leg: no run of the closed leg has status ok, so no capacity is known"
        shown = listed([f"{rate:,.4g}/s" for rate in self.rates_rps])
        shares = listed([f"{share:.0%}".removesuffix("%") for share in SHARES])
        return (
            f"open leg: poisson at {shown}, {shares} % of the lowest capacity ({self.lowest}, "
            f"{self.capacity_rps[self.lowest]:,.4g}/s), over {self.connections:,} connections"
        )


def find(runs: Sequence[Record], concurrency: Sequence[int]) -> OpenLeg:
    """The open leg that follows from the runs of the closed one. `concurrency`: the sweep's numbers of users."""
    best = {name: found for name in names(runs) if (found := _best(runs, name)) is not None}
    if not best:
        return OpenLeg({}, None, (), max(concurrency))
    capacity = {name: throughput for name, (throughput, _) in best.items()}
    lowest = min(capacity, key=lambda name: capacity[name])
    rates = tuple(float(f"{share * capacity[lowest]:.4g}") for share in SHARES)
    return OpenLeg(capacity, lowest, rates, _connections(rates[-1], [mean for _, mean in best.values()], concurrency))


def cells(closed: Sequence[Cell], leg: OpenLeg) -> list[Cell]:
    """The cells of the open leg: every name that has a capacity at every rate. A count of requests ends no open run."""
    first = {cell.name: cell for cell in reversed(closed)}
    return [
        replace(
            first[name], concurrency=leg.connections, leg=LEGS[1], rate_rps=rate, load_share=share,
            options={**first[name].options, "arrivals": {"kind": "poisson", "rate": rate}, "requests_per_user": None},
        )
        for rate, share in zip(leg.rates_rps, SHARES, strict=False)
        for name in dict.fromkeys(cell.name for cell in closed)
        if name in leg.capacity_rps
    ]  # fmt: skip


def fitted(leg: OpenLeg, fits: Callable[[OpenLeg], bool], least: int) -> OpenLeg:
    """The leg with as many connections as fit into this machine, by halves; `least`, which had room, at the worst."""
    while leg.connections > least and not fits(leg):
        leg = replace(leg, connections=max(least, leg.connections // 2))
    return leg


def _best(runs: Sequence[Record], name: str) -> tuple[float, float] | None:
    """The highest throughput of a name over its loads, 1/s, and the mean response there, s; medians over ok runs."""
    own = [run for run in runs if run["name"] == name and is_ok(run) and load_key(run)[0] == LEGS[0]]
    found = []
    for key in {load_key(run) for run in own}:
        at = [run for run in own if load_key(run) == key]
        throughput = [value for run in at if (value := number(run, "throughput_rps"))]
        response = [value for run in at if (value := number(run, "response_mean_ms")) is not None]
        if throughput:
            found.append((median(throughput), median(response) / 1000 if response else 0.0))
    return max(found, default=None)


def _connections(rate: float, responses_s: Sequence[float], concurrency: Sequence[int]) -> int:
    """How many connections the generator needs so that a request due finds one free, whatever the model.

    By Little's law rate x response are under way (the response at the capacity, which holds a whole queue already):
    twice that, because arrivals at random swing about their mean, and the room for the queue and for a generator or a
    server that waits for a CPU: with fewer, requests would wait for a connection (client_wait) where they should be
    seen to wait for the model. Never fewer than the most users of the sweep, with which the capacity was found.
    """
    under_way = rate * max(responses_s)
    return max(*concurrency, math.ceil(2 * under_way + _QUEUED + min(rate * _STALL_S, _MOST_STALLED)))
