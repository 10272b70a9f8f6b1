"""`parkbench advise DIR`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_advice import few_workers

from parkbench import cli
from parkbench.result import SweepResult


@pytest.fixture
def directory(tmp_path: Path) -> str:
    SweepResult({"workload": "pricing"}, few_workers()).save(tmp_path / "sweep")
    return str(tmp_path / "sweep")


def test_text_and_json(directory: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["advise", directory]) == 0
    assert capsys.readouterr().out.startswith("Advice: virtual_threads\n")
    assert cli.call(["advise", directory, "--json", "--answer", "team=yes", "--answer", "users=10"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "virtual_threads"
    assert "team" not in found["open_questions"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "advise needs the directory of a sweep"),
        (["missing"], "holds no sweep"),
        (["DIR", "--answer", "tem=yes"], "no question is called tem; did you mean team?"),
        (["DIR", "--answer", "team"], "--answer takes KEY=VALUE"),
    ],
)
def test_wrong_use_is_one_sentence(
    directory: str, arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.call(["advise", *(directory if word == "DIR" else word for word in arguments)]) == 2
    assert sentence in capsys.readouterr().err


def test_without_a_verdict_the_exit_code_is_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [{**run, "transport": "direct"} for run in few_workers()]
    SweepResult({"workload": "pricing"}, runs).save(tmp_path / "direct")
    assert cli.call(["advise", str(tmp_path / "direct")]) == 0
    assert capsys.readouterr().out.startswith("No advice\nNo verdict: measured over direct")
