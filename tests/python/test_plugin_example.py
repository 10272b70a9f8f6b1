"""The example project, as a user runs it after copying it: pytest in a process of its own, the compiled core."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from plugin_support import arguments

PROJECT = Path(__file__).resolve().parent.parent / "example_project"


@pytest.mark.slow
def test_the_example_project_records_then_compares(tmp_path: Path) -> None:
    project = shutil.copytree(PROJECT, tmp_path / "project", ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments()]
    environment = {**os.environ, "SECONDS_PER_RUN": "0.05", "COLUMNS": "120", "PYTHONDONTWRITEBYTECODE": "1"}

    def session(*more: str) -> str:
        done = subprocess.run([*command, *more], cwd=project, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    first = session("-k", "hundred or memory")
    assert "2 passed" in first
    assert "1 benchmark saved as baseline in baselines/" in first
    second = session("--parkbench-json=out.json", "-k", "memory")
    assert "rss_peak_mib" in second
    (test,) = json.loads((project / "out.json").read_text())["tests"]
    (row,) = test["rows"]
    assert (row["against"], row["sessions"], row["verdict"] == "new") == ("baseline", 1, False)
    assert row["ratio"] == pytest.approx(1, abs=0.2)
