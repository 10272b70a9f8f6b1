from __future__ import annotations

import json
import resource

import pytest

from parkbench import cli, doctor
from parkbench.doctor import clock, core, database, limits, machine
from parkbench.doctor import python as interpreter


def test_this_interpreter_is_fine() -> None:
    assert [check.state for check in interpreter.checks()] == ["fine", "fine"]


def test_a_missing_package_is_a_problem_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "_version", lambda name: None if name == "pandas" else "1.0")
    check = interpreter.checks()[1]
    assert (check.state, check.text) == ("problem", "missing: pandas")
    assert check.remedy.endswith("-m pip install pandas")


def test_a_build_with_a_sanitizer_or_without_optimisation_is_noted() -> None:
    assert core.build({"compiler": "g++ 12.2", "build_type": "Release", "sanitizer": ""}).state == "fine"
    assert core.build({"compiler": "g++ 12.2", "sanitizer": "thread"}).state == "note"
    assert core.build({"build_type": "Debug"}).state == "note"
    assert core.build({"build_type": "RelWithDebInfo", "assertions": True}).state == "note"


def test_libpq_without_tls_says_what_that_means() -> None:
    check = core.libpq({"libpq": "18.3", "libpq_tls": False})
    assert check.text.startswith("libpq 18.3, without TLS")
    assert "sslmode=disable" in check.remedy
    assert core.libpq({"libpq": "18.3", "libpq_tls": True}).remedy == ""


def test_guards() -> None:
    assert core.guards("madv_guard").state == "fine"
    assert core.guards("mprotect").state == "note"


@pytest.mark.parametrize(("soft", "state"), [(1024, "note"), (20_000, "fine"), (resource.RLIM_INFINITY, "fine")])
def test_limits(soft: int, state: str) -> None:
    assert limits.open_files(soft, soft).state == state
    assert limits.processes(soft).state == state


def test_low_limits_name_the_command() -> None:
    assert limits.open_files(1024, 4096).remedy == "ulimit -n 4096"
    assert "enough for 960 connections" in limits.open_files(1024, 4096).text
    assert limits.map_count(1000).remedy == "sysctl vm.max_map_count=65530"
    assert limits.map_count(None).state == "note"
    assert limits.memory(100.0).state == "note"


def test_machine() -> None:
    assert machine.cores(1, 8).state == "note"
    assert machine.cores(2, 8).state == "fine"


def test_the_share_of_clock_reads_is_computed() -> None:
    check = clock.share(25.0)
    assert check.state == "fine"
    assert check.text.startswith("0.6 % of a pricing request's CPU goes into 12 clock reads")
    assert clock.share(200.0).state == "note"
    assert clock.clock("hpet", 1.0, 900.0).state == "note"
    assert clock.clock("jiffies", 4e6, 50.0).state == "problem"
    assert "2.0 us on its own core, 20.0 us on another" in clock.wake_up({"same_core": 2.0, "cross_core": 20.0}).text


def test_postgres_programs_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert database.programs().state == "fine"
    monkeypatch.setenv("PARKBENCH_PG_BIN", "/nowhere")
    missing = database.programs()
    assert missing.state == "problem"
    assert "/nowhere" in missing.text


def test_the_embedded_server_comes_up() -> None:
    check = database.embedded()
    assert check.state in ("fine", "note")
    assert check.text.startswith("starts in ")


def test_a_wrong_server_of_the_user_shows_no_password() -> None:
    check = database.own_server("postgresql://me:s3cretword@127.0.0.1:1/db?sslmode=disable")
    assert check.state == "problem"
    assert "s3cretword" not in check.text


def test_a_check_that_breaks_is_a_line_and_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> list[doctor.Check]:
        raise OSError("no /proc here")

    monkeypatch.setattr(limits, "checks", broken)
    found = [check for check in doctor.examine() if "no /proc here" in check.text]
    assert [check.state for check in found] == ["problem"]


def test_the_command_prints_lines_or_one_object(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = doctor.Check("core", "problem", "cannot be loaded", "pip install .")
    monkeypatch.setattr(doctor, "examine", lambda: [doctor.Check("python", "fine", "CPython"), bad])
    assert cli.call(["doctor"]) == 2
    out = capsys.readouterr().out
    assert "ok    python  CPython" in out
    assert "BAD   core    cannot be loaded" in out
    assert "-> pip install ." in out
    assert cli.call(["doctor", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["fine"] is False
    monkeypatch.setattr(doctor, "examine", lambda: [doctor.Check("python", "fine", "CPython")])
    assert cli.call(["doctor"]) == 0
