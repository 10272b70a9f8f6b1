"""The result of a sweep in memory, on disk and as JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import run_records as records
from test_explain import Runs, article_sweep, workers_sweep

from parkbench.audit import audit_run
from parkbench.errors import ConfigError
from parkbench.result import SweepResult, load
from parkbench.store import RunStore

ENVIRONMENT = {"cpu_model": "A", "kernel": "6.1", "postgres": {"version": "18", "dsn": "x"}, "command": ["a"]}


def made(runs: Runs | None = None, **environment: Any) -> SweepResult:
    runs = workers_sweep(5) if runs is None else runs
    sweep = {"schema": 1, "workload": "pricing", "environment": {**ENVIRONMENT, **environment}}
    timeline = [{"run": index, "t_s": 0.1, "in_flight": index} for index in range(len(runs))]
    return SweepResult(sweep, [{**run, "audit": audit_run(run)} for run in runs], timeline)


def test_the_json_object_has_exactly_the_promised_keys() -> None:
    found = json.loads(json.dumps(made().to_json(), allow_nan=False))
    assert list(found) == ["schema", "sweep", "runs", "explain"]
    assert found["schema"] == 1
    assert "schema" not in found["sweep"]
    assert "details" not in found["runs"][0]
    assert len(found["runs"][0]["phases_ms"]) == 12
    assert [entry["kind"] for entry in found["explain"]] == ["model", "model", "pair", "pair"]


def test_saved_and_loaded_it_is_the_same(tmp_path: Path) -> None:
    result = made()
    result.save(tmp_path / "x")
    again = load(tmp_path / "x")
    assert again.runs == result.runs
    assert again.sweep == result.sweep
    assert again.to_json() == result.to_json()
    assert again.timeline["in_flight"].tolist() == result.timeline["in_flight"].tolist()
    with pytest.raises(ConfigError, match="not empty"):
        result.save(tmp_path / "x")


def test_a_run_made_again_replaces_the_one_that_failed() -> None:
    runs = workers_sweep(2)
    failed = records.failed("thread_pool", 300, 0)
    result = made([failed, *runs])
    assert [run["status"] for run in result.runs] == ["ok"] * 4
    assert result.timeline["in_flight"].tolist() == [1, 2, 3, 4]
    assert result.timeline["run"].tolist() == [0, 1, 2, 3]


def test_of_a_store_that_is_not_finished() -> None:
    store = RunStore.create(None, {"workload": "pricing"})
    store.append(workers_sweep(1)[0], [{"t_s": 0.1}])
    assert SweepResult.of(store).frame.shape[0] == 1


def test_explanation_is_a_list_and_shows_sentences() -> None:
    found = made(article_sweep()).explain()
    assert isinstance(found, list)
    assert found[0]["text"].startswith("unequal by design")
    assert str(found).startswith("unequal by design")
    assert "<p>" in found._repr_html_()


def test_audit_lists_every_check_with_its_run() -> None:
    runs = workers_sweep(2)
    runs[1]["ledger"]["ok"] -= 1
    audit = made(runs).audit()
    assert not audit.passed
    assert audit["passed"] is False
    count = len(audit["checks"])
    assert {check["run"] for check in audit["checks"]} == {0, 1, 2, 3}
    assert count >= 4 * 8
    passed = sum(check["passed"] for check in audit["checks"])
    assert passed < count
    assert str(audit).splitlines()[0] == f"{passed} of {count} checks passed"
    assert "ledger failed: virtual_threads at 300, repeat 0" in str(audit)
    assert made().audit().passed


def test_frames() -> None:
    result = made()
    assert result.frame.shape[0] == 10
    assert result.timeline.shape[0] == 10
    assert result.frame is result.frame


def test_shown_in_a_notebook_and_as_text() -> None:
    runs = workers_sweep(5)
    options = next(run["options"] for run in runs if run["name"] == "virtual_threads")
    result = made([*runs, {**records.failed(why="<b>"), "concurrency": 300, "options": options}])
    text = result._repr_html_()
    assert "&lt;b&gt;" in text
    assert "<b>x" not in text
    assert text.count("<tr>") == 1 + 3
    assert repr(result) == (
        "<SweepResult pricing, direct, closed, no think time, 300 users, 5 repeats: 11 runs, 1 not ok>"
    )


def test_nothing_measured_yet() -> None:
    result = SweepResult({}, [])
    assert result.explain() == []
    assert result.audit().passed
    assert "no runs" in repr(result)
    assert "No run has ended yet." in result._repr_html_()
    with pytest.raises(ValueError, match="no run with status ok"):
        result.plot()


def test_importing_the_result_loads_no_heavy_package() -> None:
    code = (
        "import sys, parkbench.result, parkbench.table, parkbench.frame, parkbench.store\n"
        "heavy = {'pandas', 'matplotlib', 'scipy', 'numpy', 'rich'} & set(sys.modules)\n"
        "sys.exit(f'loaded: {heavy}' if heavy else 0)"
    )
    source = str(Path(sys.modules["parkbench.result"].__file__ or "").parents[1])
    done = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": source}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
