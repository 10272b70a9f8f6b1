"""What is taken for a run when it is read, and what is not."""

from __future__ import annotations

import re
from typing import Any

import pytest
import run_records as records

from parkbench import intake

BARE = {"name": "x", "model": "reactive", "concurrency": 1, "repeat": 1, "status": "ok"}


@pytest.mark.parametrize(
    "run",
    [records.starved("reactive"), records.failed(), records.over_http(), BARE, {**BARE, "ledger": None, "unequal": []},
     {**BARE, "leg": "open", "rate_rps": 812.5, "load_share": 0.5}, {**BARE, "of_a_later_version": {"a": [1]}}],
)  # fmt: skip
def test_what_is_a_run(run: dict[str, Any]) -> None:
    assert intake.fault(run) is None


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"name": 5}, "its name is 5, not a word"),
        ({"status": None}, "its status is None, not a word"),
        ({"concurrency": "many"}, "its concurrency is 'many', not a whole number"),
        ({"repeat": True}, "its repeat is True, not a whole number"),
        ({"repeat": 1.5}, "its repeat is 1.5, not a whole number"),
        ({"response_mean_ms": "fast"}, "its response_mean_ms is 'fast', not a number"),
        ({"rate_rps": []}, r"its rate_rps is \[\], not a number"),
        ({"phases_ms": [1]}, r"its phases_ms is \[1\], not an object"),
        ({"phases_ms": {"cpu": "x"}}, "its phases_ms holds something that is no number"),
        ({"failures": {"x": {}}}, "its failures holds something that is no number"),
        ({"ledger": {"ok": 1.5}}, "its ledger holds something that is no whole number"),
        ({"details": "y" * 99}, r"its details is 'y+\.\.\., not an object"),
        ({"options": 1}, "its options is 1, not an object"),
        ({"audit": {"checks": [5]}}, "its audit holds something that is no check"),
        ({"audit": {"checks": "no"}}, "its audit holds something that is no check"),
        ({"unequal": "workers"}, "its unequal is no list of words"),
    ],
)
def test_what_is_none_is_said_why(change: dict[str, Any], text: str) -> None:
    assert re.fullmatch(text, intake.fault({**BARE, **change}) or "")


def test_what_is_missing_is_named() -> None:
    assert intake.fault({}) == "its name is missing, not a word"
    assert intake.fault({key: BARE[key] for key in BARE if key != "repeat"}) == (
        "its repeat is missing, not a whole number"
    )


def test_samples() -> None:
    assert intake.sample_fault({"run": 3}) is None
    assert intake.sample_fault({}) == "its run is missing, not a whole number"
    assert intake.sample_fault({"run": "3"}) == "its run is '3', not a whole number"
