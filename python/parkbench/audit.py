"""A benchmark that checks itself: each check states its value, its limit and one sentence.

Nothing is corrected here and nothing hidden. A check that cannot be made passes, and its sentence says that it was not
made and why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from parkbench.record import LEDGER, PHASES, Record, arrivals_kind, detail, has_figures, number, option, phases, think_s
from parkbench.stats import carries, samples_needed

UNEXPLAINED_LIMIT = 0.01
LITTLE_LIMIT = 0.05
GENERATOR_LIMIT = 0.80
DATABASE_LIMIT = 0.01
FAILURE_LIMIT = 0.01
PHASE_SUM_LIMIT = 0.001
_QUANTILES = {"response_p50_ms": 0.5, "response_p90_ms": 0.9, "response_p99_ms": 0.99, "from_send_p99_ms": 0.99}


class Check(TypedDict):
    """One check: `value` is compared with `limit`; both are null where the check was not made."""

    name: str
    passed: bool
    value: float | None
    limit: float | None
    text: str


class Audit(TypedDict):
    """All checks of a run, passed when each of them is."""

    passed: bool
    checks: list[Check]


def audit_run(run: Record) -> Audit:
    """Checks one run record. A run that failed has one check, which fails and says why."""
    if not has_figures(run):
        return _audit([_check("run", False, None, None, f"no figures: {run.get('status')}")])
    return _audit([
        _ledger(run), _phases(run), _little(run), _lateness(run), _generator(run), _database(run), _samples(run),
        _failures(run),
    ])  # fmt: skip


def audit_table(
    users: float | Sequence[float],
    throughput_rps: float | Sequence[float],
    mean_ms: float | Sequence[float],
    think_s: float = 0.0,
) -> Audit:
    """Checks somebody's table of a closed test by Little's law: users = throughput x (mean response + think time).

    Takes one row or columns of equal length; raises ValueError when their lengths differ.
    """
    columns = [[float(x) for x in (c if isinstance(c, Sequence) else [c])] for c in (users, throughput_rps, mean_ms)]
    return _audit([_closed(n, x, r, think_s) for n, x, r in zip(*columns, strict=True)])


def _audit(checks: list[Check]) -> Audit:
    return {"passed": all(check["passed"] for check in checks), "checks": checks}


def _check(name: str, passed: bool, value: float | None, limit: float | None, text: str) -> Check:
    return {"name": name, "passed": passed, "value": value, "limit": limit, "text": text}


def _not_made(name: str, why: str) -> Check:
    return _check(name, True, None, None, f"not checked: {why}")


def _ledger(run: Record) -> Check:
    """Two books that must agree: the generator's own sum, and what the model says it answered."""
    ledger = run.get("ledger") or {}
    missing = [key for key in LEDGER if not isinstance(ledger.get(key), int)]
    if missing:
        return _check("ledger", False, None, 0, f"the ledger lacks {', '.join(missing)}")
    outcomes = sum(ledger[key] for key in LEDGER[1:])
    off = ledger["scheduled"] - outcomes
    text = f"{ledger['scheduled']:,} scheduled, {outcomes:,} accounted for"
    giver = "the server" if run.get("transport") == "http" else "the model"
    answered, received = detail(run, "answers_model_counted"), detail(run, "answers_received_counted")
    if answered is None or received is None:
        return _check("ledger", off == 0, abs(off), 0, f"{text}; {giver} gave no count of its own")
    lost = int(answered - received)
    text += f"; {int(answered):,} answers given by {giver}, {int(received):,} taken by the generator"
    late, held = int(detail(run, "late_answers") or 0), int(detail(run, "abandoned_in_model") or 0)
    text += f" ({late:,} of them late)" if late else ""
    # Requests given up may be of the warm-up as well: too many of them prove nothing, too few that some have vanished.
    sent, open_at_end = ledger["scheduled"] - ledger["unsent"], held + ledger["in_flight_at_end"]
    swallowed = max(0, sent - int(answered) - open_at_end)
    text += f"; {open_at_end:,} of {sent:,} sent never answered" if open_at_end or swallowed else ""
    worst = max(abs(off), abs(lost), abs(swallowed))
    return _check("ledger", worst == 0, worst, 0, text + (f": {worst:,} do not add up" if worst else ""))


def _phases(run: Record) -> Check:
    found, response = run.get("phases_ms") or {}, number(run, "response_mean_ms") or 0.0
    missing = [phase for phase in PHASES if phase not in found]
    if missing:
        return _check("phases", False, None, UNEXPLAINED_LIMIT, f"phases_ms lacks {', '.join(missing)}")
    spent = phases(run)
    total = sum(spent.values())
    if abs(total - response) > max(PHASE_SUM_LIMIT * response, 1e-6):
        off = abs(total - response) / response if response else 1.0
        text = f"the phases add up to {total:,.4g} ms, the mean response is {response:,.4g} ms"
        return _check("phases", False, off, PHASE_SUM_LIMIT, text)
    if detail(run, "phases_of") == 0:
        return _not_made("phases", "no answer told the server's phases, as those of a stream cannot")
    share = abs(spent["unexplained"]) / response if response else 0.0
    text = f"{spent['unexplained']:.3g} of {response:,.4g} ms unexplained ({share:.2%})"
    if run.get("workload") == "noop":
        return _check("phases", True, share, None, f"{text}; no limit for noop, which does nothing but be handed over")
    return _check("phases", share <= UNEXPLAINED_LIMIT, share, UNEXPLAINED_LIMIT, text)


def _little(run: Record) -> Check:
    throughput, response = number(run, "throughput_rps"), number(run, "response_mean_ms")
    if not throughput or response is None:
        return _not_made("little", "no request ended well")
    if option(run, "faults"):
        return _not_made("little", f"{option(run, 'faults')} changes the system within the window")
    ledger = run.get("ledger") or {}
    bad = sum(ledger.get(key) or 0 for key in ("rejected", "failed", "timed_out"))
    if bad > LITTLE_LIMIT * (ledger.get("scheduled") or 1):
        return _not_made("little", f"{bad:,} requests did not end well, and their times are not in the mean")
    if arrivals_kind(run) == "closed":
        return _closed(float(run["concurrency"]), throughput, response, think_s(run))
    flight = detail(run, "in_flight_mean")
    if not flight:
        return _not_made("little", "the generator gave no mean of the requests in flight")
    product = throughput * response / 1000
    residual = abs(flight - product) / flight
    text = f"{flight:,.4g} in flight by the clock, {product:,.4g} by throughput x mean response ({residual:.1%} apart)"
    return _check("little", residual <= LITTLE_LIMIT, residual, LITTLE_LIMIT, text)


def _closed(users: float, throughput: float, response_ms: float, think: float) -> Check:
    """Users of a closed system are always somewhere: N = X (R + Z)."""
    product = throughput * (response_ms / 1000 + think)
    residual = abs(users - product) / users if users else float("inf")
    passed = residual <= LITTLE_LIMIT
    text = (
        f"{throughput:,.4g}/s at a mean of {response_ms:,.4g} ms keeps {product:,.0f} users busy of {users:,.0f} "
        f"({residual:.1%} apart)"
    )
    if not passed and throughput:
        text += f"; with {users:,.0f} users the mean would have to be {(users / throughput - think) * 1000:,.4g} ms"
    return _check("little", passed, residual, LITTLE_LIMIT, text)


def _lateness(run: Record) -> Check:
    late = detail(run, "lateness_p99_ms")
    if late is None:
        return _not_made("lateness", "the generator gave no figure")
    p99 = number(run, "response_p99_ms")
    limit = max(1.0, 0.05 * (p99 or 0.0))
    text = f"p99 of the generator's lateness {late:.3g} ms, limit {limit:.3g} ms"
    return _check("lateness", late <= limit, late, limit, text)


def _generator(run: Record) -> Check:
    share = detail(run, "generator_cpu_share")
    if share is None:
        return _not_made("generator", "its CPU time was not read")
    text = f"the generator used {share:.0%} of a core"
    if run.get("workload") == "noop" and run.get("transport") == "direct":
        return _check("generator", True, share, None, f"{text}; no limit for noop on direct, where it is half the work")
    return _check("generator", share < GENERATOR_LIMIT, share, GENERATOR_LIMIT, text)


def _database(run: Record) -> Check:
    counted, expected = detail(run, "database_queries"), detail(run, "database_queries_expected")
    if counted is None or expected is None:
        why = "this workload asks no database" if not expected else "the server's counters were not available"
        return _not_made("database", why)
    off = abs(counted - expected) / expected if expected else float(counted != 0)
    text = f"the server counted {counted:,.0f} queries, {expected:,.0f} expected ({off:.2%} apart)"
    return _check("database", off <= DATABASE_LIMIT, off, DATABASE_LIMIT, text)


def _samples(run: Record) -> Check:
    """No quantile is shown that has fewer than ten samples beyond it."""
    count = detail(run, "requests_timed")
    if count is None:
        count = float((run.get("ledger") or {}).get("ok") or 0)
    shown = {key: quantile for key, quantile in _QUANTILES.items() if number(run, key) is not None}
    needed = max((samples_needed(quantile) for quantile in shown.values()), default=1)
    thin = [key for key, quantile in shown.items() if not carries(quantile, int(count))]
    hidden = [key for key in _QUANTILES if key not in shown]
    text = f"{count:,.0f} requests timed, {needed:,} needed for what is shown"
    if thin:
        text += f"; too few for {', '.join(thin)}"
    if hidden:
        text += f"; not shown: {', '.join(f'{key} (needs {samples_needed(_QUANTILES[key]):,})' for key in hidden)}"
    return _check("samples", not thin, count, needed, text)


def _failures(run: Record) -> Check:
    ledger = run.get("ledger") or {}
    scheduled = ledger.get("scheduled") or 0
    bad = {key: ledger.get(key) or 0 for key in ("rejected", "failed", "timed_out", "unsent")}
    share = sum(bad.values()) / scheduled if scheduled else 0.0
    told = ", ".join(f"{count:,} {key}" for key, count in bad.items() if count) or "none failed"
    causes = ", ".join(f"{cause} {count:,}" for cause, count in sorted((run.get("failures") or {}).items()) if count)
    text = f"{told} of {scheduled:,} ({share:.2%})" + (f": {causes}" if causes else "")
    return _check("failures", share <= FAILURE_LIMIT, share, FAILURE_LIMIT, text)
