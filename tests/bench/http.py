"""Our servers over HTTP against nginx, fasthttp, hyper and net/http, with wrk as the one generator, on this machine.

Answers and what the gateways send on are compared byte for byte before anything is timed. Servers take turns: each
has a wrk that stays connected and is stopped while the others work, so that a window holds no connecting and all meet
the same machine. No CPU is reserved for anybody. A row's interval is a bootstrap over its repeats, with a fixed seed.
"""

from __future__ import annotations

import argparse
import math
import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench import answers, groups, rows, servers
from bench.groups import Settings
from bench.prepare import missing, prepare, say, stale
from bench.servers import Fleet, StartError

_QUICK_S = 38.0  # of the 45 that --quick may take; the rest is set-up and the last servers' end
_DESCRIPTORS = 12_000  # a gateway with an HTTP downstream holds two for each of 5,000 requests

# What is measured, by name, with its share of the time of --quick.
GROUPS: dict[str, tuple[float, Callable[[Settings], list[rows.Row]]]] = {
    "hello": (6, groups.hello),
    "gateway": (11, groups.gateway),
    "gateway_http": (8, groups.gateway_http),
    "sleep": (8, groups.sleep),
    "slowloris": (5, groups.slowloris),
}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="./dev bench http", description=__doc__)
    parser.add_argument("--prepare", action="store_true", help="build the peers into .build/peers, measure nothing")
    parser.add_argument("--quick", action="store_true", help="at most 45 s: shorter windows, no rows for information")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--only", default=",".join(GROUPS), help="of %(default)s, those named, comma-separated")
    asked = parser.parse_args()
    names = [name.strip() for name in asked.only.split(",")]
    if unknown := [name for name in names if name not in GROUPS]:
        parser.error(f"--only knows {', '.join(GROUPS)}, not {unknown[0]!r}")
    if asked.prepare:
        prepare()
        return
    _check_machine()
    if stale():
        say("peers are missing: preparing them first")
        prepare()
    try:
        measured = measure(names, quick=asked.quick)
    except (StartError, RuntimeError, ValueError) as error:
        raise SystemExit(f"bench: {error}") from None
    print(rows.to_json("http", measured) if asked.json else rows.to_text(measured))


def _check_machine() -> None:
    """Raise the limit of descriptors as far as it goes. Raises SystemExit(2) where that or /proc does not do."""
    allowed = servers.allow_descriptors()
    if allowed < _DESCRIPTORS:
        say(f"at least {_DESCRIPTORS} open files are needed, the hard limit is {allowed}: raise it (ulimit -Hn)")
        raise SystemExit(2)
    if not Path("/proc/self/io").exists():
        say("this kernel does not count the system calls of a process (/proc/PID/io), by which requests are counted")
        raise SystemExit(2)


def measure(names: list[str], *, quick: bool) -> list[rows.Row]:
    """The rows of the groups of those names. Raises StartError, RuntimeError, ValueError."""
    began = time.monotonic()
    lacking = missing()
    if shutil.which("wrk") is None:
        raise StartError("wrk is not there: ./dev bench http --prepare")
    check_answers([name for name in servers.PEERS if name not in lacking])
    steps = [GROUPS[name] for name in GROUPS if name in names]
    measured: list[rows.Row] = []
    for at, (share, group) in enumerate(steps):
        now = time.monotonic()
        left = began + _QUICK_S - now
        end = now + left * share / sum(weight for weight, _ in steps[at:]) if quick else math.inf
        measured += group(Settings(quick, lacking, end, least_repeats=2 if left > 0 else 1))
        say(f"that took {time.monotonic() - now:.1f} s")
    return measured


def check_answers(peers: list[str]) -> None:
    """Compare all servers' answers and what their gateways send on. Raises ValueError with every difference."""
    found: list[str] = []
    with Fleet() as fleet, answers.recorder() as recorder:
        others = [name for name in peers if name != "nginx"]
        makers = [partial(servers.ours, name) for name in servers.MODELS] + [
            partial(servers.peer, name) for name in peers
        ]
        started = fleet.start(makers)
        gateways = [partial(servers.ours, name, down=recorder.port) for name in servers.MODELS]
        gateways += [partial(servers.peer, name, down=recorder.port) for name in others]
        behind = fleet.start(gateways)
        found += answers.compare(started, (answers.HELLO,))
        full = [server for server in started if server.name != "nginx"]
        found += answers.compare(full, answers.ROUTES)
        passed = next(case for case in answers.ROUTES if case.name == "gateway")
        found += [f"over HTTP, {difference}" for difference in answers.compare(behind, (passed,))]
        for head in recorder.heads:
            line, stamped = answers.forwarded(head)
            if line != "GET /items/7?all=1 HTTP/1.1" or not stamped:
                found.append(f"a gateway sent on {head!r}")
    if found:
        raise ValueError("the servers do not do the same work:\n  " + "\n  ".join(found))
    say(f"answers are the same, byte for byte: {', '.join(server.name for server in started)}")


if __name__ == "__main__":
    main()
