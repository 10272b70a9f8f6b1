"""What the database modules need of a connection.

The compiled core's session has this shape. The protocol keeps these modules typed and testable without it.
"""

from __future__ import annotations

import re
from typing import Protocol

from parkbench.errors import DatabaseError


class Session(Protocol):
    """One blocking connection to PostgreSQL, for setting up and checking, never for measuring."""

    def execute(self, sql: str) -> list[tuple[str | None, ...]]:
        """Run one statement and return its rows as text (None is NULL); no rows give an empty list.

        Raises parkbench.errors.DatabaseError with the server's SQLSTATE.
        """

    def copy_in(self, sql: str, data: bytes) -> None:
        """Run a `COPY ... FROM STDIN` statement over `data`, which is in the text format of COPY.

        Raises parkbench.errors.DatabaseError with the server's SQLSTATE.
        """

    def close(self) -> None:
        """Close the connection; a second call does nothing."""


class Connect(Protocol):
    """Opens a session; `core_connect` is one."""

    def __call__(self, dsn: str, timeout_s: float = 5.0) -> Session:
        """Connect within `timeout_s` seconds.

        Raises parkbench.errors.DatabaseError, whose text never holds the password.
        """


class CoreSession:
    """A session of the compiled core, whose errors are the package's own."""

    def __init__(self, dsn: str, timeout_s: float) -> None:
        from parkbench import _core

        self._error = _core.CoreError
        try:
            self._session = _core.Session(dsn, timeout_s)
        except self._error as error:
            raise _translated(error) from None

    def execute(self, sql: str) -> list[tuple[str | None, ...]]:
        """See Session.execute."""
        try:
            rows: list[tuple[str | None, ...]] = self._session.execute(sql)
        except self._error as error:
            raise _translated(error) from None
        return rows

    def copy_in(self, sql: str, data: bytes) -> None:
        """See Session.copy_in."""
        try:
            self._session.copy_in(sql, data)
        except self._error as error:
            raise _translated(error) from None

    def close(self) -> None:
        """See Session.close."""
        self._session.close()


def _translated(error: Exception) -> DatabaseError:
    """The core writes the server's code into the text: `SQLSTATE 42P01: ...`."""
    message = str(error.args[0])
    found = re.search(r"SQLSTATE ([0-9A-Z]{5})", message)
    return DatabaseError(message, found.group(1) if found else None)


def core_connect(dsn: str, timeout_s: float = 5.0) -> Session:
    """Open a session of the compiled core. Raises parkbench.errors.DatabaseError."""
    return CoreSession(dsn, timeout_s)
