"""Rows of comparison, odd baselines among them: each gets a verdict and none an exception."""

from __future__ import annotations

from typing import Any

import pytest
from plugin_support import summary
from run_records import record

from parkbench.plugin import comparing, measured
from parkbench.plugin.baselines import Baseline
from parkbench.plugin.comparing import Question, Row, with_stored, with_twins

MEAN = Question("response_mean_ms", 0.05, final=True)
AROUND = (0.99, 1.0, 1.01, 1.0, 1.0)


def values(level: float) -> list[float]:
    return [level * factor for factor in AROUND]


def base(*levels: float, **more: Any) -> Baseline:
    return Baseline("main", [summary(values(level), **more) for level in levels])


def only(rows: list[Row]) -> Row:
    (row,) = rows
    return row


def test_a_third_of_the_time_is_a_ratio_of_a_third() -> None:
    row = only(with_stored(summary(values(500)), base(1500.0), MEAN))
    assert row.estimate is not None
    assert row.estimate.ratio == pytest.approx(1 / 3)
    assert [row.now, row.baseline] == pytest.approx([500, 1500], rel=1e-3)
    assert row.verdict == "better" and not row.failed


def test_nanoseconds_are_compared_as_they_are() -> None:
    row = only(with_stored(summary(values(2.2e-6)), base(*[1.8e-6] * 5), MEAN))
    assert row.estimate is not None
    assert row.estimate.ratio == pytest.approx(2.2 / 1.8)
    assert row.verdict == "worse" and row.failed


def test_the_first_look_fails_nothing() -> None:
    first = only(with_stored(summary(values(20)), base(*[10.0] * 5), Question("response_mean_ms", 0.05)))
    assert (first.verdict, first.suspected, first.failed) == ("unsure", True, False)
    second = only(with_stored(summary(values(20)), base(*[10.0] * 5), MEAN))
    merged = comparing.merge(first, second)
    assert merged.failed and len(merged.looks) == 2


def test_a_cell_or_a_figure_that_the_baseline_lacks() -> None:
    both = measured.summary([record(model, repeat=r) for model in ("thread_pool", "reactive") for r in (1, 2, 3)])
    rows = with_stored(both, base(10.0), MEAN)
    assert {row.cell[0]: row.verdict for row in rows if row.cell[0] == "reactive"} == {"reactive": "new"}
    old = base(10.0)
    for session in old.sessions:
        del session["cells"][0]["figures"]["response_mean_ms"]
    row = only(with_stored(summary(values(10)), old, MEAN))
    assert (row.verdict, row.judged, row.baseline) == ("not available", False, None)
    assert row.now == pytest.approx(10, rel=1e-3)


def test_another_load_or_transport_is_not_comparable() -> None:
    row = only(with_stored(summary(values(10)), base(10.0, transport="http"), MEAN))
    assert (row.verdict, row.judged) == ("not comparable", False)
    assert row.notes == ("transport http and direct",)


def test_options_that_differ_are_said_and_judged() -> None:
    row = only(with_stored(summary(values(20), options={"cpu_us": 5.0}), base(*[10.0] * 5), MEAN))
    assert row.failed
    assert row.notes == ("cpu_us 0 -> 5",)


def test_a_slower_machine_is_said_and_taken_off() -> None:
    now = summary(values(11), lost=0.12, speed_us=20.0)
    row = only(with_stored(now, base(*[10.0] * 5, lost=0.01, speed_us=20.0), MEAN))
    assert not row.failed
    assert row.notes == ("the machine itself is 12 % slower than at the baseline",)
    assert row.estimate is not None and row.estimate.ratio == pytest.approx(1.1)
    quiet = summary(values(11), lost=0.01, speed_us=20.0)
    assert only(with_stored(quiet, base(*[10.0] * 5, lost=0.01, speed_us=20.0), MEAN)).failed


def test_few_repeats_are_no_verdict() -> None:
    row = only(with_stored(summary([20.0, 20.0]), base(10.0), MEAN))
    assert (row.verdict, row.suspected) == ("too few repeats", True)


def test_runs_left_out_are_said() -> None:
    now = measured.summary([record(repeat=r) for r in (1, 2, 3)] + [record(repeat=4, status="client_limited")])
    row = only(with_stored(now, Baseline("main", [now]), MEAN))
    assert row.judged and not row.suspected
    assert row.notes == ("1 of the runs left out: client_limited",)
    nothing = measured.summary([record(repeat=r, status="client_limited") for r in (1, 2, 3)])
    assert only(with_stored(nothing, Baseline("main", [now]), MEAN)).verdict == "not available"
    assert only(with_stored(now, Baseline("main", [nothing]), MEAN)).verdict == "not available"


def test_the_open_leg_stays_out_of_files() -> None:
    runs = [record(repeat=r, rate_rps=rate, leg="open" if rate else "closed") for r in (1, 2) for rate in (None, 900.0)]
    assert [cell["leg"] for cell in comparing.storable(measured.summary(runs))] == ["closed"]


def twins(factor: float, repeats: int = 5) -> dict[str, Any]:
    runs = []
    for repeat in range(1, repeats + 1):
        mood = 1 + repeat  # what the machine did to both
        runs.append(record(repeat=repeat, name="pool", response_mean_ms=10.0 * mood * factor))
        runs.append(record(repeat=repeat, name="pool (baseline)", response_mean_ms=10.0 * mood * AROUND[repeat % 5]))
    return measured.summary(runs)


def test_twins_are_compared_repeat_by_repeat() -> None:
    names = {"pool": "pool (baseline)"}
    row = only(with_twins(twins(1.10), names, MEAN))
    assert row.failed and row.form == "pairs" and row.against == "pool (baseline)"
    assert row.estimate is not None and row.estimate.ratio == pytest.approx(1.1, rel=0.01)
    assert only(with_twins(twins(1.0), names, MEAN)).verdict == "same"
    assert only(with_twins(twins(1.0, repeats=2), names, MEAN)).verdict == "too few repeats"


def test_pairs_that_were_disturbed_are_left_out() -> None:
    disturbed = twins(1.0, repeats=7)
    pool, twin = sorted(disturbed["cells"], key=lambda cell: str(cell["name"]))
    pool["figures"]["response_mean_ms"][2] *= 9
    for cell in (pool, twin):
        cell["lost"] = [0.01] * 7
    pool["lost"][2] = 0.5
    row = only(with_twins(disturbed, {"pool": "pool (baseline)"}, MEAN))
    assert row.verdict == "same" and row.estimate is not None and row.estimate.repeats == 6


def test_a_twin_that_is_missing_is_not_available() -> None:
    row = only(with_twins(summary(values(10), name="pool"), {"pool": "pool (baseline)"}, MEAN))
    assert row.verdict == "not available"


def test_more_judged_together_need_more_proof() -> None:
    one = only(with_stored(summary(values(12)), base(*[10.0] * 3), MEAN))
    many = only(with_stored(summary(values(12)), base(*[10.0] * 3), Question("response_mean_ms", 0.05, 40, True)))
    assert one.estimate is not None and many.estimate is not None
    assert one.estimate.low is not None and many.estimate.low is not None
    assert many.estimate.low < one.estimate.low
