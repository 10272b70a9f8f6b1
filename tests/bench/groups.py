"""What `./dev bench http` measures: each function here starts servers, drives them, and returns rows."""

from __future__ import annotations

import os
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bench import proc, rows, servers
from bench.contest import Entrant, Pace, contest, disturbance, repeated
from bench.prepare import say
from bench.rows import Row
from bench.servers import Fleet, Server
from bench.slowloris import Slowloris
from bench.wrk import Wrk

FAST = ("reactive", "virtual_threads")  # the models that have goals; the pool is bound by its workers
_CONNECTIONS = 5_000
_SLEEP_S = 0.3
_MEMORY_KIB = {"reactive": 8.0, "virtual_threads": 12.0}
_SLOW_CONNECTIONS = 500
_OTHERS = 64  # connections that are served well while the slow ones hang
_DISTURBED_CPUS = 0.2


@dataclass(frozen=True)
class Settings:
    """How thoroughly a call measures."""

    quick: bool
    missing: dict[str, str]  # peers that cannot be started, with reasons
    deadline: float  # monotonic, s; when the present group should be over
    least_repeats: int = 2  # what the deadline cannot take away

    def peers(self, *names: str) -> list[str]:
        """Those of the names that can be started."""
        return [name for name in names if name not in self.missing]

    @property
    def models(self) -> tuple[str, ...]:
        """Ours; --quick leaves out what is for information only."""
        return FAST if self.quick else servers.MODELS

    @property
    def gateways(self) -> tuple[str, ...]:
        """The peers with a gateway; net/http was never the best of them."""
        return ("hyper", "fasthttp") if self.quick else ("hyper", "fasthttp", "net/http")


def _maker(name: str, down: int | None = None) -> Callable[[], Server]:
    make = servers.ours if name in servers.MODELS else servers.peer
    return partial(make, name, down=down)


def _rates(
    what: str, entrants: list[Entrant], wanted: tuple[str, ...], settings: Settings, note: str = ""
) -> list[Row]:
    """Each of ours against the best of the wanted peers, and a row without ratio for each that is missing."""
    good = {one.name: one.rates for one in entrants if not one.trouble}
    troubles = {one.name: one.trouble for one in entrants if one.trouble}
    peers = {name: rates for name, rates in good.items() if name in wanted}
    absent = {name: reason for name, reason in {**settings.missing, **troubles}.items() if name in wanted}
    champion = rows.best(peers)
    disturbed = disturbance(entrants)
    if disturbed > _DISTURBED_CPUS:
        note = "; ".join(filter(None, (note, f"the machine was disturbed: other programs used {disturbed:.1f} CPUs")))
    found = []
    for model in (one.name for one in entrants if one.name in servers.MODELS):
        name, goal = f"{what}: {model}", 1.0 if model in FAST else None
        notes = "; ".join(filter(None, (note, "200 workers" if model == "thread_pool" else "")))
        if model in troubles:
            found.append(rows.missing(name, "requests/s", champion or "peer", goal, troubles[model]))
        elif champion is None:
            found.append(rows.missing(name, "requests/s", "peer", goal, "no peer could be measured"))
        else:
            found.append(rows.higher_is_better(name, "requests/s", good[model], champion, peers[champion], goal, notes))
        found += [rows.missing(name, "requests/s", peer, goal, reason) for peer, reason in sorted(absent.items())]
    listing = ", ".join(f"{name} {statistics.median(rates):,.0f}" for name, rates in good.items())
    say(f"{what}: {listing} requests/s")
    return found


def hello(settings: Settings) -> list[Row]:
    """The route that does nothing: what a server costs."""
    pace = Pace(0.05, 0.15, 25) if settings.quick else Pace(0.5, 1.0, 9)
    crowds = {64: "hello, 64 connections", 512: "hello, 512 connections"}
    return _in_turns(settings, "/hello", crowds, ("nginx", "fasthttp", "hyper"), pace, cycles=False)


def gateway(settings: Settings) -> list[Row]:
    """Filters and a timer of 50 ms in place of the downstream."""
    pace = Pace(0.12, 0.2, 15) if settings.quick else Pace(0.5, 1.0, 9)
    crowds = {crowd: f"gateway with a timer, {crowd:,} connections" for crowd in (3_000, _CONNECTIONS)}
    return _in_turns(settings, "/gateway/items/7", crowds, settings.gateways, pace, cycles=True)


def _in_turns(
    settings: Settings, path: str, crowds: dict[int, str], wanted: tuple[str, ...], pace: Pace, *, cycles: bool
) -> list[Row]:
    """The same servers under one number of connections after the other, each with an equal share of the time."""
    note = _left_out(settings) if wanted == settings.gateways else ""
    found = []
    with Fleet() as fleet:
        started = fleet.start(_maker(name) for name in (*settings.models, *settings.peers(*wanted)))
        for left, (connections, what) in zip(range(len(crowds), 0, -1), crowds.items(), strict=True):
            entrants = [Entrant(server) for server in started]
            now = time.monotonic()
            end = now + (settings.deadline - now) / left
            contest(entrants, path, connections, pace, end, settings.least_repeats, cycles=cycles)
            found += _rates(what, entrants, wanted, settings, note)
    return found


def gateway_http(settings: Settings) -> list[Row]:
    """Filters and a real downstream over HTTP: the same program for all, a process of its own for each.

    One process cannot hold 5,000 connections from each of six gateways; only one of them works at a time.
    """
    pace = Pace(0.15, 0.25, 15) if settings.quick else Pace(0.5, 1.0, 9)
    wanted = settings.gateways
    names = [*settings.models, *settings.peers(*wanted)]
    with Fleet() as fleet:
        behind = fleet.start(servers.downstream for _ in names)
        started = fleet.start(_maker(name, down.port) for name, down in zip(names, behind, strict=True))
        entrants = [Entrant(server, down) for server, down in zip(started, behind, strict=True)]
        contest(
            entrants, "/gateway/items/7", _CONNECTIONS, pace, settings.deadline, settings.least_repeats, cycles=True
        )
    used = max(statistics.median(entrant.downstream_cpus) for entrant in entrants)
    note = f"the downstream used {used:.2f} of {os.cpu_count()} CPUs at most"
    what = f"gateway with an HTTP downstream, {_CONNECTIONS:,} connections"
    return _rates(what, entrants, wanted, settings, "; ".join(filter(None, (note, _left_out(settings)))))


def _left_out(settings: Settings) -> str:
    return "net/http left out by --quick" if settings.quick else ""


def sleep(settings: Settings) -> list[Row]:
    """5,000 requests that are parked for 300 ms each: how near the ideal rate, and how much memory each holds.

    Every repeat has servers of its own, so that memory is counted from their start.
    """
    names = [*FAST, *([] if settings.quick else settings.peers("fasthttp", "hyper", "net/http"))]
    rates: dict[str, list[float]] = {name: [] for name in names}
    kib: dict[str, list[float]] = {name: [] for name in names}
    order = random.Random(4)
    repeats, seconds = (4, 2 * _SLEEP_S) if settings.quick else (7, 10 * _SLEEP_S)
    for _ in repeated(repeats, settings.deadline, settings.least_repeats):
        for name in order.sample(names, len(names)):
            rate, memory = _parked(name, seconds)
            rates[name].append(rate)
            kib[name].append(memory)
    ideal = _CONNECTIONS / _SLEEP_S
    what = f"sleep 300 ms, {_CONNECTIONS:,} connections"
    found = [
        rows.higher_is_better(f"{what}: {name}", "requests/s", rates[name], "limit", [ideal] * len(rates[name]), 0.99)
        for name in FAST
    ]
    what = f"memory per parked request, {_CONNECTIONS:,} connections"
    for name in FAST:
        limit = [_MEMORY_KIB[name]] * len(kib[name])
        found.append(rows.lower_is_better(f"{what}: {name}", "KiB", kib[name], "limit", limit, 1.0))
        for peer in names[len(FAST) :]:
            found.append(rows.lower_is_better(f"{what}: {name}", "KiB", kib[name], peer, kib[peer], None))
    figures = (
        f"{n} {statistics.median(rates[n]):,.0f}/s and {statistics.median(kib[n]):.1f} KiB a request" for n in names
    )
    say(f"sleep: {', '.join(figures)}")
    return found


def _parked(name: str, seconds: float) -> tuple[float, float]:
    """The rate once all are connected, and the memory of one request in KiB."""
    with _maker(name)() as server, Wrk(server, f"/sleep?ms={_SLEEP_S * 1e3:.0f}", _CONNECTIONS) as load:
        load.connect()
        time.sleep(_SLEEP_S)  # those that came last park too
        rate = load.rate(seconds, cycles=True)
        memory = proc.resident_kib(server.pids) - server.resident_kib_at_start
        totals = load.finish()
        if totals.errors:
            raise RuntimeError(f"wrk saw {totals.errors} errors in {totals.requests} requests of {name}")
    return rate, memory / _CONNECTIONS


def slowloris(settings: Settings) -> list[Row]:
    """The p99 of 64 busy connections while 500 others send a byte a second, against the same without those."""
    models = servers.MODELS
    alone: dict[str, list[float]] = {name: [] for name in models}
    attacked: dict[str, list[float]] = {name: [] for name in models}
    standing: dict[str, int] = dict.fromkeys(models, _SLOW_CONNECTIONS)
    seconds, settle, repeats = (0.4, 0.2, 6) if settings.quick else (2.0, 2.0, 9)
    order = random.Random(5)
    with Fleet() as fleet:
        started = {server.name: server for server in fleet.start(_maker(name) for name in models)}
        for name in models:
            _p99(started[name], settle)  # the first requests of a process are slower
        for _ in repeated(repeats, settings.deadline, settings.least_repeats):
            cells = [(name, attack) for name in models for attack in (False, True)]
            for name, attack in order.sample(cells, len(cells)):
                if not attack:
                    alone[name].append(_p99(started[name], seconds))
                    continue
                with Slowloris(started[name].port, _SLOW_CONNECTIONS) as attackers:
                    time.sleep(settle)
                    attacked[name].append(_p99(started[name], seconds))
                    standing[name] = min(standing[name], attackers.standing)
    found = []
    for name in models:
        what = f"p99 of hello, {_OTHERS} connections, with {_SLOW_CONNECTIONS} slowloris connections: {name}"
        note = f"{standing[name]} of them stood at least"
        row = rows.lower_is_better(what, "us", attacked[name], "itself without", alone[name], round(1 / 1.2, 4), note)
        found.append(row)
    say(
        ", ".join(
            f"{n} p99 {statistics.median(attacked[n]):.0f} us, {statistics.median(alone[n]):.0f} without"
            for n in models
        )
    )
    return found


def _p99(server: Server, seconds: float) -> float:
    with Wrk(server, "/hello", _OTHERS) as load:
        time.sleep(seconds)
        totals = load.finish()
    if totals.requests == 0 or totals.errors:
        raise RuntimeError(f"{server.name}: {totals.requests} requests, {totals.errors} errors while others were slow")
    return float(totals.p99_us)
