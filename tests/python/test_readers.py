"""A saved sweep in other people's hands: pandas, polars, DuckDB and readers of HdrHistogram logs open it as it is."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import polars as pl
import pytest
import run_records as records
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

import parkbench as pb
from parkbench.store import RunStore

GOLDEN = Path(__file__).resolve().parent.parent / "data" / "store_schema_2" / "sleep"


def test_pandas_reads_runs_and_samples() -> None:
    runs = pd.read_json(GOLDEN / "runs.jsonl", lines=True, precise_float=True)
    samples = pd.read_json(GOLDEN / "timeline.jsonl", lines=True)
    assert runs["response_mean_ms"].tolist() == pb.load(GOLDEN).frame["response_mean_ms"].tolist()
    means = samples.groupby("run")["in_flight"].mean()
    assert means.index.tolist() == [0, 1, 2, 3]
    assert set(runs.groupby("name")["throughput_rps"].median().index) == {"reactive", "thread_pool"}


def test_polars_reads_runs_and_samples() -> None:
    runs = pl.read_ndjson(GOLDEN / "runs.jsonl", infer_schema_length=None)
    assert runs["response_mean_ms"].to_list() == pb.load(GOLDEN).frame["response_mean_ms"].tolist()
    phases = runs.select("name", pl.col("phases_ms").struct.field("app_wait"))
    assert phases["app_wait"].min() > 0  # type: ignore[operator]
    samples = pl.read_ndjson(GOLDEN / "timeline.jsonl", infer_schema_length=None)
    assert samples.join(runs.with_row_index("run"), on="run").height == samples.height


def test_readers_of_histogram_logs_read_the_quantiles() -> None:
    for index, run in enumerate(pb.load(GOLDEN).runs):
        reader = HistogramLogReader(str(GOLDEN / f"histograms/{index}.hlog"), HdrHistogram(1, 1 << 42, 3))
        found = reader.get_next_interval_histogram()
        reader.close()
        assert found is not None
        assert found.get_total_count() == run["ledger"]["ok"]
        assert found.get_value_at_percentile(50) / 1e6 == pytest.approx(run["response_p50_ms"], rel=0.001)


def test_sweeps_with_failures_are_read_as_well(tmp_path: Path) -> None:
    """A cause of failure that only a late line has, and runs without figures."""
    store = RunStore.create(tmp_path, {"workload": "pricing"})
    timed_out = records.starved("reactive", 1) | {"failures": {"timeout": 3}}
    for run in (records.starved("thread_pool"), records.failed("reactive", 400, 0), timed_out):
        store.append(run, [{"t_s": 0.1, "in_flight": 3}])
    frames = (
        pd.read_json(tmp_path / "runs.jsonl", lines=True),
        pl.read_ndjson(tmp_path / "runs.jsonl", infer_schema_length=None),
    )
    assert [list(frame["status"]) for frame in frames] == [["ok", "failed: killed by signal 9", "ok"]] * 2
    assert frames[0]["failures"][2] == {"timeout": 3}
    assert frames[1]["failures"].struct.field("timeout").to_list() == [None, None, 3]
