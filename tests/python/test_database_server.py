"""The embedded server: what it is while it runs, and what is said when it does not come up."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from database_support import ACCOUNTS, NOBODY, Traces, needs_root, owner_script, place_for_nobody

from parkbench.database.binaries import SYSTEM_ROOT
from parkbench.database.server import EmbeddedServer, server_settings
from parkbench.errors import ConfigError

MODES = [(account, socket) for account in ACCOUNTS for socket in ("unix", "tcp")]


def started(account: str, socket: str = "unix", connections: int = 10) -> EmbeddedServer:
    return EmbeddedServer(connections, socket, root_mode=None if account == "user" else account)


@pytest.mark.parametrize(("account", "socket"), MODES)
def test_runs_and_leaves_nothing(account: str, socket: str) -> None:
    server = started(account, socket)
    with server:
        assert server.account is not None
        assert server.account.mode == account
        assert server.folder is not None
        assert server.seconds["total"] < 60.0
        traces = Traces.of(server.folder)
        with psycopg.connect(server.dsn) as connection:
            for name, value in server_settings(10).items():
                shown = connection.execute("select current_setting(%s)", [name]).fetchone()
                assert shown == (value,)
            assert connection.execute("show listen_addresses").fetchone() == ("127.0.0.1" if socket == "tcp" else "",)
            assert connection.execute("show server_encoding").fetchone() == ("UTF8",)
    assert traces.left() == []


@pytest.mark.parametrize("account", ACCOUNTS)
def test_runs_with_the_systems_postgresql(account: str, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = sorted(SYSTEM_ROOT.glob("*/bin/postgres"))
    if not installed:
        pytest.skip("the system has no PostgreSQL")
    monkeypatch.setenv("PARKBENCH_PG_BIN", str(installed[-1].parent))
    with started(account, "tcp") as server:
        assert server.folder is not None
        traces = Traces.of(server.folder)
        with psycopg.connect(server.dsn) as connection:
            assert connection.execute("show dynamic_shared_memory_type").fetchone() == ("mmap",)
    assert traces.left() == []


@pytest.mark.parametrize("account", ACCOUNTS)
def test_nobody_else_can_enter_the_folder_and_no_memory_is_a_file(account: str) -> None:
    with started(account) as server:
        assert server.folder is not None
        mode = stat.S_IMODE(server.folder.stat().st_mode)
        assert mode == (0o710 if account == "nobody" else 0o700)
        assert server.folder.stat().st_uid == os.geteuid()
        assert stat.S_IMODE((server.folder / "server").stat().st_mode) == 0o700
        assert stat.S_IMODE((server.folder / "server.log").stat().st_mode) == 0o600
        mapped = Path(f"/proc/{server.server_pid}/maps").read_text(encoding="utf-8")
        assert "postgres" in mapped
        assert "/dev/shm" not in mapped


def test_gives_all_connections_asked_for() -> None:
    with started(ACCOUNTS[0], connections=60) as server:
        held = [psycopg.connect(server.dsn) for _ in range(60)]
        try:
            assert held[-1].execute("select count(*) from pg_stat_activity where usename is not null").fetchone()
        finally:
            for connection in held:
                connection.close()


def test_tcp_needs_the_password() -> None:
    with started(ACCOUNTS[0], "tcp") as server:
        parts = urlsplit(server.dsn)
        assert parts.hostname == "127.0.0.1"
        assert parts.password is not None
        assert len(parts.password) == 48
        with psycopg.connect(server.dsn) as connection:
            assert connection.execute("select 1").fetchone() == (1,)
        for wrong in (server.dsn.replace(f":{parts.password}", ""), server.dsn.replace(parts.password, "wrong")):
            with pytest.raises(psycopg.OperationalError, match="password"):
                psycopg.connect(wrong, passfile="/dev/null")
        assert parts.password not in "".join(server.log_tail(1000))


def test_the_environment_of_other_servers_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPORT", "1")
    monkeypatch.setenv("PGDATA", "/nowhere")
    monkeypatch.setenv("LC_ALL", "xx_YY")
    with started(ACCOUNTS[0]) as server, psycopg.connect(server.dsn) as connection:
        assert connection.execute("select 1").fetchone() == (1,)


def test_stop_twice_and_start_again() -> None:
    server = started(ACCOUNTS[0])
    server.stop()
    for _ in range(2):
        server.start()
        assert server.folder is not None
        traces = Traces.of(server.folder)
        with pytest.raises(ConfigError, match="already"):
            server.start()
        server.stop()
        server.stop()
        assert traces.left() == []
        with pytest.raises(ConfigError, match="not running"):
            _ = server.dsn


def test_two_at_once_do_not_meet() -> None:
    with started(ACCOUNTS[0]) as first, started(ACCOUNTS[0]) as second:
        assert first.folder != second.folder
        with psycopg.connect(first.dsn) as a, psycopg.connect(second.dsn) as b:
            a.execute("create table only_first ()")
            assert b.execute("select to_regclass('only_first')").fetchone() == (None,)


@pytest.mark.parametrize("account", ACCOUNTS)
def test_a_server_that_does_not_come_up_shows_its_log(account: str) -> None:
    server = started(account)
    server.settings["max_connections"] = "many"
    with pytest.raises(ConfigError, match='did not come up .*invalid value for parameter "max_connections": "many"'):
        server.start()
    assert server.folder is not None
    assert not server.folder.exists()


def test_an_initdb_that_fails_shows_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o755)
    for name, text in (("postgres", "echo 'postgres (PostgreSQL) 18.6'"), ("initdb", "echo no space left; exit 1")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PARKBENCH_PG_BIN", str(tmp_path))
    server = EmbeddedServer()
    with pytest.raises(ConfigError, match=r"did not come up \(initdb\): no space left"):
        server.start()
    assert server.folder is not None
    assert not server.folder.exists()


def test_a_folder_that_cannot_be_made_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parkbench.database.server.choose_base", lambda account: "/proc/self")
    with pytest.raises(ConfigError, match="/proc/self/parkbench-"):
        EmbeddedServer().start()


@pytest.mark.parametrize(("connections", "socket", "said"), [(0, "unix", "at least 1"), (1, "udp", "unix or tcp")])
def test_wrong_arguments(connections: int, socket: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        EmbeddedServer(connections, socket)


@needs_root
@pytest.mark.parametrize("socket", ["unix", "tcp"])
def test_runs_for_an_ordinary_user(socket: str) -> None:
    then = """
import os
print(server.account.mode, os.geteuid(), server.folder.stat().st_uid, os.path.exists(server.folder))
server.stop()
print(os.path.exists(server.folder))
"""
    with place_for_nobody() as (command, env):
        script = owner_script(then)
        done = subprocess.run([*command, "-c", script, socket, ""], env=env, capture_output=True, text=True, cwd="/")
    assert done.stderr == ""
    assert done.stdout.splitlines()[1:] == [f"user {NOBODY} {NOBODY} True", "False"]
