"""What is on disk after every run, and after a crash in the middle of one."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

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
    assert read.timeline[2] == {"run": 1, "name": "reactive", "model": "reactive", "leg": None, "concurrency": 400,
                                "rate_rps": None, "repeat": 1, "t_s": 0.1, "in_flight": 3}  # fmt: skip


def test_the_layout(tmp_path: Path) -> None:
    filled(tmp_path)
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {"sweep.json", "runs.jsonl", "timeline.jsonl"} | {f"histograms/{n}.hlog" for n in range(3)}
    assert json.loads((tmp_path / "sweep.json").read_text())["schema"] == SCHEMA
    lines = (tmp_path / "runs.jsonl").read_text().splitlines()
    said = [json.loads(line)["details"]["histogram"] for line in lines]
    assert said == [{"unit": "ns", "file": f"histograms/{n}.hlog"} for n in range(3)]
    assert (tmp_path / "histograms/0.hlog").read_text().startswith("#[Logged by parkbench")


def test_every_run_is_on_disk_when_append_returns(tmp_path: Path) -> None:
    store = RunStore.create(tmp_path, SWEEP)
    for repeat in range(3):
        store.append(records.starved("reactive", repeat))
        assert len(RunStore.read(tmp_path).runs) == repeat + 1


@settings(deadline=None, max_examples=25)
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


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    (tmp_path / "sweep.json").write_text(json.dumps({"schema": SCHEMA + 1}))
    with pytest.raises(ConfigError, match=f"has schema {SCHEMA + 1}; this version of parkbench reads up to {SCHEMA}"):
        RunStore.read(tmp_path)


@pytest.mark.parametrize(
    "text", ['{"schema": null}', '{"schema": "1"}', '{"schema": 0}', '{"schema": true}', "[]", "5", "{}"]
)
def test_a_foreign_sweep_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "sweep.json").write_text(text)
    with pytest.raises(ConfigError, match=r"holds no sweep of parkbench: its sweep.json has no schema number"):
        RunStore.read(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("sweep.json", b"{", "sweep.json cannot be read"),
        ("sweep.json", b"\xff\xfe\x00", "sweep.json cannot be read"),
        ("sweep.json", b"[" * 100_000, "sweep.json cannot be read"),
        ("sweep.json", b'{"schema": 2, "environment": 5}', "its environment is no object"),
        ("runs.jsonl", b"{}\n", "line 1 of .*runs.jsonl is no run: its name is missing, not a word"),
        ("runs.jsonl", b"<html>\n<body>\n", "line 1 of .*runs.jsonl cannot be read"),
        ("timeline.jsonl", b'{"t_s": 0.1}\n', "line 1 of .*timeline.jsonl is no sample: its run is missing"),
    ],
)
def test_a_broken_file_is_one_sentence(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    filled(tmp_path, 1)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ParkbenchError, match=words) as caught:
        RunStore.read(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_a_directory_is_one_sentence(tmp_path: Path) -> None:
    filled(tmp_path, 1)
    (tmp_path / "runs.jsonl").unlink()
    (tmp_path / "runs.jsonl").mkdir()
    with pytest.raises(ParkbenchError, match=r"runs.jsonl cannot be read: Is a directory"):
        RunStore.read(tmp_path)


@pytest.mark.parametrize("content", [None, b"", b"\xff", b"0.0,1.0,2.0,HISTx\n"])
def test_a_run_without_its_histogram_has_every_figure(tmp_path: Path, content: bytes | None) -> None:
    store = filled(tmp_path, 1)
    if content is None:
        (tmp_path / "histograms/0.hlog").unlink()
    else:
        (tmp_path / "histograms/0.hlog").write_bytes(content)
    run = RunStore.read(tmp_path).runs[0]
    assert "histogram" not in run["details"]
    del store.runs[0]["details"]["histogram"]
    assert run == store.runs[0]


def test_a_histogram_that_no_log_can_hold_stays_in_its_line(tmp_path: Path) -> None:
    run = records.starved("reactive")
    run["details"]["histogram"] = {"unit": "bars", "counts": [[1.5, 2]]}
    RunStore.create(tmp_path, SWEEP).append(run)
    assert not (tmp_path / "histograms/0.hlog").exists()
    assert RunStore.read(tmp_path).runs == [run]


def test_reading_without_histograms(tmp_path: Path) -> None:
    filled(tmp_path, 1)
    (run,) = RunStore.read(tmp_path, histograms=False).runs
    assert run["details"]["histogram"] == {"unit": "ns", "file": "histograms/0.hlog"}


def test_going_on_takes_away_what_a_crash_left(tmp_path: Path) -> None:
    filled(tmp_path, 2)
    for stray in ("histograms/2.hlog", "histograms/.2.hlog.77", ".sweep.json.77", ".runs.jsonl.77"):
        (tmp_path / stray).write_text("half")
    for own in ("charts.png", "histograms/notes.txt"):
        (tmp_path / own).write_text("mine")
    RunStore.resume(tmp_path)
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {"sweep.json", "runs.jsonl", "timeline.jsonl", "charts.png", "histograms/notes.txt",
                     "histograms/0.hlog", "histograms/1.hlog"}  # fmt: skip


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
    known = {"name": "x", "model": "reactive", "concurrency": 1, "repeat": 1, "status": "ok"}
    store.append({**known, "a": math.nan, "b": [math.inf, 1.5], "c": np.float64(2.5), "d": np.int64(3)})
    assert RunStore.read(tmp_path).runs == [{**known, "a": None, "b": [None, 1.5], "c": 2.5, "d": 3}]
    store.update_sweep({"low": math.nan, "pair": (1, 2)})
    assert store.sweep == RunStore.read(tmp_path).sweep == {**SWEEP, "low": None, "pair": [1, 2]}


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
