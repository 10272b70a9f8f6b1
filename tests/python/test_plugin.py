"""The plugin in pytest sessions of its own: what it shows, saves, fails, and that it is not there unless used."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from plugin_support import CORE, Sessions, a_test, arguments

from parkbench import child

pytest_plugins = ["pytester"]

# What a session of its own needs to use the stand-in for the core.
CONFTEST = f"from parkbench import child\nchild.core_path = lambda: {CORE!r}\n"


@pytest.fixture
def sessions(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Sessions:
    monkeypatch.setattr(child, "core_path", lambda: CORE)
    return Sessions(pytester)


def test_the_first_run_is_recorded_and_the_second_compared(sessions: Sessions) -> None:
    first = sessions.run(a_test())
    first.assert_outcomes(passed=1)
    first.stdout.fnmatch_lines(
        [
            "*parkbench: response_mean_ms*",
            "test *",
            "*thread_pool*1.0? ms*new",
            "*no baseline yet; recorded as baseline",
            "1 benchmark saved as baseline in .parkbench/*/baseline.json",
        ]
    )
    (kept,) = sessions.baselines()
    before = kept.read_text()
    second = sessions.run(a_test())
    assert second.ret == 0
    assert "no baseline yet" not in second.stdout.str()
    assert kept.read_text() == before


def test_a_slowdown_fails_with_a_sentence_and_is_not_saved_by_itself(sessions: Sessions) -> None:
    sessions.run(a_test())
    slow = sessions.run(a_test(10_000), "--parkbench-autosave")
    slow.assert_outcomes(failed=1)
    assert slow.ret == 1
    slow.stdout.fnmatch_lines(
        ["E *RegressionError: response_mean_ms of thread_pool at 5 users: 10.* ms, 1.0* ms for baseline*"]
    )
    assert "benchmark.py" not in slow.stdout.str()  # the trace ends at the test's own line
    assert [path.name for path in sessions.baselines()] == ["baseline.json"]


def test_an_accepted_slowdown_is_saved_under_a_name(sessions: Sessions) -> None:
    sessions.run(a_test())
    sessions.run(a_test(10_000), "--parkbench-save=v2").assert_outcomes(failed=1)
    assert [path.name for path in sessions.baselines()] == ["baseline.json", "v2.json"]
    sessions.run(a_test(10_000)).assert_outcomes(passed=1)  # v2 was saved last
    sessions.run(a_test(10_000), "--parkbench-compare=baseline").assert_outcomes(failed=1)


def test_a_test_that_failed_for_another_reason_is_no_baseline(sessions: Sessions) -> None:
    wrong = a_test(check="") + "    assert False\n"
    sessions.run(wrong, "--parkbench-save").assert_outcomes(failed=1)
    assert sessions.baselines() == []


def test_limits_on_the_command_line(sessions: Sessions) -> None:
    sessions.run(a_test(check=""), "--parkbench-save")
    sessions.run(a_test(10_000, check="")).assert_outcomes(passed=1)
    shown = sessions.run(a_test(10_000, check=""), "--parkbench-compare")
    shown.assert_outcomes(passed=1)
    shown.stdout.fnmatch_lines(["*1.0? ms*10.? ms*unsure"])
    limited = sessions.run(a_test(10_000, check=""), "--parkbench-compare-fail=response_mean_ms:10%,throughput_rps:5%")
    limited.assert_outcomes(failed=1)
    limited.stdout.fnmatch_lines(["*throughput_rps of thread_pool*slower by more than 5 %*"])


def test_strict(sessions: Sessions) -> None:
    sessions.run(a_test(), "--parkbench-strict").assert_outcomes(failed=1)
    assert sessions.baselines() == []
    sessions.run(a_test(), "--parkbench-strict", "--parkbench-save").assert_outcomes(failed=1)
    sessions.run(a_test(), "--parkbench-strict").assert_outcomes(passed=1)


def test_a_new_test_beside_an_old_baseline(sessions: Sessions) -> None:
    sessions.run(a_test())
    both = sessions.run(a_test() + a_test(name="test_new"))
    both.assert_outcomes(passed=2)
    both.stdout.fnmatch_lines(["*::test_new*new"])


def test_parameters_have_baselines_of_their_own(sessions: Sessions) -> None:
    source = "import pytest\n@pytest.mark.parametrize('cpu', [1000, 2000])\n" + a_test().replace(
        "(parkbench)", "(parkbench, cpu)"
    ).replace("cpu_us=1000", "cpu_us=cpu")
    sessions.run(source).assert_outcomes(passed=2)
    (kept,) = sessions.baselines()
    tests = json.loads(kept.read_text())["sessions"][0]["tests"]
    assert sorted(tests) == ["test_speeds.py::test_it[1000]", "test_speeds.py::test_it[2000]"]
    swapped = sessions.run(source.replace("cpu_us=cpu", "cpu_us=3000 - cpu"))
    swapped.assert_outcomes(passed=1, failed=1)


def test_the_marker_sets_what_a_test_asks(sessions: Sessions) -> None:
    marked = "import pytest\n@pytest.mark.parkbench(threshold='1000%', figure='throughput_rps')\n"
    sessions.run(marked + a_test())
    found = sessions.run(marked + a_test(8000), "-m", "parkbench")
    found.assert_outcomes(passed=1)
    found.stdout.fnmatch_lines(["*throughput_rps*"])
    wrong = sessions.run("import pytest\n@pytest.mark.parkbench(limit=5)\n" + a_test())
    wrong.assert_outcomes(errors=1)
    wrong.stdout.fnmatch_lines(["*the marker parkbench knows no limit*"])


def test_only_and_skip(sessions: Sessions) -> None:
    source = a_test(check="") + "def test_other():\n    pass\n"
    sessions.run(source, "--parkbench-only").assert_outcomes(passed=1, skipped=1)
    skipped = sessions.run(source, "--parkbench-skip")
    skipped.assert_outcomes(passed=1, skipped=1)
    assert "parkbench:" not in skipped.stdout.str()
    sessions.run(source, "-m", "parkbench").assert_outcomes(passed=1, deselected=1)


def test_the_json_file_holds_runs_and_comparisons(sessions: Sessions) -> None:
    sessions.run(a_test(), "--parkbench-json=out.json")
    whole = json.loads((sessions.pytester.path / "out.json").read_text())
    assert whole["schema"] == 1 and whole["machine"]["cpus"] >= 1
    (test,) = whole["tests"]
    assert test["test"] == "test_speeds.py::test_it" and test["passed"]
    assert len(test["runs"]) == 3 and test["runs"][0]["response_mean_ms"] == pytest.approx(1, rel=0.01)
    assert test["rows"][0]["verdict"] == "new"


def test_junit_properties(sessions: Sessions) -> None:
    sessions.run(a_test())
    sessions.run(a_test(), "--junitxml=junit.xml")
    case = ET.parse(sessions.pytester.path / "junit.xml").getroot().find(".//testcase")  # noqa: S314  our own file
    assert case is not None
    found = {entry.get("name"): entry.get("value") for entry in case.iter("property")}
    assert float(found["parkbench thread_pool 5 users response_mean_ms"] or 0) == pytest.approx(1, rel=0.01)
    assert float(found["parkbench thread_pool 5 users response_mean_ms ratio"] or 0) == pytest.approx(1, rel=0.01)
    assert len(found) == 4


def test_inert_without_a_benchmark(sessions: Sessions) -> None:
    quiet = sessions.run("def test_other():\n    pass\n", "--parkbench-save", "--parkbench-json=out.json")
    assert quiet.ret == 0
    assert "parkbench: " not in quiet.stdout.str() and "saved" not in quiet.stdout.str()
    assert sorted(path.name for path in sessions.pytester.path.iterdir() if path.is_file()) == [
        "test_speeds.py",
        "tox.ini",
    ]
    assert not (sessions.pytester.path / ".parkbench").exists()
    listed = sessions.run(a_test(), "--collect-only", "-q")
    assert listed.ret == 0 and "test_speeds.py::test_it" in listed.stdout.str()


def test_loading_it_is_cheap_and_loads_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        "import sys\ndef test_it():\n"
        "    heavy = {'numpy', 'pandas', 'matplotlib', 'scipy', 'pydantic', 'parkbench._core', 'parkbench.sweeping',\n"
        "             'parkbench.plugin.benchmark'} & set(sys.modules)\n"
        "    assert 'parkbench.plugin' in sys.modules\n"
        "    assert not heavy, heavy\n"
    )
    pytester.runpytest_subprocess(*arguments()).assert_outcomes(passed=1)


def test_without_the_plugin_there_is_no_fixture(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(a_test())
    left_out = pytester.runpytest_subprocess("-p", "no:parkbench")
    left_out.assert_outcomes(errors=1)
    left_out.stdout.fnmatch_lines(["*fixture 'parkbench' not found*"])


def test_without_a_terminal_nothing_is_printed(sessions: Sessions) -> None:
    silent = sessions.run(a_test(), "-p", "no:terminal")
    assert silent.ret == 0 and silent.outlines == []
    assert len(sessions.baselines()) == 1


def test_the_first_failure_ends_the_session_and_the_rest_is_kept(sessions: Sessions) -> None:
    sessions.run(a_test())
    ended = sessions.run(a_test(name="test_a") + a_test(10_000) + a_test(name="test_z"), "-x")
    ended.assert_outcomes(passed=1, failed=1)
    (kept,) = sessions.baselines()
    tests = [test for session in json.loads(kept.read_text())["sessions"] for test in session["tests"]]
    assert tests == ["test_speeds.py::test_it", "test_speeds.py::test_a"]


def test_an_async_test_awaits_a_sweep(sessions: Sessions) -> None:
    pytest.importorskip("anyio")
    source = (
        a_test()
        .replace("def test", "import pytest\n@pytest.mark.anyio\nasync def test")
        .replace("parkbench.sweep", "await parkbench.asweep")
        + "\n@pytest.fixture\ndef anyio_backend():\n    return 'asyncio'\n"
    )
    sessions.run(source, "-p", "anyio").assert_outcomes(passed=1)
    sessions.run(source.replace("await parkbench.asweep", "parkbench.sweep"), "-p", "anyio").assert_outcomes(passed=1)


def test_ctrl_c_leaves_no_process_and_keeps_what_was_finished(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    endless = a_test(name="test_b", more="_plant={'pids': 'pids'}, max_duration=60").replace("=0.02", "=60")
    pytester.makepyfile(test_speeds=a_test(name="test_a") + endless)
    told = pytester.path / "pids"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments()]
    with subprocess.Popen(command, cwd=pytester.path, stdout=subprocess.PIPE, text=True, process_group=0) as session:
        end = time.monotonic() + 60
        while not (told.exists() and "run " in told.read_text()) and time.monotonic() < end:
            time.sleep(0.01)
        session.send_signal(signal.SIGINT)
        output, _ = session.communicate(timeout=60)
    assert session.returncode == 2, output
    assert "1 benchmark saved as baseline" in output
    pids = [int(line.split()[1]) for line in told.read_text().splitlines()]
    assert pids and not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_under_xdist_benchmarks_take_turns_and_are_called_noisy(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_speeds=a_test(name="test_a") + a_test(name="test_b"))
    beside = pytester.runpytest_subprocess(*arguments(), "-n", "2", "--parkbench-save", "--junitxml=junit.xml")
    beside.assert_outcomes(passed=2)
    for line in ("*::test_a*not comparable", "*::test_b*not comparable", "noisy: measured while 2 workers*"):
        beside.stdout.fnmatch_lines([line])  # the workers report in any order
    assert not (pytester.path / ".parkbench").exists()
    assert "response_mean_ms" in (pytester.path / "junit.xml").read_text()
    alone = pytester.runpytest_subprocess(*arguments(), "-n", "1", "--parkbench-save")
    alone.assert_outcomes(passed=2)
    (kept,) = pytester.path.glob(".parkbench/*/baseline.json")
    assert len(json.loads(kept.read_text())["sessions"][0]["tests"]) == 2


def test_it_is_declared_for_pytest() -> None:
    import tomllib

    pyproject = Path(__file__).resolve().parents[2] / "pyproject.toml"
    declared = tomllib.loads(pyproject.read_text())["project"]["entry-points"]["pytest11"]
    assert declared == {"parkbench": "parkbench.plugin"}
