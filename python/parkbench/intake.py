"""What a line of a file must hold to be a run: checked where it is read, so that nothing behind has to doubt it.

A file may be older than this program, from another, or edited. A field that is missing may be missing; one that is
there has the kind of value that everything else counts on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parkbench.record import FIGURES, LEDGER

_WORDS = ("name", "model", "status")
_NUMBERS_OF = ("ledger", "failures", "phases_ms")
_MAPPINGS = (*_NUMBERS_OF, "options", "details", "audit", "cpu")


def fault(run: Mapping[str, Any]) -> str | None:
    """Why this is no run, to stand behind `line 3 of runs.jsonl is no run:`; None where it is one."""
    for key in _WORDS:
        if not isinstance(run.get(key), str):
            return f"its {key} is {_shown(run, key)}, not a word"
    for key in ("concurrency", "repeat"):
        if not _is_whole(run.get(key)):
            return f"its {key} is {_shown(run, key)}, not a whole number"
    for key in (*FIGURES, "rate_rps", "load_share"):
        if not _is_number(run.get(key)):
            return f"its {key} is {_shown(run, key)}, not a number"
    for key in _MAPPINGS:
        found = run.get(key)
        if found is not None and not isinstance(found, Mapping):
            return f"its {key} is {_shown(run, key)}, not an object"
        if found and key in _NUMBERS_OF and not all(_is_number(value) for value in found.values()):
            return f"its {key} holds something that is no number"
    ledger = run.get("ledger") or {}
    if any(not _is_whole(ledger.get(key, 0)) for key in LEDGER if ledger.get(key) is not None):
        return "its ledger holds something that is no whole number"
    return _audit_fault(run.get("audit")) or _list_fault(run.get("unequal"))


def sample_fault(row: Mapping[str, Any]) -> str | None:
    """Why this is no sample of a run, to stand behind `line 3 of timeline.jsonl is no sample:`."""
    return None if _is_whole(row.get("run")) else f"its run is {_shown(row, 'run')}, not a whole number"


def _audit_fault(audit: Any) -> str | None:
    checks = (audit or {}).get("checks") or ()
    whole = isinstance(checks, (list, tuple)) and all(
        isinstance(check, Mapping) and {"name", "passed", "text"} <= check.keys() for check in checks
    )
    return None if whole else "its audit holds something that is no check"


def _list_fault(unequal: Any) -> str | None:
    fine = unequal is None or (isinstance(unequal, (list, tuple)) and all(isinstance(word, str) for word in unequal))
    return None if fine else "its unequal is no list of words"


def _is_number(value: Any) -> bool:
    """Also null, which a run has where it has no such figure."""
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _shown(run: Mapping[str, Any], key: str) -> str:
    if key not in run:
        return "missing"
    text = repr(run[key])
    return text if len(text) <= 40 else text[:37] + "..."
