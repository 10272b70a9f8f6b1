"""The verdict in a few sentences, for the terminal, the notebook and the head of a report: what comes first is what
matters, and what the data do not carry is said, not left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from parkbench import wording
from parkbench.record import Record, has_figures, is_ok

_TRANSFERS_HTTP = (
    "Measured over http on one machine: bottleneck, queueing, hold times and a missing brake carry over to a service; "
    "CPU and memory per request, garbage collection, warm-up and framework do not."
)
_TRANSFERS = (
    "Measured in one process (direct): bottleneck, queueing and hold times carry over to a service; "
    "CPU and memory per request do not."
)


def describe(runs: Sequence[Record], entries: Sequence[dict[str, Any]]) -> list[str]:
    """Sentences, the verdict first. `entries` are those of `explain_runs(runs)`; plain text without markup.

    The highest load that could be compared is told in full, of every other load only its largest difference.
    """
    if not runs:
        return ["No run has ended yet."]
    if not any(is_ok(run) and has_figures(run) for run in runs):
        reasons = list(dict.fromkeys(str(run.get("status")) for run in runs))
        return [f"No run can be compared: {wording.listed(reasons)}.", *_audit(runs)]
    lines = [f"unequal by design: {different}."] if (different := wording.unequal(runs)) else []
    loads = sorted({entry["concurrency"] for entry in entries if entry.get("largest_phase")}, reverse=True)
    lines += [_plain(entry) for entry in entries if _is_pair(entry, loads[0])]
    lines += [_plain(entry) for entry in entries if entry["kind"] == "model" and entry["concurrency"] == loads[0]]
    for load in reversed(loads[1:]):
        pairs = [entry for entry in entries if _is_pair(entry, load)]
        if pairs:
            lines.append(_first_sentence(_plain(max(pairs, key=lambda entry: abs(math.log(entry["ratio"]))))))
    lines += [_plain(entry) for entry in entries if entry["kind"] == "model" and entry["concurrency"] not in loads]
    return [*lines, *_audit(runs), *_transfer(runs)]


def _is_pair(entry: dict[str, Any], concurrency: int) -> bool:
    return bool(entry["kind"] == "pair" and entry["metric"] == "mean" and entry["concurrency"] == concurrency)


def _plain(entry: dict[str, Any]) -> str:
    """The text without what is set per model: the first line has said that for the whole sweep."""
    text = str(entry["text"])
    if text.startswith("unequal by design: "):
        starts = [at for word in (". At ", ". With ") if (at := text.find(word)) >= 0]
        text = text[min(starts) + 2 :] if starts else text
    return text


def _first_sentence(text: str) -> str:
    end = text.find(". ")
    return text if end < 0 else text[: end + 1]


def _audit(runs: Sequence[Record]) -> list[str]:
    """One line when all is well, else one line per kind of failure with its first case."""
    failed: dict[str, list[str]] = {}
    for run in runs:
        for check in (run.get("audit") or {}).get("checks") or ():
            if not check["passed"]:
                where = f"{run['name']} at {wording.load(run)}, repeat {run['repeat']}: {check['text']}"
                failed.setdefault(check["name"], []).append(where)
    if not failed:
        checked = sum(bool(run.get("audit")) for run in runs)
        return [f"Audit: all checks passed on {wording.plural(checked, 'run')}."] if checked else []
    return [
        f"Audit: {name} failed on {wording.plural(len(cases), 'run')}; {cases[0]}." for name, cases in failed.items()
    ]


def _transfer(runs: Sequence[Record]) -> list[str]:
    texts = {"direct": _TRANSFERS, "http": _TRANSFERS_HTTP}
    return [text for transport, text in texts.items() if any(run.get("transport") == transport for run in runs)]
