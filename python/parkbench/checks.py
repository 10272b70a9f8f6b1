"""One check of the audit: its value, its limit, one sentence. A check that cannot be made passes and says why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from parkbench.record import Record
from parkbench.wording import amount


class Check(TypedDict):
    """One check: `value` is compared with `limit`; both are null where the check was not made."""

    name: str
    passed: bool
    value: float | None
    limit: float | None
    text: str


class Audit(TypedDict):
    """All checks of a run, passed when each of them is."""

    passed: bool
    checks: list[Check]


def made(name: str, passed: bool, value: float | None, limit: float | None, text: str) -> Check:
    """A check with its outcome."""
    return {"name": name, "passed": passed, "value": value, "limit": limit, "text": text}


def not_made(name: str, why: str) -> Check:
    """A check that could not be made: it passes, so that nobody takes silence for a fault, and says so."""
    return made(name, True, None, None, f"not checked: {why}")


def all_of(checks: list[Check]) -> Audit:
    """The audit that these checks make."""
    return {"passed": all(check["passed"] for check in checks), "checks": checks}


def figure(value: float) -> str:
    """A figure for a sentence: never an exponent, unless it is so small that three digits would show nothing."""
    return amount(value) if abs(value) >= 0.01 or value == 0 else f"{value:.3g}"


def entry(ledger: Mapping[str, object] | None, key: str) -> int:
    """An entry of a ledger; 0 where it has none."""
    found = (ledger or {}).get(key)
    return found if isinstance(found, int) else 0


def not_ok(run: Record) -> int:
    """Requests of the window that were sent and did not end well: rejected, failed, timed out."""
    return sum(entry(run.get("ledger"), key) for key in ("rejected", "failed", "timed_out"))
