"""Causes that show in what went wrong: requests refused or failed, memory, the generator, the accept queue."""

from __future__ import annotations

from collections.abc import Mapping

from parkbench.diagnosis.cause import Cause
from parkbench.diagnosis.facts import Facts
from parkbench.record import Record, arrivals_kind, number
from parkbench.wording import amount, percent

FAILING = 0.01
"""Requests that fail by one cause count from this share of all on."""
PRESSED = 0.10
"""Share of the time in which something waited for memory (PSI `some`) from which memory counts as short."""
FAULTS_PER_S = 100.0
"""Pages read back from disk per second from which memory counts as short."""
USUAL_CALL_MS = 200.0
"""A call downstream below this is not what fills a bulkhead: too few places are."""
USED_UP = 0.9
"""Of one core, which is all that a generator can use."""
LATE_SHARE, LATE_MS = 0.30, 1.0
"""A generator that is late by this much of a response, and by more than timers are, is what is measured."""
CONNECTING = 0.20

_BY_CAUSE = {
    "rejected": "full_queue", "queue_full": "full_queue", "admission_limit": "admission_limit",
    "over_limit": "admission_limit", "bulkhead_full": "bulkhead", "rate_limited": "rate_limit",
    "rate_limit": "rate_limit", "status_4xx": "rate_limit", "circuit_open": "failing_downstream",
    "downstream_failed": "failing_downstream", "downstream_timeout": "failing_downstream", "out_of_memory": "memory",
    "connect_timeout": "accept_queue", "connect_refused": "accept_queue",
}  # fmt: skip
_STATUSES = ("rejected", "status_4xx", "status_5xx")
_TEXTS = {
    "full_queue": "were refused because the queue in front of the workers was full",
    "admission_limit": "were refused by the admission limit",
    "bulkhead": "were refused by the bulkhead in front of the downstream",
    "rate_limit": "were refused by a filter before any work (status 4xx), as a rate limit does",
    "failing_downstream": "failed because the downstream failed, was too late, or was spared after it had failed",
    "slow_downstream": "gave up waiting for the downstream",
    "memory": "found no memory",
    "accept_queue": "could not be connected",
}


def of_failure(run: Record) -> Cause:
    """The cause of a run that left no figures, from its status alone."""
    status = str(run.get("status") or "")
    if any(word in status.lower() for word in ("out of memory", "out_of_memory", "bad_alloc", "memory limit")):
        return Cause("memory", True, f"the run ended for want of memory ({status})")
    if "signal 9" in status or "SIGKILL" in status:
        return Cause("memory", False, f"somebody killed the run ({status}); without a memory limit nobody does that")
    return Cause("none", False, f"the run has no figures ({status or 'no status'})")


def refused(facts: Facts) -> Cause | None:
    """The commonest cause of failure, from 1 % of the requests on."""
    counts: dict[str, float] = {}
    failures = _told(facts)
    for word, count in failures.items():
        if word in _BY_CAUSE:
            counts[_BY_CAUSE[word]] = counts.get(_BY_CAUSE[word], 0.0) + count
    if failures.get("rejected"):
        counts["full_queue"] -= failures["rejected"]
        refusal = _refusal(facts)
        counts[refusal] = counts.get(refusal, 0.0) + failures["rejected"]
    if failures.get("downstream_timeout") and facts.spent["downstream"] >= USUAL_CALL_MS:
        counts["slow_downstream"] = failures["downstream_timeout"]  # those that were answered took long as well
        counts["failing_downstream"] -= counts["slow_downstream"]
    name = max(counts, key=lambda cause: counts[cause], default=None)
    if name is None or counts[name] < FAILING * facts.scheduled or not counts[name]:
        return None
    evidence = {"requests": counts[name], "share": counts[name] / facts.scheduled if facts.scheduled else 1.0}
    text = f"{counts[name]:,.0f} of {facts.scheduled:,.0f} requests {_TEXTS[name]}"
    return Cause(name, _is_proven(facts, name, failures), text, evidence)


def _told(facts: Facts) -> dict[str, float]:
    """Failures by cause.

    Over http the generator sees only a status: 503 (rejected), 4xx, 5xx; what the server itself has counted takes their
    place, in its proportions.
    """
    failures = {word: number(facts.run.get("failures") or {}, word) or 0.0 for word in facts.run.get("failures") or {}}
    server = (facts.run.get("details") or {}).get("server_failures")
    if not facts.over_http or not isinstance(server, Mapping):
        return failures
    causes = {word: number(server, word) or 0.0 for word in server if word in _BY_CAUSE}
    seen = sum(failures.get(word, 0.0) for word in _STATUSES)
    if not seen or not sum(causes.values()):
        return failures
    kept = {word: count for word, count in failures.items() if word not in _STATUSES}
    for word, count in causes.items():
        kept[word] = kept.get(word, 0.0) + seen * count / sum(causes.values())
    return kept


def _refusal(facts: Facts) -> str:
    """What refused the requests of a model: a pool's queue, the admission limit, or over http a gateway's bulkhead."""
    limit = facts.size("limit")
    if _is_told_by_status_alone(facts) and limit is None and facts.size("bulkhead") is not None:
        return "bulkhead"  # both are a 503 to the generator
    if facts.model != "thread_pool":
        return "admission_limit"
    queue = facts.size("queue")
    if limit is not None and queue is not None:
        return "admission_limit" if limit <= facts.threads + queue else "full_queue"
    # A queue fills while all workers are busy, or in a burst that comes before they wake; then what it let in has
    # waited in it. A limit below the number of workers leaves some idle always, and nothing waits.
    busiest = (number(facts.run, "threads_blocked_max") or 0.0) + facts.on("cpu")
    all_busy = max(busiest, (facts.busy or 0.0) * facts.threads) >= 0.9 * facts.threads
    in_bursts = arrivals_kind(facts.run) == "rounds" and limit is None
    return "full_queue" if all_busy or in_bursts or facts.share("queue") >= 0.02 else "admission_limit"


def _is_told_by_status_alone(facts: Facts) -> bool:
    """Whether a 503 may be a gateway's bulkhead or circuit breaker as well as the model's refusal."""
    return facts.is_gateway and facts.over_http and not (facts.run.get("details") or {}).get("server_failures")


def _is_proven(facts: Facts, name: str, failures: Mapping[str, float]) -> bool:
    """Whether the kind of failure leaves no other cause."""
    limit, queue = facts.size("limit"), facts.size("queue")
    several = _is_told_by_status_alone(facts) and bool(failures.get("rejected"))
    if name == "bulkhead":  # a slow downstream fills any
        return facts.spent["downstream"] < USUAL_CALL_MS and not several
    if name == "rate_limit":  # without a token to check, the gateway refuses for nothing else
        return facts.is_gateway and not (facts.run.get("options") or {}).get("gateway_token")
    if name == "full_queue":
        fits = queue is not None and facts.threads + queue <= (number(facts.run, "concurrency") or 0.0)
        return bool(failures.get("queue_full")) or (limit is None and fits)
    if name == "admission_limit":
        return bool(failures.get("admission_limit") or failures.get("over_limit")) or (
            not several and (facts.model != "thread_pool" or limit is not None))  # fmt: skip
    if name == "failing_downstream":
        failed = failures.get("downstream_failed", 0.0) + failures.get("circuit_open", 0.0)
        return failed > failures.get("downstream_timeout", 0.0)
    return name in ("slow_downstream", "memory")


def memory(facts: Facts) -> Cause | None:
    """Pages that come back from disk, or threads that wait for memory."""
    window = number(facts.run, "duration_s")
    faults = facts.detail("major_faults") / window if window else 0.0
    pressed = facts.noise("memory_pressure_share") or 0.0
    if faults < FAULTS_PER_S and pressed < PRESSED:
        return None
    text = (
        f"memory is short: {percent(pressed)} of the time something waited for it, {faults:,.0f} pages/s came from disk"
    )
    both = faults >= FAULTS_PER_S and pressed >= PRESSED
    return Cause("memory", both, text, {"memory_pressure_share": pressed, "major_faults_per_s": faults})


def generator(facts: Facts) -> Cause | None:
    """What the generator saw is about itself: it was late, or its core was used up."""
    busy = facts.detail("generator_cpu_share")
    late = facts.share("lateness")
    was_late = facts.run.get("status") == "client_limited" or facts.spent["lateness"] >= LATE_MS
    limited = was_late and (late >= LATE_SHARE or busy >= 0.5)  # now and then late is bad luck and holds nothing back
    others, used_up = facts.foreign or 0.0, facts.over_http and busy >= USED_UP
    if not used_up and (not limited or facts.host >= 0.9):
        return None  # a generator that is late for want of a CPU is no cause
    text = (
        f"the generator used {percent(busy)} of a core and was late by {amount(facts.detail('lateness_p99_ms'))} ms "
        f"(p99), {percent(late)} of a response"
    )
    evidence = {"generator_cpu_share": busy, "lateness_p99_ms": facts.detail("lateness_p99_ms"), "lateness_share": late}
    return Cause("generator", limited and others < 0.1 and facts.host < 0.95, text, evidence)


def accept_queue(facts: Facts) -> Cause | None:
    """Connections that the kernel could not hand over: they wait in line, or are dropped and tried again later."""
    overflows, waiting = facts.detail("accept_overflows"), facts.detail("accept_queue_mean")
    connecting = facts.share("client_wait", "network")
    if not facts.over_http or connecting < CONNECTING or (not overflows and waiting < 1):
        return None
    text = (
        f"{overflows:,.0f} connections found the accept queue full and {amount(waiting)} waited in it; requests spend "
        f"{percent(connecting)} of their time before the server has them"
    )
    evidence = {"accept_overflows": overflows, "accept_queue_mean": waiting, "connecting_share": connecting}
    # By Little's law so many requests are on their way to the server: most of them stand in that queue.
    on_their_way = facts.rate * (facts.spent["client_wait"] + facts.spent["network"]) / 1000
    waits_there = overflows > 0 or waiting >= max(2.0, 0.5 * on_their_way)
    certain = connecting >= 0.5 and waits_there and facts.host < 0.9  # without CPUs nobody accepts in time
    return Cause("accept_queue", certain, text, evidence)
