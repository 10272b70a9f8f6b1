"""One row per run, units in the names, nothing lost and nothing invented."""

from __future__ import annotations

import pytest
import run_records as records

from parkbench.frame import runs_frame, timeline_frame
from parkbench.record import FIGURES, LEDGER, PHASES


def test_one_row_per_run_in_their_order() -> None:
    runs = [records.starved(model, repeat) for repeat in range(3) for model in ("reactive", "thread_pool")]
    frame = runs_frame(runs)
    assert frame.shape[0] == 6
    assert frame["run"].tolist() == list(range(6))
    assert frame["name"].tolist() == ["reactive", "thread_pool"] * 3
    assert frame["response_mean_ms"].tolist() == [run["response_mean_ms"] for run in runs]
    assert frame.loc[1, "phase_queue_ms"] == runs[1]["phases_ms"]["queue"]
    assert frame.loc[1, "ledger_ok"] == runs[1]["ledger"]["ok"]
    assert frame.loc[1, "queue_depth_mean"] == 198.0
    assert frame.loc[1, "option_workers"] == 200
    assert frame["option_workers"].isna().tolist() == [True, False] * 3


def test_nested_records_become_columns() -> None:
    frame = runs_frame([records.starved("reactive")])
    assert {f"ledger_{key}" for key in LEDGER} | {f"phase_{phase}_ms" for phase in PHASES} <= set(frame.columns)
    assert frame[[f"phase_{phase}_ms" for phase in PHASES]].sum(axis=1)[0] == pytest.approx(
        frame["response_mean_ms"][0]
    )
    assert not frame.columns.duplicated().any()


def test_causes_of_failure_become_columns_and_are_zero_where_they_did_not_occur() -> None:
    frame = runs_frame([records.starved("reactive", failures={"db_error": 3}), records.starved("reactive")])
    assert frame["failures_db_error"].tolist() == [3, 0]
    assert str(frame["failures_db_error"].dtype) == "Int64"


def test_a_failed_run_keeps_its_row_without_figures() -> None:
    frame = runs_frame([records.failed(), records.starved("reactive")])
    assert frame["status"].tolist() == ["failed: killed by signal 9", "ok"]
    assert frame.loc[0, list(FIGURES)].isna().all()
    assert frame["ledger_ok"].isna().tolist() == [True, False]
    assert str(frame["throughput_rps"].dtype) == "float64"


def test_no_runs_still_have_their_columns() -> None:
    frame = runs_frame([])
    assert frame.empty
    assert {"name", "throughput_rps", "phase_queue_ms", "ledger_ok"} <= set(frame.columns)


def test_the_timeline_is_one_row_per_sample() -> None:
    rows: list[dict[str, object]] = [
        {"run": 0, "name": "reactive", "t_s": 0.1, "in_flight": 5, "loop_lag_ms": 1.0},
        {"run": 0, "t_s": 0.2},
    ]
    frame = timeline_frame(rows)
    assert frame["t_s"].tolist() == [0.1, 0.2]
    assert "loop_lag_ms" in frame.columns
    assert list(timeline_frame([]).columns)[:2] == ["run", "name"]


def test_units_are_in_the_names() -> None:
    frame = runs_frame([records.starved("thread_pool")])
    for column in frame.columns:
        if column.startswith(("response_", "from_send_", "phase_")):
            assert column.endswith("_ms"), column
        if column.startswith("rss_"):
            assert column.endswith("_mib"), column


def test_the_cpu_of_every_process_has_a_column() -> None:
    frame = runs_frame([records.over_http(), records.starved("reactive")])
    assert frame["server_cpu_s"].tolist()[0] == 1.6
    assert frame["generator_cpu_s"].tolist()[0] == 0.9
    assert frame["downstream_cpu_s"].isna().tolist() == [False, True]


def test_the_load_and_what_was_found_have_columns() -> None:
    quiet = records.starved("reactive")
    found = {"noise": {"noisy": True}, "steady": {"kind": "unstable", "samples": 40}, "cause": {"name": "cpu"}}
    loud = records.open_leg("reactive", details=found)
    frame = runs_frame([quiet, loud])
    assert frame["leg"].tolist() == ["closed", "open"]
    assert frame["rate_rps"].isna().tolist() == [True, False]
    assert frame["load_share"].tolist()[1] == 0.8
    assert frame["noisy"].isna().tolist() == [True, False]
    assert frame["noisy"].tolist()[1] is True
    assert frame["steady"].isna().tolist() == frame["cause"].isna().tolist() == [True, False]
    assert (frame["steady"][1], frame["cause"][1]) == ("unstable", "cpu")
    assert frame["comparable"].tolist() == [True, False]
    assert str(runs_frame([])["noisy"].dtype) == "boolean"
