from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from machine_files import stat

from parkbench import processes
from parkbench.processes import Process


def process(pid: int, parent: int, cpu_s: float, started: int = 1, name: str = "x") -> Process:
    return Process(pid, name, parent, started, cpu_s)


def table(*all_of_them: Process) -> dict[int, Process]:
    return {one.pid: one for one in all_of_them}


def test_a_name_may_hold_anything() -> None:
    found = processes.parse(stat(7, "a) R 1 (b", 3, ticks=(100, 50, 25, 25), started=99))
    assert (found.pid, found.name, found.parent, found.started) == (7, "a) R 1 (b", 3, 99)
    assert found.cpu_s == pytest.approx(200 / os.sysconf("SC_CLK_TCK"))


def test_threads_of_the_kernel() -> None:
    assert process(2, 0, 0.0).is_kernel
    assert process(30, 2, 0.0).is_kernel
    assert not process(1, 0, 0.0).is_kernel


def test_a_tree_is_all_that_descends() -> None:
    found = table(process(1, 0, 0), process(10, 1, 0), process(11, 10, 0), process(12, 11, 0), process(20, 1, 0))
    assert processes.tree(found, [10]) == {10, 11, 12}
    assert processes.tree(found, [12, 20]) == {12, 20}


def test_cpu_time_between_two_looks() -> None:
    before = table(process(1, 0, 5.0), process(10, 1, 1.0), process(30, 1, 9.0, started=4))
    after = table(process(1, 0, 5.5), process(10, 1, 3.0), process(20, 1, 0.7), process(30, 1, 0.1, started=8))
    spent = processes.used_s(before, after)
    assert spent[10] == pytest.approx(2.0)
    assert spent[20] == pytest.approx(0.7)  # new: all of it
    assert spent[30] == pytest.approx(0.1)  # the number was given out again


def test_what_an_ended_child_had_used_before_is_not_counted_at_its_parent() -> None:
    before = table(process(10, 1, 1.0), process(11, 10, 6.0))
    after = table(process(10, 1, 7.5))  # the child ended with 6.4 s, which its parent took over
    assert processes.used_s(before, after)[10] == pytest.approx(0.5)
    ignored = table(process(10, 1, 1.0))  # a parent that ignores its children takes nothing over
    assert processes.used_s(before, ignored)[10] == 0.0


def test_every_process_of_this_machine_is_seen() -> None:
    child = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
    try:
        found = processes.read_all()
        assert {os.getpid(), child.pid} <= processes.tree(found, [os.getpid()])
        assert found[child.pid].parent == os.getpid()
        assert found[os.getpid()].cpu_s > 0
    finally:
        child.communicate()


def test_a_folder_without_processes(tmp_path: Path) -> None:
    assert processes.read_all(tmp_path) == {}
    (tmp_path / "proc" / "5").mkdir(parents=True)
    (tmp_path / "proc" / "5" / "stat").write_text("nonsense")
    assert processes.read_all(tmp_path) == {}
