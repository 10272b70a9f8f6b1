"""Files of every schema that there ever was: kept under tests/data as they were written, read as they were meant."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import parkbench as pb
from parkbench import hdr, manifest
from parkbench.record import FIGURES, PHASES
from parkbench.store import SCHEMA, RunStore

DATA = Path(__file__).resolve().parent.parent / "data"
SCHEMAS = {1: DATA / "store_schema_1", 2: DATA / "store_schema_2"}
WORKLOADS = ("noop", "sleep")
GOLDEN = [(schema, workload) for schema in SCHEMAS for workload in WORKLOADS]


def test_there_is_a_golden_file_for_every_schema() -> None:
    assert set(SCHEMAS) == set(range(1, SCHEMA + 1))
    for schema, workload in GOLDEN:
        assert json.loads((SCHEMAS[schema] / workload / "sweep.json").read_text())["schema"] == schema


@pytest.mark.parametrize(("schema", "workload"), GOLDEN)
def test_it_is_read_with_every_figure_phase_sample_and_bucket(schema: int, workload: str) -> None:
    result = pb.load(SCHEMAS[schema] / workload)
    assert len(result.runs) == 4
    for run in result.runs:
        assert run["status"] == "ok"
        assert run["workload"] == workload
        known = [figure for figure in FIGURES if figure in run]  # a later version may know more
        assert len(known) >= 25
        assert all(isinstance(run[figure], (int, float)) for figure in known if figure != "response_p99_ms")
        assert set(run["phases_ms"]) == set(PHASES)
        histogram = run["details"]["histogram"]
        assert histogram["unit"] == "ns"
        assert sum(count for _, count in histogram["counts"]) == run["ledger"]["ok"] - histogram["overflow"]
        assert histogram["counts"] == hdr.aligned(histogram["counts"])
    assert set(result.timeline["run"]) == {0, 1, 2, 3}
    assert result.frame["throughput_rps"].min() > 0


@pytest.mark.parametrize(("schema", "workload"), GOLDEN)
def test_everything_that_is_made_of_a_result_can_be_made_of_it(schema: int, workload: str) -> None:
    result = pb.load(SCHEMAS[schema] / workload)
    assert workload in result.table(terminal=False)
    assert result.explain().lines()
    assert result.audit()["checks"]
    assert json.loads(json.dumps(result.to_json(), allow_nan=False))["schema"] == 1
    frame = pb.compare(result, result, unpaired=True)
    assert set(frame["ratio"].dropna()) == {1.0}


@pytest.mark.parametrize("schema", SCHEMAS)
def test_the_histogram_carries_the_quantiles_that_were_printed(schema: int) -> None:
    """The core computed them from its own histogram, before anything was stored."""
    for run in pb.load(SCHEMAS[schema] / "noop").runs:
        counts = run["details"]["histogram"]["counts"]
        rank, seen = run["ledger"]["ok"] / 2, 0
        for value, count in counts:
            seen += count
            if seen >= rank:
                assert value / 1e6 == pytest.approx(run["response_p50_ms"], rel=hdr.RELATIVE_ERROR, abs=1e-6)
                break


@pytest.mark.parametrize("workload", WORKLOADS)
def test_going_on_brings_an_old_sweep_up_to_this_schema(tmp_path: Path, workload: str) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(SCHEMAS[1] / workload, copy)
    before = RunStore.read(copy)
    RunStore.resume(copy)
    after = RunStore.read(copy)
    assert after.runs == before.runs
    assert after.timeline == before.timeline
    assert after.sweep == before.sweep
    assert json.loads((copy / "sweep.json").read_text())["schema"] == SCHEMA
    assert sorted(path.name for path in (copy / "histograms").iterdir()) == [f"{n}.hlog" for n in range(4)]


def test_an_upgrade_that_a_crash_cut_short_is_read_as_well(tmp_path: Path) -> None:
    """The new histograms are written first, the old ones removed last."""
    copy = tmp_path / "copy"
    shutil.copytree(SCHEMAS[1] / "sleep", copy)
    before = RunStore.read(copy).runs
    whole = tmp_path / "whole"
    shutil.copytree(copy, whole)
    RunStore.resume(whole)
    shutil.copy(whole / "histograms" / "0.hlog", copy / "histograms")
    assert RunStore.read(copy).runs == before
    shutil.copytree(whole / "histograms", copy / "histograms", dirs_exist_ok=True)
    shutil.copy(whole / "runs.jsonl", copy)
    assert RunStore.read(copy).runs == before
    RunStore.resume(copy)
    assert RunStore.read(copy).runs == before


def test_a_finished_sweep_of_schema_1_needs_no_run_to_go_on(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(SCHEMAS[1] / "noop", copy)
    before = [run["started_at"] for run in RunStore.read(copy).runs]
    result = pb.sweep("noop", resume=copy, quiet=True)
    assert [run["started_at"] for run in result.runs] == before
    assert manifest.is_there(copy)


def test_the_golden_file_of_this_schema_is_whole() -> None:
    for workload in WORKLOADS:
        assert manifest.is_there(SCHEMAS[SCHEMA] / workload)
        assert manifest.differences(SCHEMAS[SCHEMA] / workload) == []


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_field_that_holds_something_else_makes_loading_crash(tmp_path: Path, data: st.DataObject) -> None:
    """One sentence, or a result whose frames can be made."""
    directory = tmp_path / "junk"
    shutil.copytree(SCHEMAS[2] / "sleep", directory, dirs_exist_ok=True)
    name = data.draw(st.sampled_from(["sweep.json", "runs.jsonl", "timeline.jsonl"]))
    lines = [json.loads((directory / name).read_text())] if name == "sweep.json" else [
        json.loads(line) for line in (directory / name).read_text().splitlines()
    ]  # fmt: skip
    place: Any = lines[0]
    key = data.draw(st.sampled_from(sorted(place)))
    while isinstance(place[key], dict) and place[key] and data.draw(st.booleans()):
        place = place[key]
        key = data.draw(st.sampled_from(sorted(place)))
    place[key] = data.draw(JUNK)
    (directory / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    try:
        result = pb.load(directory)
    except pb.ParkbenchError as error:
        assert "\n" not in str(error)
    else:
        assert len(result.frame) == 4
        assert len(result.timeline) >= 0


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_broken_byte_makes_loading_crash(tmp_path: Path, data: st.DataObject) -> None:
    directory = tmp_path / "bytes"
    shutil.copytree(SCHEMAS[2] / "noop", directory, dirs_exist_ok=True)
    name = data.draw(st.sampled_from(["sweep.json", "runs.jsonl", "timeline.jsonl", "histograms/0.hlog"]))
    content = bytearray((directory / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    (directory / name).write_bytes(content)
    try:
        pb.load(directory)
    except pb.ParkbenchError as error:
        assert "\n" not in str(error)
