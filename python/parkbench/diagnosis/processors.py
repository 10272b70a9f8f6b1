"""Causes among what runs requests: carriers that are pinned, loops that stall, CPUs, and whoever else has them."""

from __future__ import annotations

from collections.abc import Mapping

from parkbench.diagnosis.cause import Cause
from parkbench.diagnosis.facts import Facts
from parkbench.diagnosis.pools import CPU_QUERY_MS
from parkbench.record import number
from parkbench.wording import amount, percent

FULL = 0.90
"""CPUs used this much of the time are used up."""
HELD = 0.30
"""Carriers or loops that are held this share of the time delay the others."""
NEARLY_ALWAYS = 0.70
DELAYED = 0.05
FOREIGN = 0.20
"""Programs that are no part of the run delay it from this share of all CPU time on."""
FELT = 0.10
"""What threads wait for a CPU matters from this share of the mean response time on."""
THROTTLED = 0.10
"""Share of the time in which a quota held the run back, from which the quota counts."""
LAG_MS = 2.0
"""A loop that comes this late on average is held by something; a single such moment is the machine's own."""

_RUNS = ("lateness", "network", "queue", "wakeup", "cpu", "reply")
_WAITS = ("app_wait", "downstream")


def pinned_carriers(facts: Facts) -> Cause | None:
    """Carriers that are held by a blocking call or a lock of the operating system, so that virtual threads queue."""
    if facts.model != "virtual_threads":
        return None
    per_request, by = facts.detail("pinned_ms_per_request"), _held_by(facts)
    held = max(facts.pinned_share, facts.rate * per_request / 1000 / facts.threads if facts.threads else 0.0)
    if held < HELD:
        return _hidden(facts, "pinned_carriers", "carriers")
    text = f"{amount(held * facts.threads)} of {amount(facts.threads)} carriers are pinned on average{by}"
    evidence = {"pinned_share": held, "pinned_ms_per_request": per_request, "delayed_share": _delayed(facts)}
    return Cause("pinned_carriers", held >= NEARLY_ALWAYS, text, evidence)


def stalled_loop(facts: Facts) -> Cause | None:
    """Loops that are held by a blocking call."""
    if facts.model != "reactive":
        return None
    worst, window = facts.detail("loop_lag_max_ms"), number(facts.run, "duration_s") or 0.0
    told = facts.detail("loop_stalled_ms") / 1000 / (window * facts.threads) if window and facts.threads else 0.0
    held = max(facts.pinned_share, min(1.0, told))
    if held < HELD:
        return None
    text = (
        f"{amount(held * facts.threads)} of {amount(facts.threads)} loops are held by something that blocks"
        + _held_by(facts)
        + (f"; a loop came up to {amount(worst)} ms late" if worst else "")
    )
    evidence = {"stalled_share": held, "loop_lag_max_ms": worst, "delayed_share": _delayed(facts)}
    return Cause("stalled_loop", held >= NEARLY_ALWAYS or worst >= 4 * LAG_MS, text, evidence)


def late_loop(facts: Facts) -> Cause | None:
    """Loops that come late although the CPUs have room: something holds them that does not say so."""
    if facts.model != "reactive":
        return None
    lag, worst = facts.detail("loop_lag_mean_ms"), facts.detail("loop_lag_max_ms")
    if lag >= LAG_MS and _delay_ms(facts) >= LAG_MS and facts.host < FULL:
        text = f"the loops come {amount(lag)} ms late on average and up to {amount(worst)} ms while the CPUs have room"
        evidence = {"loop_lag_mean_ms": lag, "loop_lag_max_ms": worst, "host_cpu_share": facts.host}
        return Cause("stalled_loop", lag >= LAG_MS and facts.host < 0.7 and _idle_while_on_cpu(facts) >= HELD, text,
                     evidence)  # fmt: skip
    return _hidden(facts, "stalled_loop", "loops")


def noisy_neighbour(facts: Facts) -> Cause | None:
    """Programs that are no part of the run use the CPUs, and requests wait for a CPU more than for anything else."""
    foreign = facts.foreign or 0.0
    ours = max(0.0, facts.host - foreign, facts.own + facts.harness)
    waits = facts.share(*_WAITS) + (facts.share("database", "connection") if _waits_on_purpose(facts) else 0.0)
    if foreign < FOREIGN or facts.host < FULL or waits >= 0.5:
        return None
    text = (
        f"programs that are no part of the run use {percent(foreign)} of the CPUs, the run {percent(ours)}: "
        f"together all there is"
    )
    evidence = {"foreign_cpu_share": foreign, "host_cpu_share": facts.host, "process_cpu_share": facts.own}
    delay = facts.run_queue_delay_ms
    if delay is not None:
        evidence["run_queue_delay_ms"] = delay
        text += f"; its threads waited {amount(delay)} ms for a CPU for each request"
    felt = delay is None or delay >= FELT * facts.response_ms
    busy = facts.detail("generator_cpu_share")
    certain = facts.sensed and foreign >= 0.35 and ours <= 0.4 and busy < 0.5 and felt  # alone the run would have room
    return Cause("noisy_neighbour", certain, text, evidence)


def cpu(facts: Facts) -> Cause | None:
    """The CPUs are used up by the run itself; or each of its carriers or loops computes all the time."""
    foreign = facts.foreign or 0.0
    if facts.share(*_WAITS) > 1 - DELAYED:
        return None  # nearly all of a response is a wait that no CPU would shorten
    evidence = {"host_cpu_share": facts.host, "process_cpu_share": facts.own, "foreign_cpu_share": foreign}
    throttled = (facts.noise("throttled_s") or 0.0) / (facts.noise("watched_s") or 1.0)
    if throttled >= THROTTLED:
        text = f"the control group's CPU quota held the run back for {percent(throttled)} of the time"
        return Cause("cpu", False, text, evidence | {"throttled_share": throttled})
    if max(facts.host - foreign, facts.own) >= FULL - FOREIGN and max(facts.host, facts.own) >= FULL:
        busy = percent(max(facts.host, facts.own))
        text = f"the {facts.cpus:,.0f} CPUs are {busy} busy, {percent(facts.own)} by the model"
        certain = facts.own >= 0.5 and foreign < 0.1 and facts.share(*_RUNS) >= 0.5
        return Cause("cpu", certain, text, evidence)
    few = facts.model in ("virtual_threads", "reactive") and (facts.busy or 0.0) >= 0.95 and facts.queued >= 0.5
    if few and facts.on("cpu") >= 0.5 * facts.threads and _idle_while_on_cpu(facts) < HELD:
        word = facts.threads_word
        text = f"all {amount(facts.threads)} {word} compute all the time while CPUs have room: more {word} would help"
        return Cause("cpu", False, text, evidence)
    return None


def waits_to_run(facts: Facts) -> Cause | None:
    """Nothing is used up on average, and yet the largest part of a response is waiting to run: a guess."""
    if facts.share(*_RUNS) < 0.5 or _delayed(facts) < 0.3 or _delay_ms(facts) < LAG_MS:
        return None
    text = f"requests wait to run for {percent(_delayed(facts))} of their time"
    evidence = {"delayed_share": _delayed(facts), "host_cpu_share": facts.host}
    name = {"virtual_threads": "pinned_carriers", "reactive": "stalled_loop"}.get(facts.model)
    if facts.host < 0.7 and name:
        return Cause(name, False, f"{text}, while the CPUs have room", evidence)
    return Cause("cpu", False, text, evidence) if facts.host >= 0.8 else None


def _held_by(facts: Facts) -> str:
    """What holds carriers or loops, where the run names it: `, by the filter's lock`."""
    details = facts.run.get("details") or {}
    by = details.get("loop_stalled_by") if facts.model == "reactive" else details.get("pinned_by")
    if isinstance(by, Mapping):
        by = _largest(by)
    return f", by {by}" if isinstance(by, str) and by else ""


def _largest(counts: Mapping[str, object]) -> str | None:
    return max(counts, key=lambda name: number(counts, name) or 0.0, default=None)


def _delayed(facts: Facts) -> float:
    return facts.share("queue", "wakeup")


def _delay_ms(facts: Facts) -> float:
    return facts.spent["queue"] + facts.spent["wakeup"]


def _idle_while_on_cpu(facts: Facts) -> float:
    """Share of the model's threads that count as computing but use no CPU: held by something that does not say so."""
    if not facts.threads or "process_cpu_share" not in (facts.run.get("details") or {}):
        return 0.0
    return max(0.0, facts.on("cpu") - facts.own * facts.cpus) / facts.threads


def _hidden(facts: Facts, name: str, word: str) -> Cause | None:
    """Threads that are neither parked nor idle nor use a CPU, while CPUs have room: held, though nothing counted it."""
    held = _idle_while_on_cpu(facts)
    if held < NEARLY_ALWAYS or facts.host >= FULL or _delay_ms(facts) < LAG_MS:
        return None
    text = f"{percent(held)} of the time of the {word} goes into handlers that use no CPU: something blocks there"
    return Cause(name, False, text, {"held_share": held, "host_cpu_share": facts.host})


def _waits_on_purpose(facts: Facts) -> bool:
    """Whether the database's time is a wait and no effect of busy CPUs, which would delay the model's threads too."""
    return facts.query_ms >= CPU_QUERY_MS and facts.share(*_RUNS) < 0.2
