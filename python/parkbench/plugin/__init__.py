"""The pytest plugin: benchmarks as tests that fail only on a real regression. Inert until a test asks for `parkbench`.

Loading it costs next to nothing: what measures, compares and writes is imported by the first benchmark. Its name among
pytest's plugins is `parkbench`, so that `-p no:parkbench` leaves it out.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from parkbench.plugin import settings
from parkbench.plugin.outcomes import Outcomes, rows_of

if TYPE_CHECKING:
    from parkbench.plugin.benchmark import Benchmark

FIXTURE = "parkbench"
_SETTINGS = pytest.StashKey[settings.Settings]()
_BENCHMARK = pytest.StashKey["Benchmark"]()
_ENDED = pytest.StashKey[tuple[bool, bool]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declares the options."""
    settings.declare(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Checks the options before anything is collected."""
    config.addinivalue_line(
        "markers", "parkbench(figure, threshold, confirm): a benchmark; what assert_no_regression takes by default"
    )
    config.stash[_SETTINGS] = settings.read(config)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Leader(Outcomes(config.stash[_SETTINGS], config.rootpath)), "parkbench-leader")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks benchmarks, so that `-m parkbench` finds them, and skips what --parkbench-only and -skip leave out."""
    chosen = config.stash[_SETTINGS]
    for item in items:
        is_benchmark = FIXTURE in getattr(item, "fixturenames", ())
        if is_benchmark and item.get_closest_marker(FIXTURE) is None:
            item.add_marker(FIXTURE)
        if chosen.only and not is_benchmark:
            item.add_marker(pytest.mark.skip(reason="no benchmark (--parkbench-only)"))
        if chosen.skip and is_benchmark:
            item.add_marker(pytest.mark.skip(reason="a benchmark (--parkbench-skip)"))


@pytest.fixture
def parkbench(request: pytest.FixtureRequest) -> Benchmark:
    """Sweeps of parkbench in a test, and the assertion that nothing got slower."""
    from parkbench.plugin.benchmark import Benchmark, Where

    config, item = request.config, request.node
    mark = item.get_closest_marker(FIXTURE)
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")) if hasattr(config, "workerinput") else 1
    where = Where(
        test=_name_of(item),
        settings=config.stash[_SETTINGS],
        defaults=settings.of_mark(mark.args, mark.kwargs) if mark else {},
        workers=workers,
        keep_runs=config.stash[_SETTINGS].json is not None,
        alone=_one_at_a_time if workers > 1 else contextlib.nullcontext,
    )
    found = item.stash[_BENCHMARK] = Benchmark(where)
    return found


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """After a test that passed: compares what --parkbench-compare and -compare-fail ask for."""
    __tracebackhide__ = True
    result = yield
    benchmark = item.stash.get(_BENCHMARK, None)
    if benchmark is not None:
        benchmark.finish()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, Any]:
    """Hands what a benchmark left behind to the last report of its test, which also crosses processes."""
    report = yield
    benchmark = item.stash.get(_BENCHMARK, None)
    if benchmark is None:
        return report
    if call.when == "call":
        from parkbench.plugin.benchmark import BenchmarkError

        failed = call.excinfo
        item.stash[_ENDED] = (report.passed, failed is None or isinstance(failed.value, BenchmarkError))
        item.user_properties += _properties(benchmark, item.config.stash[_SETTINGS].figure)
    if call.when == "teardown":
        passed, by_its_figures = item.stash.get(_ENDED, (False, False))
        report.parkbench = [{**e, "passed": passed, "by_its_figures": by_its_figures} for e in benchmark.entries]
    return report


class _Leader:
    """Where the session is led, with or without workers of pytest-xdist: gathers, saves, shows."""

    def __init__(self, outcomes: Outcomes) -> None:
        self._outcomes = outcomes

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Takes what a test's last report brings."""
        self._outcomes.add(getattr(report, "parkbench", []))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Saves, also after Ctrl-C and -x: what was finished is kept."""
        self._outcomes.save()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """The table, if anything was measured."""
        width = getattr(terminalreporter, "_tw", None)
        table = self._outcomes.table(getattr(width, "fullwidth", 80))
        if not table and not self._outcomes.notices:
            return
        terminalreporter.section(self._outcomes.heading)
        for line in table:
            terminalreporter.write_line(line.text, **({line.colour: True} if line.colour else {}))
        for note in (*self._outcomes.notes(), *self._outcomes.notices):
            terminalreporter.write_line(note)


def _name_of(item: pytest.Item) -> str:
    """The node id, without the group that pytest-xdist writes behind it."""
    group = item.get_closest_marker("xdist_group")
    name = group and (group.args[0] if group.args else group.kwargs.get("name", "default"))
    return item.nodeid.removesuffix(f"@{name}") if name else item.nodeid


def _properties(benchmark: Benchmark, figure: str) -> list[tuple[str, object]]:
    """What stands in a JUnit file under the test, as record_property writes it."""
    found: list[tuple[str, object]] = []
    for row in (row for entry in benchmark.entries for row in rows_of(entry, figure)):
        name = f"parkbench {row['name']} {row['load']} {row['figure']}"
        found.append((name, row["now"]))
        for key in ("baseline", "ratio", "verdict"):
            if row.get(key) not in (None, "-"):
                found.append((f"{name} {key}", row[key]))
    return found


@contextlib.contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Benchmarks of workers that run side by side take turns. The lock goes with the process that holds it."""
    path = Path(tempfile.gettempdir()) / f"parkbench-{os.getuid()}.lock"
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
