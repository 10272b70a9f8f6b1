"""The manifest: there where a sweep came to its end, and true as long as nobody changed a file."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import run_records as records

from parkbench import manifest
from parkbench.store import RunStore


def ended(path: Path) -> RunStore:
    store = RunStore.create(path, {"workload": "pricing"})
    for repeat in range(2):
        store.append(records.starved("reactive", repeat), [{"t_s": 0.1}])
    store.finish({"ended_at": "2024-05-01T12:00:00+00:00"})
    return store


def test_it_names_every_file_with_size_lines_and_sum(tmp_path: Path) -> None:
    ended(tmp_path)
    found = json.loads((tmp_path / "manifest.json").read_text())
    assert (found["schema"], found["runs"]) == (2, 2)
    files = {file["path"]: file for file in found["files"]}
    assert set(files) == {"sweep.json", "runs.jsonl", "timeline.jsonl", "histograms/0.hlog", "histograms/1.hlog"}
    assert {name: files[name]["lines"] for name in ("runs.jsonl", "timeline.jsonl")} == {
        "runs.jsonl": 2, "timeline.jsonl": 2,
    }  # fmt: skip
    for name, file in files.items():
        content = (tmp_path / name).read_bytes()
        assert file["bytes"] == len(content)
        assert file["sha256"] == hashlib.sha256(content).hexdigest()
    assert manifest.differences(tmp_path) == []


def test_it_is_there_only_while_nothing_goes_on(tmp_path: Path) -> None:
    store = RunStore.create(tmp_path / "a", {})
    assert not store.is_complete
    store.append(records.starved("reactive"))
    assert not RunStore.read(tmp_path / "a").is_complete
    store.finish({})
    assert RunStore.read(tmp_path / "a").is_complete
    store.append(records.starved("reactive", 1))
    assert not store.is_complete
    store.finish({})
    store.update_sweep({"note": "x"})
    assert not store.is_complete
    store.finish({})
    assert not RunStore.resume(tmp_path / "a").is_complete
    assert not RunStore(None, {}).is_complete


@pytest.mark.parametrize("name", ["runs.jsonl", "histograms/1.hlog"])
def test_a_changed_file_is_named(tmp_path: Path, name: str) -> None:
    ended(tmp_path)
    text = (tmp_path / name).read_text()
    (tmp_path / name).write_text(text.replace("1", "2", 1))
    assert manifest.differences(tmp_path) == [f"{tmp_path / name} is not what it was when the sweep ended"]
    (tmp_path / name).unlink()
    assert manifest.differences(tmp_path) == [f"{tmp_path / name} is missing: it was there when the sweep ended"]


def test_a_broken_manifest_is_one_sentence(tmp_path: Path) -> None:
    assert manifest.differences(tmp_path) == []
    for text in ("{", "[]", '{"files": [5]}', '{"files": [{"path": "x"}]}'):
        (tmp_path / "manifest.json").write_text(text)
        assert len(manifest.differences(tmp_path)) == 1
