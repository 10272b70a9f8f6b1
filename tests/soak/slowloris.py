"""500 slowloris connections for minutes against each model, while an ordinary client asks all the time.

Every ordinary request must be answered, slow connections must be closed by the time limit for headers, and memory and
threads of the server must not grow.
"""

from __future__ import annotations

import sys
import time

from bench import answers, proc, servers
from bench.servers import Server
from bench.slowloris import Slowloris

CONNECTIONS = 500
_HEADER_S = 10.0  # the servers' limit; an attack must last longer to be cut off
_GROWN_KIB = 8 * 1024
_PAUSE_S = 0.02


def attack(server: Server, seconds: float) -> str:
    """Attack for so long; returns what was seen in a sentence. Raises SystemExit at a fault."""
    asked, slowest = 0, 0.0
    early: tuple[int, int] | None = None  # memory and threads once everything has been used
    began = time.monotonic()
    with Slowloris(server.port, CONNECTIONS) as attackers:
        while (elapsed := time.monotonic() - began) < seconds:
            sent = time.monotonic()
            try:
                answer = answers.ask(server.port, answers.HELLO)
            except (OSError, ValueError) as error:
                raise SystemExit(f"{server.name}: request {asked} under attack: {error}") from None
            if answer.status != 200:
                raise SystemExit(f"{server.name}: request {asked} under attack: status {answer.status}")
            slowest = max(slowest, time.monotonic() - sent)
            asked += 1
            if early is None and elapsed > seconds / 3:
                early = _size(server)
            time.sleep(_PAUSE_S)
        late = _size(server)
        if attackers.standing < CONNECTIONS:
            raise SystemExit(f"{server.name}: only {attackers.standing} of {CONNECTIONS} slow connections stood")
    if seconds > 2 * _HEADER_S and attackers.closed < CONNECTIONS:
        raise SystemExit(f"{server.name}: {attackers.closed} slow connections were closed in {seconds:.0f} s")
    grown, threads = (now - then for now, then in zip(late, early or late, strict=True))
    if grown > _GROWN_KIB or threads > 0:
        raise SystemExit(f"{server.name}: grew by {grown} KiB and {threads} threads")
    return (
        f"{server.name}: {asked} requests served, the slowest in {slowest * 1e3:.1f} ms; "
        f"{attackers.closed} slow connections closed; memory {grown:+d} KiB"
    )


def _size(server: Server) -> tuple[int, int]:
    """Memory in KiB and threads."""
    return proc.resident_kib(server.pids), proc.threads(server.pids)


def main() -> None:
    """`python -m soak.slowloris DIR SECONDS`: exit code 1 at the first fault."""
    each = float(sys.argv[2]) / len(servers.MODELS)
    for model in servers.MODELS:
        with servers.ours(model) as server:
            print(attack(server, each), flush=True)


if __name__ == "__main__":
    main()
