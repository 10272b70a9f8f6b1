"""Asks the diagnosis and `explain` what is wrong with a run, from its blanked record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from parkbench.bottleneck import find_bottleneck
from parkbench.diagnosis import find_cause
from parkbench.explain import explain_runs


@dataclass(frozen=True)
class Answer:
    """What was said: the cause, whether with certainty, the bottleneck, and whether `explain` says the same cause."""

    cause: str
    certain: bool
    bottleneck: str
    explained: bool
    text: str


def ask(blanked: Mapping[str, Any]) -> Answer:
    """The diagnosis of a blanked record. It is asked without the sweep's machine costs and without other runs."""
    cause, bottleneck = find_cause(blanked), find_bottleneck(blanked)
    shown = {
        **blanked,
        "bottleneck": bottleneck.name,
        "details": {
            **blanked["details"],
            "cause": {"name": cause.name, "certain": cause.certain, "text": cause.text, "evidence": cause.evidence},
        },
    }
    entries = [entry for entry in explain_runs([shown]) if entry.get("kind") == "model"]
    explained = bool(entries) and all(_says(entry, cause.name, cause.text) for entry in entries)
    return Answer(cause.name, bool(cause.certain), bottleneck.name, explained, cause.text)


def _says(entry: Mapping[str, Any], cause: str, text: str) -> bool:
    """Whether an entry of `explain` names the cause, by its word or by the diagnosis's own sentence."""
    if "cause" in entry:
        return str(entry["cause"]) == cause
    said = str(entry.get("text"))
    return cause in said or cause.replace("_", " ") in said or (bool(text) and text.rstrip(".") in said)
