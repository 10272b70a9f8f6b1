"""Takes out of a record what would give the planted cause away, and leaves what was measured."""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping
from typing import Any

from parkbench import plan, scenario

SENTENCES = frozenset({"text", "error_texts"})
"""Keys, at any depth, whose value is a sentence: made for people, and apt to name the cause."""
ANSWERS = frozenset({"bottleneck", "cause", "plant"})
"""Keys, of the record and of its details, that are an answer already."""


def blanked(record: Mapping[str, Any], planted: Collection[str]) -> dict[str, Any]:
    """The record as the diagnosis gets it: the planted options at their defaults, no answer in it and no sentence.

    The default is that of the record's workload, in the form of a record. Everything measured stays: figures, phases,
    ledger, failures by cause, counters in `details`, numbers of the audit. The record itself is not changed.
    """
    found: dict[str, Any] = _silent(copy.deepcopy(dict(record)))
    defaults = plan.recorded_options(scenario.complete({}, str(record.get("workload"))))
    options = dict(found.get("options") or {})
    options.update({name: defaults[name] for name in planted})
    found["options"] = {name: value for name, value in options.items() if name not in ANSWERS}
    found["unequal"] = [name for name in found.get("unequal") or [] if name not in planted]
    found["details"] = {name: value for name, value in (found.get("details") or {}).items() if name not in ANSWERS}
    found.pop("plant", None)
    found["bottleneck"] = None
    return found


def _silent(value: Any) -> Any:
    """The value without sentences, at any depth."""
    if isinstance(value, dict):
        return {key: _silent(one) for key, one in value.items() if key not in SENTENCES}
    if isinstance(value, list):
        return [_silent(one) for one in value]
    return value
