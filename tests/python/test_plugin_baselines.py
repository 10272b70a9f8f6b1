"""Baselines on disk: found, kept apart by machine, odd ones survived."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from plugin_support import summary

from parkbench.errors import ConfigError, ParkbenchError
from parkbench.plugin import baselines
from parkbench.plugin.baselines import Baseline, Storage

HERE = {"machine": "x86_64", "cpu_model": "A", "cpus": 2}
CELL = ("thread_pool", "closed", 400, 0.0)


def storage(folder: Path, **changes: Any) -> Storage:
    return Storage(folder, {**HERE, **changes})


def test_what_is_saved_is_found_and_several_sessions_stay(tmp_path: Path) -> None:
    here = storage(tmp_path / "kept")
    assert here.find("t", "main") is None
    assert not (tmp_path / "kept").exists()
    for value in (10.0, 11.0):
        here.save("main", {"t": summary([value])}, "abc")
    found = here.find("t", "main")
    assert found is not None and found.name == "main"
    assert [session["cells"][0]["figures"]["response_mean_ms"] for session in found.sessions] == [[10.0], [11.0]]
    assert here.find("other", "main") is None
    assert here.find("t", "other") is None


def test_the_last_twenty_sessions_stay(tmp_path: Path) -> None:
    here = storage(tmp_path)
    for value in range(1, 24):
        path = here.save("main", {"t": summary([float(value)])}, None)
    found = here.find("t", "main")
    assert found is not None and len(found.sessions) == 20
    assert found.sessions[0]["cells"][0]["figures"]["response_mean_ms"] == [4.0]
    assert sorted(file.name for file in path.parent.iterdir()) == [".lock", "main.json"]


def test_latest_is_the_last_saved_that_has_the_test(tmp_path: Path) -> None:
    here = storage(tmp_path)
    for name, test, day in (("b", "t", 1), ("a", "t", 2), ("z", "other", 3)):
        path = here.save(name, {test: summary([1.0])}, None)
        kept = json.loads(path.read_text())
        kept["sessions"][0]["saved_at"] = f"2024-05-0{day}"
        path.write_text(json.dumps(kept))
    found = here.find("t", "latest")
    assert found is not None and found.name == "a"


def test_another_machine_is_told(tmp_path: Path) -> None:
    storage(tmp_path, cpu_model="B", cpus=8).save("main", {"t": summary([1.0])}, None)
    here = storage(tmp_path)
    assert here.find("t", "latest") is None
    assert here.elsewhere("t", "latest") == "cpu_model B and A, cpus 8 and 2"
    assert here.elsewhere("t", "other") is None
    assert here.elsewhere("other", "latest") is None


@pytest.mark.parametrize(
    "text",
    ["{}", '{"sessions": null}', '{"sessions": [1, {}, {"tests": 5}, {"tests": {"t": 5}}, {"tests": {"t": null}}]}'],
)
def test_what_a_file_lacks_is_not_there(tmp_path: Path, text: str) -> None:
    here = storage(tmp_path)
    path = here.save("main", {"t": summary([1.0])}, None)
    path.write_text(text)
    assert here.find("t", "latest") is None
    here.save("main", {"t": summary([1.0])}, None)
    assert here.find("t", "latest") is not None


@pytest.mark.parametrize(("text", "words"), [("{", "remove it or save it anew"), ("[]", "it holds no object"),
                                             ('{"schema": 99}', "has schema 99")])  # fmt: skip
def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    here = storage(tmp_path)
    path = here.save("main", {"t": summary([1.0])}, None)
    path.write_text(text)
    with pytest.raises(ParkbenchError, match=words) as caught:
        here.find("t", "latest")
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ConfigError) == ("schema" in text)


def test_a_storage_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ParkbenchError, match="cannot be saved: Not a directory"):
        storage(tmp_path / "file").save("main", {"t": summary([1.0])}, None)


def test_the_level_of_now_and_those_before() -> None:
    few = Baseline("main", [summary([value] * 3) for value in (1.0, 1.0, 2.0, 2.0)])
    assert len(baselines.levels(few, CELL, "response_mean_ms").present) == 4
    values = [1.0, 1.01, 0.99, 1.0, 1.01, 0.99, 2.0, 2.02, 1.98, 2.0, 2.01]
    many = Baseline("main", [summary([value] * 3) for value in values])
    found = baselines.levels(many, CELL, "response_mean_ms")
    assert [one.repeats[0] for one in found.present] == values[6:]
    assert [len(level) for level in found.earlier] == [6]
    assert baselines.levels(many, CELL, "none").present == []


def test_the_commit(tmp_path: Path) -> None:
    assert baselines.commit(tmp_path) is None
    assert baselines.automatic_name(None).startswith("day-2")
    for command in ("init -q", "-c user.name=a -c user.email=a@b commit -q --allow-empty -m first"):
        subprocess.run(["git", *command.split()], cwd=tmp_path, check=True)
    clean = baselines.commit(tmp_path)
    assert clean is not None and len(clean) >= 7
    assert baselines.automatic_name(clean) == f"commit-{clean}"
    (tmp_path / "file").write_text("1")
    subprocess.run(["git", "add", "file"], cwd=tmp_path, check=True)
    assert baselines.commit(tmp_path) == f"{clean}-changed"
