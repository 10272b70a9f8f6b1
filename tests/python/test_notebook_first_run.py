"""The first notebook runs from top to bottom, holds no logic, and is kept without outputs."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "01_first_run.ipynb"
TINY = "concurrency, duration, repeats = [5, 20], 0.1, 2"


def notebook() -> Any:
    return nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call, unused-ignore]


def code_cells(book: Any) -> list[Any]:
    return [cell for cell in book.cells if cell.cell_type == "code"]


def test_outputs_are_stripped() -> None:
    for cell in code_cells(notebook()):
        assert cell.outputs == []
        assert cell.execution_count is None


def test_it_has_no_logic_of_its_own() -> None:
    allowed = (ast.Import, ast.Assign, ast.Expr)
    for cell in code_cells(notebook()):
        assert all(isinstance(statement, allowed) for statement in ast.parse(cell.source).body), cell.source


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # the kernel's own packages warn of what does not concern us
def test_it_runs_with_a_tiny_budget(tmp_path: Path) -> None:
    book = notebook()
    (parameters,) = [cell for cell in code_cells(book) if "parameters" in cell.metadata.get("tags", ())]
    parameters.source = TINY
    NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = {cell.source.split("\n")[-1]: cell.outputs for cell in code_cells(book)}
    shown = {source: [output.data for output in found if "data" in output] for source, found in outputs.items()}
    assert "image/png" in shown["result.plot()"][-1]
    assert "image/png" in shown["result.plot_phases()"][-1]
    assert "ms" in shown["result.explain()"][-1]["text/plain"]
    assert "checks passed" in shown["result.audit()"][-1]["text/plain"]
    assert "<table>" in shown["result"][-1]["text/html"]
