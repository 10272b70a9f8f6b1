from __future__ import annotations

import dataclasses
import io
import sys
import types

import pytest

from parkbench import models, plan, progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def runs() -> list[plan.PlannedRun]:
    return plan.runs(plan.cells("noop", models.resolve("reactive"), [1, 1000], {}), 1, 1)


def show(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, *, quiet: bool = False) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    with progress.showing(2, quiet=quiet) as bar:
        for run in runs():
            bar.begin(run)
            bar.end()
    return stream.getvalue()


def test_a_terminal_sees_the_run_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    text = show(Terminal(), monkeypatch)
    assert "reactive, 1,000 users, repeat 1" in text
    assert "reactive, 1 user, repeat 1" in text


def test_the_open_leg_is_named_by_its_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    (first, *_) = runs()
    offered = dataclasses.replace(first.cell, leg="open", rate_rps=1234.5)
    monkeypatch.setattr(sys, "stderr", stream := Terminal())
    with progress.showing(1, quiet=False) as bar:
        bar.begin(dataclasses.replace(first, cell=offered))
        bar.end()
    assert "reactive, poisson 1,234/s, repeat 1" in stream.getvalue()


def test_silent_when_quiet_or_no_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert show(Terminal(), monkeypatch, quiet=True) == ""
    assert show(io.StringIO(), monkeypatch) == ""
    assert capsys.readouterr().out == ""


def test_a_loaded_kernel_package_makes_no_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    assert show(io.StringIO(), monkeypatch) == ""


def test_a_running_kernel_does(monkeypatch: pytest.MonkeyPatch) -> None:
    class ZMQInteractiveShell:
        pass

    module = types.ModuleType("IPython")
    monkeypatch.setattr(module, "get_ipython", ZMQInteractiveShell, raising=False)
    monkeypatch.setitem(sys.modules, "IPython", module)
    assert progress._in_notebook()
