"""The command line, as a program where the exit code and the streams matter."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from parkbench import child, cli
from parkbench.cli import run as cli_run
from parkbench.errors import ConfigError
from parkbench.validate import listed

FAKE = str(Path(__file__).with_name("fake_core.py"))
PYTHON_SOURCES = str(Path(child.__file__).parents[1])
PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from parkbench import child
child.core_path = lambda: sys.argv[2]
from parkbench.cli import main
main(sys.argv[3:])
"""
QUICK = ["--models", "thread_pool,reactive", "--concurrency", "5", "--duration", "50ms", "--repeats", "2"]


def start(*arguments: str, **more: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, PYTHON_SOURCES, FAKE, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


def call(*arguments: str, **more: Any) -> tuple[int, str, str]:
    program = start(*arguments, **more)
    out, err = program.communicate(timeout=60)
    return program.returncode, out, err


def test_json_is_one_object_and_nothing_else() -> None:
    code, out, err = call("run", "noop", *QUICK, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert set(found) == {"schema", "sweep", "runs", "explain"}
    assert found["schema"] == 1
    assert len(found["runs"]) == 4
    assert {"name", "model", "ledger", "phases_ms", "audit", "status"} <= set(found["runs"][0])


def test_text_has_table_explanation_and_the_place_of_the_charts(tmp_path: Path) -> None:
    code, out, err = call("run", "noop", *QUICK, "--out", str(tmp_path / "out"))
    assert (code, err) == (0, "")
    assert "thread_pool" in out
    assert "reactive" in out
    assert f"Charts: {tmp_path / 'out' / 'charts.png'}" in out
    assert (tmp_path / "out" / "charts.png").read_bytes()[:4] == b"\x89PNG"


def test_without_out_it_says_how_to_get_the_charts() -> None:
    assert "add --out DIR" in call("run", "noop", *QUICK)[1]


def test_set_holds_for_one_model(tmp_path: Path) -> None:
    code, _, err = call("run", "noop", *QUICK, "--set", "thread_pool.workers=7", "--out", str(tmp_path / "out"))
    assert (code, err) == (0, "")
    runs = [json.loads(line) for line in (tmp_path / "out" / "runs.jsonl").read_text().splitlines()]
    assert {(run["name"], run["options"]["workers"]) for run in runs} == {("thread_pool", 7), ("reactive", 200)}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "noop", "--models", "x"], "parkbench: unknown model x; there are thread_pool"),
        (["run", "pricin"], "unknown workload pricin; did you mean pricing?"),
        (["run"], "run needs a workload: pricing, sleep, noop, gateway, cpu, file, stream and mixed"),
        (
            ["run", "noop", "--concurency", "5"],
            "unknown option --concurency; did you mean --concurrency? the options are",
        ),
        (["run", "noop", "--concurrency", "0"], "--concurrency must be at least 1, not 0"),
        (["run", "noop", "--concurrency", "-5"], "--concurrency must be at least 1, not -5"),
        (["run", "noop", "--concurrency", "999999999999"], "--concurrency 999999999999 needs about"),
        (["run", "noop", "--duration", "0"], "--duration must be more than 0 s, not 0"),
        (["run", "noop", "--duration", "soon"], "--duration takes a number such as 2, 2s or 500ms, not soon"),
        (["run", "noop", "--set", "workers=5"], "--set takes NAME.option=value"),
        (["run", "noop", "--set", "reactive.workers=5"], "workers belongs to the thread_pool model"),
        (
            ["run", "noop", "--transport", "htp"],
            "--transport knows no htp; did you mean http? it takes http and direct",
        ),
        (["run", "noop", "--service", "a=http://x"], "--service is not in this release"),
        (["run", "noop", "--faults", "brownout"], "--faults belongs to the gateway workload"),
        (
            ["run", "gateway", "--faults", "t=3s stall 5s"],
            "--faults t=3s stall 5s is not in this release; --faults takes brownout",
        ),
        (["run", "noop", "--placement", "split", "--transport", "direct"], "--placement split needs --transport http"),
        (["run", "noop", "--live"], "--live is not in this release"),
        (["run", "noop", "--driver", "blocking"], "--driver is not in this release"),
        (["run", "noop", "--pipeline", "5"], "--pipeline is not in this release"),
        (["run", "pinning"], "the workload pinning is not in this release"),
        (["run", "noop", "--arrivals", "ramp:1-2@3"], "arrivals ramp are not in this release"),
        (["serve"], "serve needs a model and a workload"),
        (["serve", "reactive"], "serve reactive needs a workload: pricing, sleep"),
        (["serve", "reactiv", "noop"], "cannot serve reactiv; did you mean reactive?"),
        (["serve", "reactive", "nop"], "unknown workload nop; did you mean noop?"),
        (["serve", "reactive", "noop", "--port", "70000"], "--port must be at most 65,535"),
        (["serve", "reactive", "noop", "--host", "localhost"], "--host takes an address such as 127.0.0.1 or ::1"),
        (["serve", "reactive", "noop", "--workers", "5"], "workers belongs to the thread_pool model"),
        (["serve", "reactive", "noop", "--sleep-ms", "5"], "--sleep-ms belongs to the sleep workload"),
        (["serve", "reactive", "noop", "--idle-time", "0"], "--idle-time must be more than 0 s"),
        (["serve", "reactive", "gateway", "--faults", "brownout"], "--faults of a server needs both times"),
        (["serve", "downstream", "noop"], "serve downstream takes no workload"),
        (["serve", "downstream", "--workers", "3"], "--workers is no option of a downstream; it has --downstream-ms"),
        (["serve", "reactive", "noop", "--duration", "3"], "unknown option --duration"),
        (["run", "noop", "--out", "/proc/x"], "--out /proc/x cannot be written"),
        (["run", "noop", "--out", "a", "--resume", "b"], "give one of them"),
        (["run", "noop", "extra"], "unexpected extra argument"),
        (
            ["report", "dir"],
            f"the command report is not in this release; the commands are {listed(cli.COMMANDS)}",
        ),
        (["rum"], f"unknown command rum; did you mean run? the commands are {listed(cli.COMMANDS)}"),
        (["glossary", "zzzz"], "no term 'zzzz'"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.call(arguments) == 2
    out, err = capsys.readouterr()
    assert words in err
    assert err.startswith("parkbench: ")
    assert err.count("\n") == 1
    assert out == ""


def test_descriptors_of_this_very_process(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call_limited(1024, "run", "pricing", "--connections", "2000")
    assert (code, out) == (2, "")
    assert "--connections 2000 needs 4,064 file descriptors, but the limit of open files (ulimit -n) is 1,024" in err


def call_limited(files: int, *arguments: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [
            "sh",
            "-c",
            f'ulimit -n {files}; exec "$@"',
            "sh",
            sys.executable,
            "-c",
            PROGRAM,
            PYTHON_SOURCES,
            FAKE,
            *arguments,
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_a_failed_run_gives_exit_code_1_and_strict_minds_the_audit() -> None:
    ok: dict[str, Any] = {"status": "ok", "audit": {"passed": True, "checks": []}}
    doubtful: dict[str, Any] = {"status": "client_limited", "audit": {"passed": False, "checks": []}}
    assert cli_run.exit_code([ok], strict=True) == 0
    assert cli_run.exit_code([ok, doubtful], strict=False) == 0
    assert cli_run.exit_code([ok, doubtful], strict=True) == 1
    assert cli_run.exit_code([ok, {"status": "failed: x"}], strict=False) == 1
    assert cli_run.exit_code([ok, {"status": "invalid: x"}], strict=False) == 1


def test_settings() -> None:
    assert cli_run.settings(["a.query-delay-ms=5", "a.workers=3", "b c.limit=none"]) == {
        "a": {"query_delay_ms": "5", "workers": "3"},
        "b c": {"limit": "none"},
    }
    for wrong in (["workers=5"], ["a.workers"], [".x=5"], ["a.=5"]):
        with pytest.raises(ConfigError):
            cli_run.settings(wrong)
    with pytest.raises(ConfigError, match=r"sets a\.x twice"):
        cli_run.settings(["a.x=1", "a.x=2"])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_keeps_what_is_there_and_the_json_whole(number: signal.Signals, code: int, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ["run", "noop", "--models", "reactive", "--concurrency", "5", "--duration", "1.5", "--repeats", "100"]
    program = start(*arguments, "--json", "--out", str(out))
    end = time.monotonic() + 20
    file = out / "runs.jsonl"
    while time.monotonic() < end and not (file.exists() and file.read_text().count("\n") >= 1):
        time.sleep(0.02)
    time.sleep(0.3)  # into the next run
    begun = time.monotonic()
    program.send_signal(number)
    text, err = program.communicate(timeout=20)
    assert program.returncode == code
    assert time.monotonic() - begun < 20.0
    found = json.loads(text)
    assert [run["status"] for run in found["runs"]] == ["ok", "incomplete"]
    assert f"parkbench: interrupted; the finished runs are in {out}" in err


def test_version_help_and_glossary(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["--version"]) == 0
    assert capsys.readouterr().out == "parkbench 0.1.0\n"
    assert cli.call([]) == 0
    assert "doctor" in capsys.readouterr().out
    assert cli.call(["run", "--help"]) == 0
    help_text = capsys.readouterr().out
    assert "--query-delay-ms" in help_text
    assert "--service" not in help_text
    assert cli.call(["glossary", "carrier"]) == 0
    assert "virtual threads" in capsys.readouterr().out
    assert cli.call(["glossary"]) == 0
    assert "reactive" in capsys.readouterr().out


def test_python_dash_m() -> None:
    environment = {**os.environ, "PYTHONPATH": PYTHON_SOURCES}
    done = subprocess.run(
        [sys.executable, "-m", "parkbench", "--version"], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "parkbench 0.1.0\n"


def test_a_reader_that_stops_early_is_no_error() -> None:
    shell = f'"{sys.executable}" -c "$1" "{PYTHON_SOURCES}" "{FAKE}" glossary | head -n 1'
    done = subprocess.run(["bash", "-c", shell, "bash", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1
