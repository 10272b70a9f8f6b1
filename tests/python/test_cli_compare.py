"""`parkbench compare A B`: exit codes, the one object, the table and the sentences."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from test_comparability import made, workers_sweep

from parkbench import cli
from parkbench.comparison import COLUMNS


@pytest.fixture
def saved(tmp_path: Path) -> tuple[str, str]:
    slower = copy.deepcopy(workers_sweep(5))
    for run in slower:
        run["response_mean_ms"] *= 1.5
    made().save(tmp_path / "a")
    made(slower).save(tmp_path / "b")
    return str(tmp_path / "a"), str(tmp_path / "b")


def other_session(tmp_path: Path, **changes: Any) -> str:
    made(session="two", **changes).save(tmp_path / "other")
    return str(tmp_path / "other")


def test_a_table_and_the_sentences(saved: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["compare", *saved]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert lines[0] == f"A {saved[0]}, B {saved[1]}; paired by repeat"
    assert lines[1].split() == [
        "load",
        "name",
        "figure",
        "A",
        "B",
        "B",
        "/",
        "A",
        "95",
        "%",
        "finds",
        "from",
        "verdict",
    ]
    row = next(line for line in lines if "thread_pool" in line and "response mean" in line)
    assert row.split()[0] == "300"
    assert "1.500" in row
    assert row.endswith("slower")
    assert any(line.startswith("thread_pool at 300 is slower: response mean") for line in lines)


def test_one_object(saved: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["compare", *saved, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    found = json.loads(out)
    assert list(found) == ["comparable", "a", "b", "rows", "text"]
    assert found["comparable"] is True
    assert list(found["rows"][0]) == list(COLUMNS)
    assert found["rows"][0]["rate_rps"] is None
    assert {row["verdict"] for row in found["rows"] if row["figure"] == "response_mean_ms"} == {"slower"}


def test_other_sessions_are_refused_with_exit_code_1_and_compared_when_asked(
    saved: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = other_session(tmp_path)
    assert cli.call(["compare", saved[0], other]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("parkbench: not comparable: measured in different sessions")
    assert "--unpaired compares them all the same" in err
    assert err.count("\n") == 1
    assert cli.call(["compare", saved[0], other, "--unpaired"]) == 0
    assert "unpaired, what changed on the machine in between is in it" in capsys.readouterr().out


def test_another_machine_is_refused_also_as_an_object(
    saved: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = other_session(tmp_path, environment={"cpu_model": "B"})
    assert cli.call(["compare", saved[0], other, "--unpaired", "--json"]) == 1
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert found["comparable"] is False
    assert found["reason"].startswith("not comparable: cpu_model differs: A and B;")
    assert err == f"parkbench: {found['reason']}\n"


@pytest.mark.parametrize("arguments", [["compare"], ["compare", "missing"], ["compare", "missing", "missing"]])
def test_a_wrong_directory_is_wrong_use(
    arguments: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.call(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1


def test_an_edited_file_is_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(ended_at="2024-05-01T12:01:00+00:00").save(tmp_path / "a")
    assert cli.call(["compare", str(tmp_path / "a"), str(tmp_path / "a")]) == 0
    assert capsys.readouterr().err == ""
    text = (tmp_path / "a" / "runs.jsonl").read_text()
    (tmp_path / "a" / "runs.jsonl").write_text(text.replace("0.98", "0.97"))
    assert cli.call(["compare", str(tmp_path / "a"), str(tmp_path / "a")]) == 0
    assert "parkbench: note: " in capsys.readouterr().err
