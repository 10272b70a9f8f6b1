"""A fault as a user types it, and when it begins and ends."""

from __future__ import annotations

from typing import Any

import pytest

from parkbench import brownout
from parkbench.errors import ConfigError


def test_the_default_is_five_seconds_from_a_third_to_two_thirds() -> None:
    fault = brownout.parse("brownout")
    assert fault == {"from_s": None, "until_s": None, "delay_ms": 5000.0}
    assert brownout.complete(fault, 6.0) == {"from_s": 2.0, "until_s": 4.0, "delay_ms": 5000.0}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("brownout:from=1,until=2s,delay=300ms", {"from_s": 1.0, "until_s": 2.0, "delay_ms": 300.0}),
        ("brownout:delay=1s", {"from_s": 2.0, "until_s": 4.0, "delay_ms": 1000.0}),
        ("brownout:from=5s", {"from_s": 5.0, "until_s": 7.0, "delay_ms": 5000.0}),
        ("brownout:until=1s", {"from_s": 0.5, "until_s": 1.0, "delay_ms": 5000.0}),
        ("brownout:from=0", {"from_s": 0.0, "until_s": 4.0, "delay_ms": 5000.0}),
    ],
)
def test_times(text: str, expected: Any) -> None:
    fault = brownout.parse(text)
    assert fault is not None
    assert brownout.complete(fault, 6.0) == expected
    assert brownout.parse(brownout.text(fault)) == fault
    assert brownout.parse(fault) == fault


def test_none_is_no_fault() -> None:
    assert brownout.parse(None) is None
    assert brownout.parse("none") is None
    assert brownout.text(None) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("t=3s stall 5s", "faults t=3s stall 5s is not in this release; faults takes brownout"),
        ("brownou", "is not in this release"),
        (5, "is not in this release"),
        ("brownout:", "ends in a colon"),
        ("brownout:to=5", "takes from, until and delay as NAME=SECONDS, not to=5"),
        ("brownout:from", "as NAME=SECONDS, not from"),
        ("brownout:from=1,from=2", "sets from twice"),
        ("brownout:from=2,until=1", "must end after it begins, not 2 to 1 s"),
        ("brownout:from=-1", "faults.from must be at least 0"),
        ("brownout:delay=0", "faults.delay must be more than 0 s"),
        ("brownout:delay=nan", "takes a number"),
    ],
)
def test_refusals(text: Any, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        brownout.parse(text)


def test_a_fault_after_the_window_is_refused() -> None:
    with pytest.raises(
        ConfigError, match="begins 9 s into a window of 6 s; begin it earlier or give a longer duration"
    ):
        brownout.complete({"from_s": 9.0, "until_s": None, "delay_ms": 1.0}, 6.0)
