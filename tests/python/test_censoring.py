from __future__ import annotations

from typing import Any

import pytest

from parkbench import censoring


def run(ok: int, timed_out: int, **options: Any) -> dict[str, Any]:
    return {"ledger": {"ok": ok, "timed_out": timed_out}, "options": options, "response_max_ms": 900.0}


@pytest.mark.parametrize(("timed_out", "censored"), [(0, set()), (5, set()), (10, set()), (11, {"response_p99_ms"}),
                                                     (30, {"response_p99_ms"}),
                                                     (101, {"response_p90_ms", "response_p99_ms"})])  # fmt: skip
def test_a_quantile_is_censored_as_soon_as_it_lies_among_the_timed_out(timed_out: int, censored: set[str]) -> None:
    assert set(censoring.censored(run(1000 - timed_out, timed_out, timeout=2.0))) == censored


def test_three_percent_of_timeouts() -> None:
    found = run(970, 30, timeout=2.0)
    assert censoring.share(found) == pytest.approx(0.03)
    assert censoring.at_least_ms(found, 0.99) == 2000.0
    assert censoring.at_least_ms(found, 0.97) is None
    assert censoring.at_least_ms(found, 0.9701) == 2000.0


def test_the_timeout_by_either_name_or_the_largest_response_seen() -> None:
    assert censoring.timeout_ms(run(1, 1, timeout=0.5)) == 500.0
    assert censoring.timeout_ms(run(1, 1, timeout_s=0.5)) == 500.0
    assert censoring.timeout_ms(run(1, 1)) is None
    assert censoring.at_least_ms(run(1, 1), 0.9) == 900.0


def test_a_run_without_a_ledger_has_no_timeouts() -> None:
    assert censoring.censored({"ledger": None}) == {}
    assert censoring.share({"ledger": None}) == 0.0
