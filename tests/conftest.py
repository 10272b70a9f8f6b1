"""Collects the C++ test programs as pytest items and says in the header which core is under test.

A file `tests/cpp/<layer>/<concept>_test.cpp` becomes a collector; each GoogleTest case in it becomes one item, for
instance `tests/cpp/base/timer_queue_test.cpp::TimerQueue.PopsInOrder`. A program runs once, for all of its selected
cases, when the first of them is due.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
CPP_TESTS = ROOT / "tests" / "cpp"
PROGRAMS = Path(os.environ.get("PARKBENCH_CPP_TESTS", ROOT / ".build" / "dev" / "tests"))
PROGRAM_TIMEOUT_S = 600
collect_ignore = ["example_project"]  # a project of its own, which test_plugin_example.py runs


@dataclass
class Outcome:
    """How one case ended: `ok`, `skipped` or `failed`, with the text that says why."""

    kind: str
    text: str = ""


@dataclass
class TestProgram:
    """One GoogleTest program: what it holds, which cases are wanted, how they ended."""

    __test__ = False  # not a test class of pytest's

    path: Path
    cases: dict[str, list[str]] = field(default_factory=dict)  # source file -> full names of its cases
    wanted: list[str] = field(default_factory=list)
    outcomes: dict[str, Outcome] | None = None
    output: str = ""

    @classmethod
    def listed(cls, path: Path) -> TestProgram:
        """Asks the program which cases it has. Raises CalledProcessError when it cannot even say that."""
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "list.json"
            subprocess.run(
                [path, "--gtest_list_tests", f"--gtest_output=json:{report}"],
                check=True,
                stdout=subprocess.DEVNULL,
                timeout=60,
            )
            listing = json.loads(report.read_text())
        program = cls(path)
        for suite in listing["testsuites"]:
            for case in suite["testsuite"]:
                source = str(Path(case["file"]).resolve())
                program.cases.setdefault(source, []).append(f"{suite['name']}.{case['name']}")
        return program

    def run(self) -> dict[str, Outcome]:
        """Runs the wanted cases, once for all of them."""
        if self.outcomes is not None:
            return self.outcomes
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            command = [str(self.path), f"--gtest_output=json:{report}", "--gtest_color=no"]
            environment = os.environ | {"GTEST_FILTER": ":".join(self.wanted)}
            try:
                done = subprocess.run(
                    command,
                    env=environment,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    timeout=PROGRAM_TIMEOUT_S,
                    cwd=folder,
                )
                output, end = done.stdout, f"the program ended with {done.returncode}"
            except subprocess.TimeoutExpired as late:
                output, end = late.stdout or b"", f"the program was ended after {PROGRAM_TIMEOUT_S} s"
            self.output = output.decode(errors="replace")
            finished = read_report(json.loads(report.read_text())) if report.exists() else read_output(self.output)
        tail = "\n".join(self.output.splitlines()[-60:])
        self.outcomes = {
            name: finished.get(name, Outcome("failed", f"not finished: {end}\n{tail}")) for name in self.wanted
        }
        return self.outcomes


def read_report(report: dict[str, Any]) -> dict[str, Outcome]:
    """The outcomes in GoogleTest's JSON report, by full name."""
    outcomes = {}
    for suite in report["testsuites"]:
        for case in suite["testsuite"]:
            name = f"{suite['name']}.{case['name']}"
            if case.get("failures"):
                outcomes[name] = Outcome("failed", "\n\n".join(f["failure"] for f in case["failures"]))
            elif case["result"] == "SKIPPED":
                reasons = [s.get("message", "") for s in case.get("skipped", [])]
                outcomes[name] = Outcome("skipped", " ".join(reasons) or "skipped by the test itself")
            elif case["result"] == "COMPLETED":
                outcomes[name] = Outcome("ok")
    return outcomes


def read_output(output: str) -> dict[str, Outcome]:
    """The outcomes that a program told before it died without writing its report."""
    outcomes = {}
    for line in output.splitlines():
        for mark, kind in (("[       OK ] ", "ok"), ("[  FAILED  ] ", "failed")):
            if line.startswith(mark):
                name = line.removeprefix(mark).split(" ")[0].rstrip(",")
                outcomes[name] = Outcome(kind, "see the program's output" if kind == "failed" else "")
    return outcomes


class CppFile(pytest.File):
    """The cases of one C++ test file."""

    def collect(self) -> Iterator[pytest.Item]:
        layer = self.path.relative_to(CPP_TESTS).parts[0]
        paths = [PROGRAMS / f"parkbench_{layer}_test", *sorted(PROGRAMS.glob(f"parkbench_{layer}_*_test"))]
        programs = self.config.stash[PROGRAMS_KEY]
        for path in paths:
            if not path.exists():
                raise self.CollectError(f"{path} is not built. Run: ./dev build")
            if path not in programs:
                programs[path] = TestProgram.listed(path)
            if names := programs[path].cases.get(str(self.path)):
                break
        else:
            raise self.CollectError(f"no program of {layer} has a case of {self.path.name}. Run: ./dev build")
        for name in names:
            yield CppCase.from_parent(self, name=name, program=programs[path])


class CppCase(pytest.Item):
    """One GoogleTest case."""

    def __init__(self, *, program: TestProgram, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.program = program

    def runtest(self) -> None:
        outcome = self.program.run()[self.name]
        if outcome.kind == "skipped":
            pytest.skip(outcome.text)
        if outcome.kind == "failed":
            raise CppTestError(outcome.text)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, CppTestError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.name


class CppTestError(Exception):
    """A GoogleTest case failed; the text is GoogleTest's own."""


PROGRAMS_KEY = pytest.StashKey[dict[Path, TestProgram]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[PROGRAMS_KEY] = {}


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.name.endswith("_test.cpp") and file_path.is_relative_to(CPP_TESTS):
        return CppFile.from_parent(parent, path=file_path)
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # C++ first: it is quick and what the rest stands on.
    items.sort(key=lambda item: not isinstance(item, CppCase))


def pytest_collection_finish(session: pytest.Session) -> None:
    for item in session.items:
        if isinstance(item, CppCase):
            item.program.wanted.append(item.name)


def pytest_report_header(config: pytest.Config) -> str:
    try:
        from parkbench import _core
    except ImportError as error:
        return f"parkbench core: cannot be imported ({error}). Run: ./dev build"
    info = _core.build_info()
    return "parkbench core: " + ", ".join(f"{name} {value}" for name, value in info.items() if value != "")
