"""Was the generator honest: on time, not busy, able to send more?"""

from __future__ import annotations

from typing import Any

import pytest
import run_records as records

from parkbench import audit as audits
from parkbench.audit import Check, audit_run


def check(run: dict[str, Any], name: str) -> Check:
    return next(c for c in audit_run(run)["checks"] if c["name"] == name)


def test_lateness_is_measured_against_the_tail() -> None:
    run = records.starved("reactive")
    run["details"]["lateness_p99_ms"] = 1.5
    limit = 0.05 * run["response_p99_ms"]
    assert check(run, "lateness")["limit"] == pytest.approx(limit)
    assert check(run, "lateness")["passed"] is (limit >= 1.5)
    assert not check({**run, "response_p99_ms": None}, "lateness")["passed"]


def test_a_busy_generator_fails_except_for_noop_on_direct() -> None:
    run = records.record(details={"generator_cpu_share": 0.85})
    assert not check(run, "generator")["passed"]
    noop = check({**run, "workload": "noop"}, "generator")
    assert noop["passed"]
    assert "no limit for noop on direct" in noop["text"]
    assert not check({**run, "workload": "noop", "transport": "http"}, "generator")["passed"]


def test_only_a_generator_that_is_late_limits_a_run() -> None:
    assert not audits.is_client_limited(audit_run(records.starved("reactive")))
    assert audits.is_client_limited(audit_run(records.record(details={"lateness_p99_ms": 1e3})))
    busy = audit_run(records.record(details={"generator_cpu_share": 0.9, "generator_ceiling_rps": 1.0}))
    assert {check["name"] for check in busy["checks"] if not check["passed"]} == {"generator", "ceiling"}
    assert not audits.is_client_limited(busy)  # it sent on time


def test_requests_that_were_never_sent() -> None:
    run = records.starved("reactive")
    scheduled = run["ledger"]["scheduled"]
    allowed = scheduled // 1000
    for unsent, passed in ((allowed, True), (allowed + 1, False)):
        run["ledger"]["unsent"], run["ledger"]["ok"] = unsent, scheduled - unsent
        assert check(run, "lateness")["passed"] is passed
    assert f"{allowed + 1:,} of {scheduled:,} requests that were due were never sent" in check(run, "lateness")["text"]


def test_with_too_few_requests_for_a_p99_the_mean_lateness_is_looked_at() -> None:
    run = records.record(phases={"app_wait": 300.0}, concurrency=20, details={"lateness_p99_ms": None})
    assert check(run, "lateness")["text"].startswith("mean (too few for a p99)")
    assert check(run, "lateness")["limit"] == pytest.approx(0.05 * run["response_mean_ms"])
    late = records.record(phases={"app_wait": 300.0, "lateness": 40.0}, details={"lateness_p99_ms": None})
    assert not check(late, "lateness")["passed"]
    del late["details"]["lateness_p99_ms"]
    assert "gave no figure" in check(late, "lateness")["text"]


@pytest.mark.parametrize(
    ("factor", "share", "passed"),
    [(2.0, 0.7, True), (1.9, 0.7, False), (1.1, 0.49, True), (1.1, 0.5, True), (1.1, 0.51, False), (1.9, None, False)],
)
def test_the_generator_must_have_been_able_to_send_twice_as_much(factor: float, share: Any, passed: bool) -> None:
    run = records.starved("reactive")
    run["details"] |= {"generator_ceiling_rps": factor * run["offered_rps"], "generator_cpu_share": share}
    assert check(run, "ceiling")["passed"] is passed


def test_the_ceiling_is_not_asked_of_noop_or_where_it_was_not_measured() -> None:
    run = records.starved("reactive")
    assert "was not measured" in check(run, "ceiling")["text"]
    run["details"]["generator_ceiling_rps"] = run["offered_rps"]
    assert "the very server" in check({**run, "workload": "noop"}, "ceiling")["text"]
