"""A benchmark that checks itself: each check states its value, its limit and one sentence.

Nothing is corrected here and nothing hidden. A check that cannot be made passes, and its sentence says that it was not
made and why. Noise of the machine is told and never fails a run: it is nobody's fault, and the intervals show it.
"""

from __future__ import annotations

from parkbench import censoring
from parkbench.arrivals import is_open
from parkbench.bounds import bounds
from parkbench.checks import Audit as Audit
from parkbench.checks import Check as Check
from parkbench.checks import all_of, entry, figure, made, not_made, not_ok
from parkbench.equality import unequal_resources as unequal_resources
from parkbench.record import (
    LEDGER,
    PHASES,
    Record,
    arrivals_kind,
    detail,
    has_figures,
    number,
    option,
    phases,
    think_s,
)
from parkbench.stats import carries, samples_needed

UNEXPLAINED_LIMIT = 0.01
UNEXPLAINED_FLOOR_MS = 0.002
"""About what a dozen stamps and the hand-overs between them take: of a response of 0.1 ms that is more than 1 %."""
LITTLE_LIMIT = 0.05
EDGES_LIMIT = 0.5
"""Beyond this the edges of a window excuse nothing: it was too short to say anything."""
GENERATOR_LIMIT = 0.80
CEILING_FACTOR = 2.0
UNSENT_LIMIT = 0.001
ROWS_LIMIT = 0.01
FAILURE_LIMIT = 0.01
PHASE_SUM_LIMIT = 0.001
HISTOGRAM_ERROR = 0.001
RESOLUTIONS = 20
"""A time shorter than so many steps of the clock is not known well enough."""
READS_PER_PRICE = 2
"""Every price takes one read of either table."""
_QUANTILES = {"response_p50_ms": 0.5, "response_p90_ms": 0.9, "response_p99_ms": 0.99, "from_send_p99_ms": 0.99}


def audit_run(run: Record) -> Audit:
    """Checks one run record. A run that failed has one check, which fails and says why."""
    if not has_figures(run):
        causes = _causes(run)
        return all_of([
            made("run", False, None, None, f"no figures: {run.get('status')}" + (f"; {causes}" if causes else ""))
        ])  # fmt: skip
    return all_of([
        _ledger(run), _phases(run), _little(run), *bounds(run), _answers(run), _database(run), _rows(run),
        _lateness(run), _generator(run), _ceiling(run), _samples(run), _failures(run), _timeouts(run), _histogram(run),
        _clock(run), _noise(run),
    ])  # fmt: skip


def is_client_limited(audit: Audit) -> bool:
    """Whether the generator did not send on time, so that what the run saw is about the generator.

    One that was busy, or near what it can reach, fails the audit and no more: it sent on time all the same.
    """
    return any(check["name"] == "lateness" and not check["passed"] for check in audit["checks"])


def too_many_errors(run: Record) -> bool:
    """Whether more than 1 % of the requests did not end well: who answers a fast 503 must not win by it.

    A comparison with such a run is not valid unless it was asked for. Requests never sent are the generator's fault
    and not counted here.
    """
    scheduled = entry(run.get("ledger"), "scheduled")
    return scheduled > 0 and not_ok(run) / scheduled > FAILURE_LIMIT


def _ledger(run: Record) -> Check:
    """Two books that must agree: the generator's own sum, and what the model says it answered.

    That they agree in a sound program is shown by tests/cpp/load/generator_oracle_test.cpp over 20,000 random plans.
    """
    ledger = run.get("ledger") or {}
    missing = [key for key in LEDGER if not isinstance(ledger.get(key), int)]
    if missing:
        return made("ledger", False, None, 0, f"the ledger lacks {', '.join(missing)}")
    outcomes = sum(ledger[key] for key in LEDGER[1:])
    off = ledger["scheduled"] - outcomes
    text = f"{ledger['scheduled']:,} scheduled, {outcomes:,} accounted for"
    giver = "the server" if run.get("transport") == "http" else "the model"
    answered, received = detail(run, "answers_model_counted"), detail(run, "answers_received_counted")
    if answered is None or received is None:
        return made("ledger", off == 0, abs(off), 0, f"{text}; {giver} gave no count of its own")
    lost = int(answered - received)
    text += f"; {int(answered):,} answers given by {giver}, {int(received):,} taken by the generator"
    late, held = int(detail(run, "late_answers") or 0), int(detail(run, "abandoned_in_model") or 0)
    text += f" ({late:,} of them late)" if late else ""
    # Requests given up may be of the warm-up as well: too many of them prove nothing, too few that some have vanished.
    sent, open_at_end = ledger["scheduled"] - ledger["unsent"], held + ledger["in_flight_at_end"]
    swallowed = max(0, sent - int(answered) - open_at_end)
    text += f"; {open_at_end:,} of {sent:,} sent never answered" if open_at_end or swallowed else ""
    worst = max(abs(off), abs(lost), abs(swallowed))
    return made("ledger", worst == 0, worst, 0, text + (f": {worst:,} do not add up" if worst else ""))


def _phases(run: Record) -> Check:
    found, response = run.get("phases_ms") or {}, number(run, "response_mean_ms") or 0.0
    missing = [phase for phase in PHASES if phase not in found]
    if missing:
        return made("phases", False, None, UNEXPLAINED_LIMIT, f"phases_ms lacks {', '.join(missing)}")
    spent = phases(run)
    total = sum(spent.values())
    if abs(total - response) > max(PHASE_SUM_LIMIT * response, 1e-6):
        off = abs(total - response) / response if response else 1.0
        text = f"the phases add up to {figure(total)} ms, the mean response is {figure(response)} ms"
        return made("phases", False, off, PHASE_SUM_LIMIT, text)
    if detail(run, "phases_of") == 0:
        return not_made("phases", "no answer told the server's phases, as those of a stream cannot")
    share = abs(spent["unexplained"]) / response if response else 0.0
    text = f"{spent['unexplained']:.3g} of {figure(response)} ms unexplained ({share:.2%})"
    if run.get("workload") == "noop":
        return made("phases", True, share, None, f"{text}; no limit for noop, which does nothing but be handed over")
    limit = max(UNEXPLAINED_LIMIT, UNEXPLAINED_FLOOR_MS / response if response else 0.0)
    if limit > UNEXPLAINED_LIMIT:
        text += f"; of so short a response {UNEXPLAINED_FLOOR_MS * 1000:.0f} us may be, what stamping it takes"
    return made("phases", share <= limit, share, limit, text)


def _little(run: Record) -> Check:
    throughput, response = number(run, "throughput_rps"), number(run, "response_mean_ms")
    if not throughput or response is None:
        return not_made("little", "no request ended well")
    if option(run, "faults"):
        return not_made("little", f"{option(run, 'faults')} changes the system within the window")
    bad = not_ok(run)
    if bad > LITTLE_LIMIT * (entry(run.get("ledger"), "scheduled") or 1):
        return not_made("little", f"{bad:,} requests did not end well, and their times are not in the mean")
    limit = max(LITTLE_LIMIT, min(_edges(run), EDGES_LIMIT))
    users_end = option(run, "requests_per_user") is not None  # one by one, so that their number is not constant
    if arrivals_kind(run) == "closed" and not users_end:
        return _closed(float(run["concurrency"]), throughput, response, think_s(run), limit)
    flight = detail(run, "in_flight_mean")
    if not flight:
        return not_made("little", "the generator gave no mean of the requests in flight")
    word = "mean response"
    if not is_open(arrivals_kind(run)):  # the clock then counts a request from when it was sent
        word, response = "mean from sending", number(run, "from_send_mean_ms") or response
    product = throughput * response / 1000
    residual = abs(flight - product) / flight
    text = f"{figure(flight)} in flight by the clock, {figure(product)} by throughput x {word} ({residual:.1%} apart)"
    text += "; by the clock, as users end after their requests" if users_end else ""
    return made("little", residual <= limit, residual, limit, text + _allowed(limit))


def _edges(run: Record) -> float:
    """How far a window's own edges may move the two sides apart, as a share: at most one request of each user.

    A request belongs to the window in which it is due, whole, and the one under way when the window opens does not.
    So the sum of the counted response times is within N x (longest response + think time) of N x window; on a noisy
    machine twice that, as a stall over the opening is in no counted response. A window of whole rounds has nothing
    under way at its edges, unless rounds overlap.
    """
    if arrivals_kind(run) == "rounds" and "every" not in str(option(run, "arrivals")):
        return 0.0
    window, noise = number(run, "duration_s") or 0.0, (run.get("details") or {}).get("noise") or {}
    longest = (number(run, "response_max_ms") or 0.0) / 1000 * (2 if noise.get("noisy") else 1)
    return (longest + think_s(run)) / window if window else 0.0


def _allowed(limit: float) -> str:
    return f"; the edges of so short a window allow {limit:.1%}" if limit > LITTLE_LIMIT else ""


def _closed(users: float, throughput: float, response_ms: float, think: float, limit: float) -> Check:
    """Users of a closed system are always somewhere: N = X (R + Z)."""
    product = throughput * (response_ms / 1000 + think)
    residual = abs(users - product) / users if users else float("inf")
    passed = residual <= limit
    text = (
        f"{figure(throughput)}/s at a mean of {figure(response_ms)} ms keeps {product:,.0f} users busy of {users:,.0f} "
        f"({residual:.1%} apart)"
    )
    if not passed and throughput:
        text += f"; with {users:,.0f} users the mean would have to be {figure((users / throughput - think) * 1000)} ms"
    return made("little", passed, residual, limit, text + _allowed(limit))


def _lateness(run: Record) -> Check:
    """The generator sends when a request is due: at most max(1 ms, 5 % of the tail) late, and at most 0.1 % never."""
    ledger = run.get("ledger")
    scheduled, unsent = entry(ledger, "scheduled"), entry(ledger, "unsent")
    if unsent > UNSENT_LIMIT * scheduled:
        share = unsent / scheduled
        text = f"{unsent:,} of {scheduled:,} requests that were due were never sent"
        text += f" ({share:.2%}, limit {UNSENT_LIMIT:.1%})"
        return made("lateness", False, share, UNSENT_LIMIT, text)
    tail = number(run, "response_p99_ms")
    late = detail(run, "lateness_p99_ms")
    if late is None and "lateness_p99_ms" not in (run.get("details") or {}):
        return not_made("lateness", "the generator gave no figure")
    word = "p99"
    if late is None:  # too few were sent to know the p99
        word, late, tail = "mean (too few for a p99)", phases(run).get("lateness", 0.0), number(run, "response_mean_ms")
    limit = max(1.0, 0.05 * (tail or 0.0))
    text = f"{word} of the generator's lateness {late:.3g} ms, limit {limit:.3g} ms"
    text += f"; {unsent:,} never sent" if unsent else ""
    return made("lateness", late <= limit, late, limit, text)


def _generator(run: Record) -> Check:
    share = detail(run, "generator_cpu_share")
    if share is None:
        return not_made("generator", "its CPU time was not read")
    text = f"the generator used {share:.0%} of a core"
    if run.get("workload") == "noop" and run.get("transport") == "direct":
        return made("generator", True, share, None, f"{text}; no limit for noop on direct, where it is half the work")
    return made("generator", share < GENERATOR_LIMIT, share, GENERATOR_LIMIT, text)


def _ceiling(run: Record) -> Check:
    """Could the generator have sent twice as much? Either of two witnesses is enough.

    The ceiling was measured against a server that does nothing but shares the CPUs, so it may be the server's as well
    as the generator's: a model as fast as that server would fail for being fast. So a generator that used less than
    half of its core may also vouch for itself: by its own cost per request it could have sent twice as many.
    """
    ceiling, rate = detail(run, "generator_ceiling_rps"), number(run, "offered_rps") or number(run, "throughput_rps")
    if run.get("workload") == "noop":
        return not_made("ceiling", "noop is the very server by which the generator's ceiling is measured")
    if not ceiling or not rate:
        return not_made("ceiling", "the generator's ceiling was not measured")
    factor, share = ceiling / rate, detail(run, "generator_cpu_share")
    text = (
        f"{figure(rate)}/s sent, {figure(ceiling)}/s is what the generator reached against a server that does nothing"
    )
    if factor >= CEILING_FACTOR or share is None:
        return made("ceiling", factor >= CEILING_FACTOR, factor, CEILING_FACTOR, text)
    own = 1 / share if share else float("inf")
    text += f"; by its own CPU ({share:.0%} of a core) it could have sent {own:.3g} times as much"
    return made("ceiling", own >= CEILING_FACTOR, max(factor, own), CEILING_FACTOR, text)


def _answers(run: Record) -> Check:
    """Every counted answer is compared; one that says something else is failed as `wrong_answer`, and is no success."""
    wrong, ok = entry(run.get("failures"), "wrong_answer"), entry(run.get("ledger"), "ok")
    compared = {
        ("pricing", "direct"): "the price that the database calculates",
        ("pricing", "http"): "the price that the database calculates",
        ("noop", "http"): "the text that was asked for",
        ("file", "http"): "the text that was asked for",
    }.get((str(run.get("workload")), str(run.get("transport"))))
    checked = detail(run, "answers_checked")
    if wrong:
        return made("answers", False, wrong, 0, f"{wrong:,} answers were not {compared or 'what was asked for'}")
    if compared is None and not checked:
        return not_made("answers", "an answer of this workload says nothing to compare but that it ended well")
    if checked is not None and checked < ok:
        return made("answers", False, ok - checked, 0, f"only {checked:,.0f} of {ok:,} answers were compared")
    return made("answers", True, 0, 0, f"each of {ok:,} answers is {compared or 'what was asked for'}")


def _database(run: Record) -> Check:
    """The server's own count of queries against the model's, exactly; and no price can come without its reads."""
    counted, expected = detail(run, "database_queries"), detail(run, "database_queries_expected")
    if counted is None or expected is None:
        why = "this workload asks no database" if not expected else "the server's counters were not available"
        return not_made("database", why)
    least = READS_PER_PRICE * entry(run.get("ledger"), "ok") if run.get("workload") == "pricing" else 0
    if counted < least:
        text = f"the server counted {counted:,.0f} queries, but the answers need {least:,}: some came from elsewhere"
        return made("database", False, (least - counted) / least, 0, text)
    off = abs(counted - expected) / expected if expected else float(counted != 0)
    text = f"the server counted {counted:,.0f} queries, {expected:,.0f} expected ({off:.2%} apart)"
    # A statement that was given up may still have been carried out.
    limit = ROWS_LIMIT if not_ok(run) else 0.0
    return made("database", off <= limit, off, limit, text)


def _rows(run: Record) -> Check:
    counted, expected = detail(run, "database_rows"), detail(run, "database_rows_expected")
    if counted is None or not expected:
        return not_made("database_rows", "the server's count of rows was not available")
    off = abs(counted - expected) / expected
    text = f"the server counted {counted:,.0f} rows, {expected:,.0f} expected ({off:.2%} apart)"
    return made("database_rows", off <= ROWS_LIMIT, off, ROWS_LIMIT, text)


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
    return made("samples", not thin, count, needed, text)


def _failures(run: Record) -> Check:
    """Failed requests and how long they took, apart from the successes, whose times never hold a failed one."""
    ledger = run.get("ledger") or {}
    scheduled = entry(ledger, "scheduled")
    bad = {key: entry(ledger, key) for key in ("rejected", "failed", "timed_out", "unsent")}
    share = sum(bad.values()) / scheduled if scheduled else 0.0
    told = ", ".join(f"{count:,} {key}" for key, count in bad.items() if count) or "none failed"
    causes = _causes(run)
    text = f"{told} of {scheduled:,} ({share:.2%})" + (f": {causes}" if causes else "")
    failed = (run.get("details") or {}).get("failed_response") or {}
    if failed.get("count"):
        lost, well = number(failed, "mean_ms") or 0.0, number(run, "response_mean_ms") or 0.0
        text += f"; mean {figure(lost)} ms, those that ended well {figure(well)} ms"
    if too_many_errors(run):
        text += "; too many for a comparison"
    return made("failures", share <= FAILURE_LIMIT, share, FAILURE_LIMIT, text)


def _causes(run: Record) -> str:
    return ", ".join(f"{cause} {count:,}" for cause, count in sorted((run.get("failures") or {}).items()) if count)


def _timeouts(run: Record) -> Check:
    """A request that timed out took at least the timeout; a quantile that lies among such is not the one shown."""
    lost = entry(run.get("ledger"), "timed_out")
    share = censoring.share(run)
    if not lost:
        return made("timeouts", True, 0.0, None, "none timed out")
    shown = {key: limit for key, limit in censoring.censored(run).items() if number(run, key) is not None}
    text = f"{lost:,} timed out ({share:.2%})"
    if shown:
        text += ": with them " + ", ".join(f"{key} is >= {limit:,.0f}" for key, limit in shown.items())
    limits = [1 - censoring.QUANTILES[key] for key in censoring.QUANTILES if number(run, key) is not None]
    return made("timeouts", not shown, share, min(limits, default=None), text)


def _histogram(run: Record) -> Check:
    """Every response time of an ok request is in the histogram, known to 0.1 % or counted as out of its range."""
    found = (run.get("details") or {}).get("histogram") or {}
    counts, over = found.get("counts"), entry(found, "overflow")
    if not counts:
        return not_made("histogram", "it was not kept with the record")
    ok, refused = entry(run.get("ledger"), "ok"), int(detail(run, "clock_errors") or 0)
    held = sum(int(count) for _, count in counts)
    off = abs(ok - held - over - refused)
    text = f"{held:,} times known to {HISTOGRAM_ERROR:.1%}, {over:,} out of range"
    text += f": {off:,} of {ok:,} ok requests are not in it" if off else ""
    return made("histogram", off == 0 and over == 0, max(off, over), 0, text)


def _clock(run: Record) -> Check:
    errors, resolution = detail(run, "clock_errors"), detail(run, "clock_resolution_ns")
    if errors:
        return made("clock", False, errors, 0, f"{errors:,.0f} times were negative: the clock ran backwards")
    shown = [number(run, key) for key in ("response_mean_ms", *_QUANTILES)]
    least = min((value for value in shown if value), default=None)
    if resolution is None or least is None:
        return not_made("clock", "its resolution was not recorded")
    limit = RESOLUTIONS * resolution / 1e6
    text = f"the shortest time shown is {figure(least)} ms, the clock's resolution {figure(resolution)} ns"
    return made("clock", least >= limit, least, limit, text)


def _noise(run: Record) -> Check:
    """A flag, never a failure."""
    found = (run.get("details") or {}).get("noise") or {}
    if not found.get("text"):
        return not_made("noise", "the machine was not watched")
    return made("noise", True, number(found, "steal_share"), None, str(found["text"]))
