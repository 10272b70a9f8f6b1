"""What a request costs that does nothing: the model itself, from hand-over to answer, with phases and ledger on.

Closed load of 1,000 users, transport direct, one process a run. The limit is 1 microsecond of wall time per request
for the two models that do not block: each request is a virtual thread of its own, or a Mono subscribed to on a loop.
"""

from __future__ import annotations

import argparse
import json
import statistics
from typing import Any

import parkbench as pb

LIMIT_US = 1.0
GOALS = {"virtual_threads": 1.0, "reactive": 1.0, "thread_pool": None}


def row(name: str, goal: float | None, costs: list[float]) -> dict[str, Any]:
    """Ratio above 1: below the limit. low and high are the worst and the best run."""
    return {
        "what": f"noop on {name}, 1,000 users",
        "unit": "us per request",
        "ours": round(statistics.median(costs), 4),
        "peer": "limit",
        "peer_value": LIMIT_US,
        "ratio": round(LIMIT_US / statistics.median(costs), 3),
        "low": round(LIMIT_US / max(costs), 3),
        "high": round(LIMIT_US / min(costs), 3),
        "goal": goal,
        "repeats": len(costs),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench noop", description=__doc__)
    parser.add_argument("--prepare", action="store_true", help="nothing to prepare: there is no peer")
    parser.add_argument("--quick", action="store_true", help="shorter runs, at most 45 s in all")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    asked = parser.parse_args()
    if asked.prepare:
        return
    result = pb.sweep(
        "noop", concurrency=1000, duration=0.5 if asked.quick else 2.0, repeats=5, quiet=True, transport="direct"
    )
    costs: dict[str, list[float]] = {name: [] for name in GOALS}
    for run in result.runs:
        costs[run["name"]].append(1e6 / run["throughput_rps"])
    rows = [row(name, goal, costs[name]) for name, goal in GOALS.items()]
    if asked.json:
        print(json.dumps({"bench": "noop", "rows": rows}))
        return
    for entry in rows:
        print(
            f"{entry['what']:36} {entry['ours']:.3f} us (best {LIMIT_US / entry['high']:.3f}, "
            f"worst {LIMIT_US / entry['low']:.3f}) over {entry['repeats']} runs; limit {LIMIT_US} us"
        )


if __name__ == "__main__":
    main()
