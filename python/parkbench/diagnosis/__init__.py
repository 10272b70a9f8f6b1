"""What holds a run back, from its measurements alone: one of a fixed list of causes, and whether it is certain.

The bottleneck (see `parkbench.bottleneck`) names the resource that is used up; the cause says why it is. All workers
may be busy because they are few, because the downstream is slow, or because a lock lets one request through at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from parkbench.diagnosis import pools, processors, refusals, waits
from parkbench.diagnosis.cause import CAUSES, Cause
from parkbench.diagnosis.facts import Facts
from parkbench.record import Record, has_figures
from parkbench.wording import amount, percent

__all__ = ["CAUSES", "Cause", "Facts", "find_cause"]

_Rule = Callable[[Facts], Cause | None]

# What is held comes first (no CPU would shorten that), then who has the CPUs, then the pools that busy CPUs fill too.
_SHORTAGES: tuple[_Rule, ...] = (
    pools.held_connections, processors.pinned_carriers, processors.stalled_loop, pools.lock,
    pools.downstream_connections, pools.workers, refusals.memory, refusals.generator, refusals.accept_queue,
    processors.noisy_neighbour, pools.connections, processors.cpu, processors.late_loop,
)  # fmt: skip
# Asked only where nothing is short.
_WAITS: tuple[_Rule, ...] = (waits.slow_query, waits.slow_downstream, waits.own_wait, processors.waits_to_run)


def find_cause(run: Record, machine: Mapping[str, Any] | None = None) -> Cause:
    """The cause of one run, judged from phases, counters, failures, details and sizes, and never from the options that
    say how long something was made to take.

    Requests that were refused or failed say why themselves. Of the shortages the first gives the name; it is certain
    only when its own evidence is clear and no other shortage is as clear. `machine`: the sweep's `machine_costs`, by
    which a wake-up that this machine always costs is told from one that something delays. Never raises for a record
    that lacks figures.
    """
    if not has_figures(run):
        return refusals.of_failure(run)
    facts = Facts(run)
    if (refused := refusals.refused(facts)) is not None:
        return refused
    short = [cause for rule in _SHORTAGES if (cause := rule(facts)) is not None]
    if not short:
        taking = (cause for rule in _WAITS if (cause := rule(facts)) is not None)
        return next(taking, None) or _nothing(facts, machine or {})
    first = short[0]
    rivals = list(dict.fromkeys(one.name for one in short if one.certain and one.name != first.name))
    if first.certain and rivals:
        return Cause(first.name, False, f"{first.text} (it may as well be {rivals[0]})", first.evidence)
    return first


def _nothing(facts: Facts, machine: Mapping[str, Any]) -> Cause:
    """No rule holds: certain where the response is short of any wait for something that could be had more of."""
    largest = max(facts.spent, key=lambda phase: facts.spent[phase])
    waited = facts.share("client_wait", "lateness", "queue", "connection")
    wake_up = (machine.get("wake_up_us") or {}).get("other_core")
    usual = isinstance(wake_up, (int, float)) and facts.spent["wakeup"] <= 5 * float(wake_up) / 1000
    waited += 0.0 if usual else facts.share("wakeup")
    text = (
        f"nothing is used up or waited for; the largest part of a response is {largest} "
        f"({amount(facts.spent[largest])} of {amount(facts.response_ms)} ms, {percent(facts.share(largest))})"
    )
    return Cause("none", waited < 0.1 and facts.host < 0.9, text, {"waited_share": waited})
