"""What the database modules need of a connection.

The compiled core's `parkbench._core.Session` has this shape. The protocol keeps these modules typed and testable
without it.
"""

from __future__ import annotations

from typing import Protocol


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
    """Opens a session; `parkbench._core.Session` itself is one."""

    def __call__(self, dsn: str, timeout_s: float = 5.0) -> Session:
        """Connect within `timeout_s` seconds.

        Raises parkbench.errors.DatabaseError, whose text never holds the password.
        """


def core_connect(dsn: str, timeout_s: float = 5.0) -> Session:
    """Open a session of the compiled core. Raises parkbench.errors.DatabaseError."""
    from parkbench import _core

    session: Session = _core.Session(dsn, timeout_s)
    return session
