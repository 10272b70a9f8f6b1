"""What the end of a session saves and shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from plugin_support import summary

from parkbench.plugin.outcomes import Outcomes, rows_of
from parkbench.plugin.settings import Settings


def entry(test: str = "t", **changes: Any) -> dict[str, Any]:
    given: dict[str, Any] = {
        "test": test, "form": "stored", "summary": summary([10.0, 12.0]), "broken": None, "workers": 1,
        "confirmations": 0, "record": None, "rows": [], "passed": True, "by_its_figures": True,
    }  # fmt: skip
    return {**given, **changes}


def saved(folder: Path, entries: list[dict[str, Any]], **settings: Any) -> dict[str, list[str]]:
    """The names of baselines and the tests in each, after the end of a session with those entries."""
    outcomes = Outcomes(Settings(folder / "kept", **settings), folder)
    outcomes.add(entries)
    outcomes.save()
    return {
        path.stem: sorted(json.loads(path.read_text())["sessions"][0]["tests"]) for path in folder.glob("kept/*/*.json")
    }


def test_nothing_is_saved_unless_asked(tmp_path: Path) -> None:
    assert saved(tmp_path, [entry()]) == {}
    assert saved(tmp_path, [], save="main", json=tmp_path / "file") == {}
    assert list(tmp_path.iterdir()) == []


def test_who_is_saved_where(tmp_path: Path) -> None:
    entries = [
        entry("passed"),
        entry("slower", passed=False),
        entry("wrong", passed=False, by_its_figures=False),
        entry("first", record="baseline"),
        entry("broken", broken="thread_pool: failed: why"),
        entry("beside", workers=4),
        entry("empty", summary={**summary([1.0]), "cells": []}),
    ]
    found = saved(tmp_path, entries, save="main", autosave=True)
    assert found.pop("main") == ["first", "passed", "slower"]
    assert found.pop("baseline") == ["first"]
    ((name, tests),) = found.items()
    assert name.startswith("day-") and tests == ["first", "passed"]


def test_a_disk_that_refuses_is_a_notice(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("")
    outcomes = Outcomes(Settings(tmp_path / "kept", save="main", json=tmp_path / "gone" / "file"), tmp_path)
    outcomes.add([entry()])
    outcomes.save()
    (first, second) = outcomes.notices
    assert "cannot be saved: Not a directory" in first
    assert second.endswith("cannot be written: No such file or directory")


def test_a_sweep_compared_with_nothing_shows_its_figure() -> None:
    (row,) = rows_of(entry(), "response_mean_ms")
    assert (row["now"], row["verdict"], row["load"]) == (pytest.approx(11), "-", "400 users")
    row = {"name": "x", "figure": "cpu_s"}
    assert rows_of(entry(rows=[row]), "response_mean_ms") == [row]


def test_notes_are_said_once(tmp_path: Path) -> None:
    outcomes = Outcomes(Settings(tmp_path), tmp_path)
    row = {
        "name": "reactive",
        "load": "5 users",
        "figure": "cpu_s",
        "now": 1.0,
        "verdict": "new",
        "notes": ["no baseline yet"],
    }
    outcomes.add([entry(rows=[row, row]), entry("u", workers=2), entry("v", broken="it failed")])
    assert outcomes.notes() == [
        "t, reactive: no baseline yet",
        "v: it failed",
        "noisy: measured while 2 workers ran tests (-n), and saved nowhere; run benchmarks alone",
    ]
    assert outcomes.heading == "parkbench"
    assert [line.text.split()[0] for line in outcomes.table(100)] == ["test", "t", "t", "u", "v"]
