"""The errors parkbench raises. Every text is one sentence that says what is wrong and what to do about it."""

from __future__ import annotations


class ParkbenchError(Exception):
    """Base of all errors raised by parkbench."""


class ConfigError(ParkbenchError, ValueError):
    """The arguments or the environment do not allow what was asked; nothing has been run (exit code 2)."""


class NotComparableError(ConfigError):
    """Two results whose figures say nothing about each other; the text begins with `not comparable:` (exit code 1)."""


class DatabaseError(ParkbenchError):
    """The database refused or failed an operation.

    `sqlstate` is the five-character code of the server's answer, or None when the server gave none
    (for example because there is no connection).
    """

    def __init__(self, message: str, sqlstate: str | None = None) -> None:
        super().__init__(message)
        self.sqlstate = sqlstate


class RunError(ParkbenchError):
    """A run started and could not be brought to its end (exit code 1)."""
