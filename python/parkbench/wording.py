"""How figures and waits are said: one place, so that table, charts and explanations speak alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from parkbench.arrivals import is_open
from parkbench.record import LEGS, Record, arrivals_kind, load_key, number, option, think_s


def amount(value: float) -> str:
    """A figure for reading: `4,836` from 100 upwards, three digits below, never an exponent."""
    if abs(value) >= 99.95:
        return f"{value:,.0f}"
    if abs(value) >= 9.995:
        return f"{value:.1f}"
    if abs(value) >= 0.9995:
        return f"{value:.2f}"
    if abs(value) < 0.0005:
        return "0"
    return f"{value:.3f}"


def percent(share: float) -> str:
    """A share as `93 %`; tenths below one percent."""
    return f"{share:.0%}".replace("%", " %") if share >= 0.01 or share == 0 else f"{share:.1%}".replace("%", " %")


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def plural(count: int, word: str) -> str:
    """`1 repeat`, `5 repeats`."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def load(run: Record) -> str:
    """The load of a run: `400 users` (closed), `300 at once` (rounds), `10 connections` (open arrivals).

    Of the open leg `poisson 1,234/s (80 % of the lowest capacity)`: its rate follows from the closed one.
    """
    rate, share = number(run, "rate_rps"), number(run, "load_share")
    if load_key(run)[0] == LEGS[1] and rate is not None:
        of = f" ({percent(share)} of the lowest capacity)" if share is not None else ""
        return f"{arrivals_kind(run)} {per_second(rate)}{of}"
    users = run.get("concurrency")
    shown = f"{users:,}" if isinstance(users, int) else str(users)
    kind = arrivals_kind(run)
    if is_open(kind):
        return f"{shown} connection" if users == 1 else f"{shown} connections"
    if kind == "closed":
        return f"{shown} user" if users == 1 else f"{shown} users"
    return f"{shown} at once" if kind == "rounds" else f"concurrency {shown}"


def at_load(run: Record) -> str:
    """The load as the beginning of a sentence: `At 400 users`, `With 300 at once`, `At poisson 1,234/s (...)`."""
    at = arrivals_kind(run) == "closed" or load_key(run)[0] == LEGS[1]
    return f"{'At' if at else 'With'} {load(run)}"


def per_second(rate: float) -> str:
    """A rate that was set: `1,234/s`, `0.5/s`."""
    return f"{rate:,.12g}/s"


def arrivals(run: Record) -> str:
    """How requests came, for a title: `closed, no think time`, `closed, think time 0.5 s`, `rounds`."""
    kind = arrivals_kind(run)
    if is_open(kind):
        rate = option(run, "arrivals")
        given = rate.get("rate") if isinstance(rate, Mapping) else str(rate).partition("rate=")[2]
        return f"{kind}, {per_second(float(given))}" if given else kind
    if kind != "closed":
        return kind
    think = think_s(run)
    return f"closed, think time {think:g} s" if think else "closed, no think time"


def placement(runs: Sequence[Record], provider: str | None = None) -> str:
    """On which CPUs the processes ran, and what loopback leaves out: a sentence for every report; empty without runs.

    `provider`: of the database, as `sweep.json` has it (`environment.postgres.provider`): `user` for a server of the
    user's own, which may run anywhere; None without one.
    """
    if not runs:
        return ""
    run = runs[0]
    here = ["database"] if provider not in (None, "user") else []
    elsewhere = "; the database is a server of its own, wherever it runs" if provider == "user" else ""
    if run.get("transport") != "http":
        shared = listed(["Generator", "model", *here])
        return (
            f"{shared} shared the same CPUs{_counted(run)}{elsewhere}; requests were handed over in memory, "
            f"so no network is in these figures."
        )
    words = {option(one, "placement") for one in runs}
    if words == {"split"}:
        where = f"Server and generator had CPUs of their own, half of them each{_counted(run)}"
        where += ", and the database shared both" if here else ""
    elif "split" in words:
        where = f"Some names had the CPUs split between server and generator, others shared all{_counted(run)}"
    else:
        where = f"{listed(['Server', 'generator', *here])} shared the same CPUs{_counted(run)}"
    return f"{where}{elsewhere}; over loopback no packet is lost and no round trip takes time."


def _counted(run: Record) -> str:
    cpus = (run.get("details") or {}).get("cpus")
    return f" ({cpus:g})" if isinstance(cpus, (int, float)) else ""


def waiting(phase: str, run: Record) -> str:
    """What a request does in a phase, to stand after `spends 93 % of 4,836 ms`."""
    http = run.get("transport") == "http"
    timer = option(run, "downstream") == "timer"
    texts = {
        "client_wait": f"waiting until a {'connection' if is_open(arrivals_kind(run)) else 'user'} was free to send",
        "lateness": "waiting for a generator that was late",
        "network": "between the generator and the server",
        "queue": f"waiting for {_executor(run)}",
        "connection": f"waiting for {_connection(run)}",
        "database": "in the database",
        "downstream": "in the downstream (a timer)" if timer else "in the downstream service",
        "app_wait": "in the application's own wait",
        "wakeup": "waiting to run again after a wait was over",
        "cpu": "computing",
        "reply": "writing the answer" if http else "handing over the answer",
        "unexplained": "somewhere that was not measured",
    }
    return texts.get(phase, f"in {phase}")


def unequal(runs: Sequence[Record]) -> str:
    """What is set for single models, as `NAME has connection_hold=request; ...`; empty where all are equal."""
    found: dict[str, list[str]] = {}
    for run in runs:
        pairs = [f"{key}={setting(option(run, key))}" for key in run.get("unequal") or ()]
        if pairs:
            found[str(run.get("name"))] = pairs
    return "; ".join(f"{name} has {', '.join(pairs)}" for name, pairs in found.items())


def setting(value: Any) -> str:
    """A value of an option as the user would type it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def setup(run: Record) -> str:
    """What stands around the model in a run, for a title: downstream, faults, CPUs; empty where nothing is special."""
    found = []
    if run.get("workload") == "gateway":
        found.append(f"downstream {option(run, 'downstream')} {option(run, 'downstream_ms'):g} ms")
    if option(run, "faults"):
        found.append(str(option(run, "faults")))
    if option(run, "placement") == "split":
        found.append("CPUs split")
    return ", ".join(found)


def _connection(run: Record) -> str:
    """The connections of the database, or of a gateway those to its downstream."""
    if run.get("workload") != "gateway":
        return _one_of(run, "connections")
    most = option(run, "downstream_connections")
    return (
        f"one of {most:,} connections to the downstream" if isinstance(most, int) else "a connection to the downstream"
    )


def _one_of(run: Record, key: str) -> str:
    """`one of 10 connections`, `the one connection`, `a connection` where their number is not known."""
    count = option(run, key)
    if not isinstance(count, int):
        return f"a {key.removesuffix('s')}"
    return f"one of {count:,} {key}" if count != 1 else f"the one {key.removesuffix('s')}"


def _executor(run: Record) -> str:
    kinds = {"thread_pool": "workers", "virtual_threads": "carriers", "reactive": "loops"}
    key = kinds.get(str(run.get("model")))
    return _one_of(run, key) if key else "the server to begin"
