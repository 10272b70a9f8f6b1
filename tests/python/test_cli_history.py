"""`parkbench history DIR...`: the table, the object, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import run_records as records
from test_histories import MACHINE

from parkbench import cli
from parkbench.store import RunStore


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Ten sweeps; from the seventh on the mean response time is a tenth longer."""
    for day in range(10):
        sweep = {"workload": "pricing", "started_at": f"2024-05-{day + 1:02d}T12:00:00+00:00", "environment": MACHINE}
        store = RunStore.create(tmp_path / "all" / f"d{day}", sweep)
        for repeat in range(2):
            run = records.starved("reactive", repeat)
            run["response_mean_ms"] *= 1.1 if day >= 6 else 1.0
            store.append(run)
        store.finish({})
    return tmp_path / "all"


def test_a_table_with_the_line_and_the_change(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["history", str(folder), "--figure", "response_mean_ms"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    title, _, row, sentence = out.splitlines()[:4]
    assert title.startswith("response_mean_ms; pricing, direct")
    assert title.endswith("A, 2 CPUs, 4 GiB, x86_64")
    assert row.split()[:3] == ["400", "reactive", "10"]
    assert "▁▁▁▁▁▁████" in row
    assert row.endswith("+10.0 %")
    assert "(+10.0 %) with the sweep of 2024-05-07 12:00" in sentence


def test_one_object(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["history", str(folder), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["sweeps"], found["problems"]) == (10, [])
    assert {series["figure"] for series in found["series"]} == {
        "throughput_rps", "response_mean_ms", "response_p99_ms", "rss_peak_mib",
    }  # fmt: skip
    (mean,) = [series for series in found["series"] if series["figure"] == "response_mean_ms"]
    assert len(mean["points"]) == 10
    assert mean["changes"][0]["size"] == pytest.approx(0.1)
    assert mean["changes"][0]["index"] == 6


def test_a_broken_sweep_gives_exit_code_1_and_the_others_are_shown(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "d3" / "sweep.json").write_text("{")
    assert cli.call(["history", str(folder)]) == 1
    out, err = capsys.readouterr()
    assert "reactive" in out
    assert "sweep.json cannot be read" in err


def test_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["history"], ["history", str(tmp_path)], ["history", str(tmp_path), "--figure", "speed"]):
        assert cli.call(arguments) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.count("\n") == 1


def test_nothing_to_compare_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    RunStore.create(tmp_path / "a", {"workload": "noop"}).append(records.failed())
    assert cli.call(["history", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "No run in these sweeps can be compared.\n"
