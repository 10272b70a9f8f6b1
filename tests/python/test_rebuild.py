"""A report can be built again from the directory, bit for bit: the object, the table, sentences, frames and charts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import parkbench as pb
from parkbench.cli import output


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[pb.SweepResult, Path]:
    """A real sweep as it came back, and its directory."""
    out = tmp_path_factory.mktemp("rebuild") / "out"
    result = pb.sweep("sleep", models="reactive,thread_pool", concurrency=[5, 20], sleep_ms=2, duration=0.1, warmup=0,
                      transport="direct", repeats=2, out=out, quiet=True)  # fmt: skip
    return result, out


def test_the_object_that_was_printed(measured: tuple[pb.SweepResult, Path], capsys: pytest.CaptureFixture[str]) -> None:
    result, out = measured
    output.show(result, as_json=True, directory=None)
    printed = capsys.readouterr().out
    output.show(pb.load(out), as_json=True, directory=None)
    assert capsys.readouterr().out == printed
    assert len(json.loads(printed)["runs"]) == 8


def drawn(result: pb.SweepResult) -> list[Any]:
    """The points of all lines and bars of the charts."""
    found: list[Any] = []
    for axes in result.plot().axes:
        found += [[list(line.get_xdata()), list(line.get_ydata())] for line in axes.get_lines()]  # type: ignore[arg-type]
        found += [repr(patch.get_path().vertices) for patch in axes.patches]
    return found


def test_table_sentences_frames_and_charts_are_those_of_the_sweep_itself(
    measured: tuple[pb.SweepResult, Path],
) -> None:
    result, out = measured
    again = pb.load(out)
    assert again.table(terminal=False) == result.table(terminal=False)
    assert again.table(terminal=True, width=200) == result.table(terminal=True, width=200)
    assert again.explain().lines() == result.explain().lines()
    assert str(again.audit()) == str(result.audit())
    assert again.runs == result.runs
    assert again.sweep == result.sweep
    assert again.frame.equals(result.frame)
    assert again.timeline.equals(result.timeline)
    assert drawn(again) == drawn(result) != []


def test_a_copy_is_the_same_to_the_byte(measured: tuple[pb.SweepResult, Path], tmp_path: Path) -> None:
    _, out = measured
    pb.load(out).save(tmp_path / "copy")
    files = sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())
    assert len(files) == 4 + 8
    for name in files:
        assert (tmp_path / "copy" / name).read_bytes() == (out / name).read_bytes(), name
