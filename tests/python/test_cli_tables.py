from __future__ import annotations

import pytest

from parkbench.cli.tables import drawn

HEADINGS, ROWS = ("load", "name"), [("5", "reactive"), ("1,000", "x")]


def test_plain_columns_elsewhere() -> None:
    assert drawn("title", HEADINGS, ROWS, (0,), terminal=False).splitlines() == [
        "title",
        " load  name",
        "    5  reactive",
        "1,000  x",
    ]
    assert drawn("title", HEADINGS, []).splitlines() == ["title", "load  name"]


def test_drawn_in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = drawn("title [x]", HEADINGS, ROWS, (0,), terminal=True)
    assert "title [x]" in text
    assert "1,000" in text
    assert "─" in text
