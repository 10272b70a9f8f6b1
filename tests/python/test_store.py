"""What is on disk after every run, and after a crash in the middle of one."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest
import run_records as records
from hypothesis import given, settings
from hypothesis import strategies as st

from parkbench.errors import ConfigError, ParkbenchError
from parkbench.store import SCHEMA, RunStore, check_target, save

SWEEP = {"workload": "pricing", "seed": 7}
SAMPLES = [{"t_s": 0.1, "in_flight": 3}, {"t_s": 0.2, "in_flight": 4}]


def filled(path: Path, runs: int = 3) -> RunStore:
    store = RunStore.create(path, SWEEP)
    for repeat in range(runs):
        assert store.append(records.starved("reactive", repeat), SAMPLES) == repeat
    return store


def test_what_was_written_is_read(tmp_path: Path) -> None:
    written, read = filled(tmp_path / "new" / "deep"), RunStore.read(tmp_path / "new" / "deep")
    assert read.sweep == SWEEP
    assert read.runs == written.runs == [records.starved("reactive", repeat) for repeat in range(3)]
    assert read.timeline == written.timeline
    assert read.timeline[2] == {"run": 1, "name": "reactive", "model": "reactive", "concurrency": 400, "repeat": 1,
                                "t_s": 0.1, "in_flight": 3}  # fmt: skip


def test_the_layout(tmp_path: Path) -> None:
    filled(tmp_path)
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {"sweep.json", "runs.jsonl", "timeline.jsonl"} | {f"histograms/{n}.json" for n in range(3)}
    assert json.loads((tmp_path / "sweep.json").read_text())["schema"] == SCHEMA
    lines = (tmp_path / "runs.jsonl").read_text().splitlines()
    assert ["histogram" in json.loads(line)["details"] for line in lines] == [False] * 3
    assert json.loads((tmp_path / "histograms/0.json").read_text())["unit"] == "ns"


def test_every_run_is_on_disk_when_append_returns(tmp_path: Path) -> None:
    store = RunStore.create(tmp_path, SWEEP)
    for repeat in range(3):
        store.append(records.starved("reactive", repeat))
        assert len(RunStore.read(tmp_path).runs) == repeat + 1


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_a_crash_at_any_byte_loses_at_most_the_last_run(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("cut")
    filled(path)
    runs = path / "runs.jsonl"
    whole = runs.read_bytes()
    last_line = whole.rstrip(b"\n").rfind(b"\n") + 1
    runs.write_bytes(whole[: data.draw(st.integers(last_line, len(whole) - 1))])
    assert len(RunStore.read(path).runs) == 2
    store = RunStore.resume(path)
    assert {row["run"] for row in store.timeline} == {0, 1}
    assert store.append(records.starved("reactive", 9), SAMPLES) == 2
    again = RunStore.read(path)
    assert [run["repeat"] for run in again.runs] == [0, 1, 9]
    assert [row["run"] for row in again.timeline] == [0, 0, 1, 1, 2, 2]


def test_samples_of_a_run_that_was_never_finished_are_dropped(tmp_path: Path) -> None:
    filled(tmp_path, 1)
    with (tmp_path / "timeline.jsonl").open("a") as file:
        file.write('{"run":1,"t_s":0.1}\n{"run":1,"t_')
    assert {row["run"] for row in RunStore.read(tmp_path).timeline} == {0}
    RunStore.resume(tmp_path)
    assert (tmp_path / "timeline.jsonl").read_text().count("\n") == 2


def test_reading_changes_nothing(tmp_path: Path) -> None:
    filled(tmp_path)
    (tmp_path / "runs.jsonl").write_text((tmp_path / "runs.jsonl").read_text() + '{"name": "re')
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    RunStore.read(tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_broken_line_in_the_middle_is_named(tmp_path: Path) -> None:
    filled(tmp_path)
    lines = (tmp_path / "runs.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "runs.jsonl").write_text(lines[0] + "garbage\n" + lines[2])
    with pytest.raises(ParkbenchError, match=r"line 2 of .*runs\.jsonl cannot be read"):
        RunStore.read(tmp_path)


@pytest.mark.parametrize("schema", [SCHEMA + 1, None, "1", 0])
def test_an_unknown_schema_is_refused(tmp_path: Path, schema: Any) -> None:
    (tmp_path / "sweep.json").write_text(json.dumps({"schema": schema}))
    with pytest.raises(ConfigError, match="reads up to 1"):
        RunStore.read(tmp_path)


def test_no_sweep_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"holds no sweep"):
        RunStore.read(tmp_path / "missing")
    (tmp_path / "sweep.json").write_text("{")
    with pytest.raises(ParkbenchError, match="cannot be read"):
        RunStore.read(tmp_path)


def test_a_directory_in_use_is_refused(tmp_path: Path) -> None:
    check_target(tmp_path)
    check_target(tmp_path / "a" / "b")
    assert list(tmp_path.iterdir()) == []  # checking makes nothing
    filled(tmp_path / "old")
    with pytest.raises(ConfigError, match=r"is not empty: .*--resume"):
        RunStore.create(tmp_path / "old", SWEEP)
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigError, match="is not a directory"):
        check_target(tmp_path / "file")
    with pytest.raises(ConfigError, match=r"cannot make .*file/deeper"):
        check_target(tmp_path / "file" / "deeper")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_without_permission_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(ConfigError, match="permission denied"):
        check_target(tmp_path / "new")


def test_without_a_directory_all_stays_in_memory() -> None:
    store = RunStore.create(None, SWEEP)
    store.append(records.starved("reactive"), SAMPLES)
    store.update_sweep({"ended": True})
    assert (len(store.runs), len(store.timeline), store.sweep["ended"]) == (1, 2, True)


def test_what_json_cannot_say_becomes_null(tmp_path: Path) -> None:
    import numpy as np

    store = RunStore.create(tmp_path, SWEEP)
    store.append({"name": "x", "a": math.nan, "b": [math.inf, 1.5], "c": np.float64(2.5), "d": np.int64(3)})
    assert RunStore.read(tmp_path).runs == [{"name": "x", "a": None, "b": [None, 1.5], "c": 2.5, "d": 3}]


def test_sweep_json_is_replaced_as_a_whole(tmp_path: Path) -> None:
    store = filled(tmp_path)
    store.update_sweep({"ended_at": "2024-05-01"})
    assert RunStore.read(tmp_path).sweep == {**SWEEP, "ended_at": "2024-05-01"}
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_saving_a_whole_sweep(tmp_path: Path) -> None:
    source = filled(tmp_path / "a")
    save(tmp_path / "b", source.sweep, source.runs, source.timeline)
    copy = RunStore.read(tmp_path / "b")
    assert (copy.sweep, copy.runs, copy.timeline) == (source.sweep, source.runs, source.timeline)


def test_a_place_where_nothing_can_be_made_is_refused() -> None:
    with pytest.raises(ConfigError, match="cannot write to"):
        RunStore.create("/proc/parkbench", SWEEP)


def test_samples_inside_a_record_go_to_the_timeline(tmp_path: Path) -> None:
    store = RunStore.create(tmp_path, {"schema": 1, **SWEEP})
    store.append({**records.starved("reactive"), "timeline": SAMPLES})
    read = RunStore.read(tmp_path)
    assert "timeline" not in read.runs[0]
    assert [row["t_s"] for row in read.timeline] == [0.1, 0.2]
    assert read.sweep == store.sweep == SWEEP
