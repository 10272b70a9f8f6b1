"""Opening the database of a sweep: the embedded one, the user's own, and what is wrong with it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import psycopg
import pytest
from database_support import PsycopgSession, Traces, connects, session

from parkbench.database import Database, EmbeddedServer, open_database
from parkbench.database.session import Connect
from parkbench.errors import ConfigError


@pytest.fixture(autouse=True)
def _no_database_of_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PARKBENCH_DATABASE", raising=False)


@pytest.fixture(params=connects(), ids=lambda connect: connect.__name__)
def connect(request: pytest.FixtureRequest) -> Connect:
    chosen: Connect = request.param
    return chosen


@pytest.fixture(scope="module")
def theirs() -> Iterator[str]:
    """The user's own server, on TCP with a password."""
    with EmbeddedServer(20, "tcp") as server:
        yield server.dsn


@pytest.mark.parametrize("kind", ["unix", "tcp"])
def test_the_embedded_one(kind: str, connect: Connect) -> None:
    seen: list[EmbeddedServer] = []
    with open_database(connections=30, products=50, socket=kind, connect=connect, started=seen.append) as database:
        assert database.server is seen[0]
        assert seen[0].folder is not None
        traces = Traces.of(seen[0].folder)
        assert seen[0].binaries is not None
        assert database.provider == seen[0].binaries.provider
        assert database.version == seen[0].binaries.version
        assert database.settings["max_connections"] == "50"
        assert database.settings["fsync"] == "off"
        assert set(database.settings) >= {"jit", "shared_buffers", "synchronous_commit", "autovacuum"}
        with psycopg.connect(database.dsn) as connection:
            assert connection.execute("select count(*) from parkbench.products").fetchone() == (50,)
            assert connection.execute(
                "select count(*) from pg_stat_activity where backend_type = 'client backend'"
            ).fetchone() == (1,), "the session that set it up is closed"
    assert traces.left() == []
    database.close()


def test_the_users_own(theirs: str, connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_database(theirs, 20, 60, connect=connect) as database:
        assert (database.dsn, database.provider, database.server) == (theirs, "user", None)
    monkeypatch.setenv("PARKBENCH_DATABASE", theirs)
    with open_database(None, 20, 60, connect=connect) as database:
        assert database.dsn == theirs
    with session(theirs) as still:
        assert still.execute("select count(*) from parkbench.products") == [("60",)]


def test_the_argument_wins(theirs: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARKBENCH_DATABASE", "postgresql://nowhere.invalid/")
    assert open_database(theirs, 5, 60, connect=PsycopgSession).dsn == theirs


def test_the_representation_hides_the_password(theirs: str) -> None:
    password = urlsplit(theirs).password
    assert password
    assert password not in repr(Database(theirs, "user", "18", {}))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def refused(dsn: str, connect: Connect, connections: int = 5) -> str:
    """The sentence with which the database is refused."""
    with pytest.raises(ConfigError) as caught:
        open_database(dsn, connections, 60, connect=connect)
    text = str(caught.value)
    assert len(text.splitlines()) == 1
    return text


def test_nobody_listens(connect: Connect) -> None:
    text = refused(f"postgresql://u:s3cretpw@127.0.0.1:{free_port()}/db?sslmode=disable", connect)
    assert "s3cretpw" not in text
    assert "refused" in text.lower()


def test_a_wrong_password(theirs: str, connect: Connect) -> None:
    password = urlsplit(theirs).password
    assert password
    text = refused(theirs.replace(password, "s3cretpw"), connect)
    assert "s3cretpw" not in text
    assert "password authentication failed" in text


def test_a_wrong_database_user_or_socket(theirs: str, connect: Connect) -> None:
    assert 'database "absent" does not exist' in refused(theirs.replace("/postgres?", "/absent?"), connect)
    assert "password authentication failed" in refused(theirs.replace("//parkbench:", "//absent:"), connect)
    assert "/nowhere" in refused("postgresql://u@/db?host=%2Fnowhere", connect)


def test_an_unknown_host(connect: Connect) -> None:
    text = refused("postgresql://u:s3cretpw@nowhere.invalid/db?sslmode=disable", connect)
    assert "nowhere.invalid" in text
    assert "s3cretpw" not in text


def test_an_unreadable_string_does_not_reach_the_client() -> None:
    def connect(dsn: str, timeout_s: float = 5.0) -> PsycopgSession:
        raise AssertionError("must not be called")

    assert "percent-encoded" in refused("postgresql://u:s3c@ret@h/db", connect)


@pytest.mark.parametrize("products", [0, -1])
def test_products_must_be_positive(products: int) -> None:
    with pytest.raises(ConfigError, match="products must be at least 1"):
        open_database(products=products)


def test_more_connections_than_the_server_has(theirs: str, connect: Connect) -> None:
    assert "takes at most 40 connections (its max_connections), the sweep needs 41" in refused(theirs, connect, 41)
    with session(theirs), session(theirs):
        assert "only 38 of the database's 40 connections are free, the sweep needs 39" in refused(theirs, connect, 39)
        open_database(theirs, 38, 60, connect=connect)


def test_limits_of_a_user_and_of_a_database(theirs: str, connect: Connect) -> None:
    with session(theirs) as admin:
        admin.execute("create role few login password 'secret123' connection limit 4")
        admin.execute("grant create on database postgres to few")
        admin.execute("create database small connection limit 3")
        try:
            password = urlsplit(theirs).password
            few = theirs.replace(f"parkbench:{password}", "few:secret123")
            assert "at most 4 connections (the user's connection limit)" in refused(few, connect)
            assert "at most 37 connections (its max_connections)" in refused(few, connect, 38), "3 are the superuser's"
            small = theirs.replace("/postgres?", "/small?")
            assert "at most 3 connections (the database's connection limit)" in refused(small, connect)
        finally:
            admin.execute("drop database small (force)")
            admin.execute("drop owned by few")
            admin.execute("drop role few")


def test_a_failure_behind_the_start_stops_the_embedded_one() -> None:
    seen: list[Traces] = []

    def fail(server: EmbeddedServer) -> None:
        assert server.folder is not None
        seen.append(Traces.of(server.folder))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        open_database(products=10, connect=PsycopgSession, started=fail)
    assert seen[0].left() == []
