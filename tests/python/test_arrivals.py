from typing import Any

import pytest

from parkbench import arrivals
from parkbench.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("closed", {"kind": "closed", "think_s": 0.0}),
        ("closed:think=100ms", {"kind": "closed", "think_s": 0.1}),
        ("rounds", {"kind": "rounds", "pause_s": 0.0, "every_s": None}),
        ("rounds:pause=2", {"kind": "rounds", "pause_s": 2.0, "every_s": None}),
        ("rounds:every=500ms", {"kind": "rounds", "pause_s": 0.0, "every_s": 0.5}),
    ],
)
def test_forms(text: Any, expected: Any) -> None:
    assert arrivals.parse(text) == expected
    assert arrivals.parse(arrivals.text(expected)) == expected
    assert arrivals.parse(expected) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("constant:rate=10", r"open arrivals \(constant\) are not in this release; arrivals takes closed"),
        ("poisson:rate=10", "not in this release"),
        ("round", "knows no round; did you mean rounds?"),
        ("closed:", "ends in a colon"),
        ("closed:pause=1", "closed takes think as NAME=SECONDS, not pause=1"),
        ("closed:think", "closed takes think as NAME=SECONDS"),
        ("closed:think=-1", "arrivals.think must be at least 0 s"),
        ("rounds:every=0", "arrivals.every must be more than 0 s"),
        ("rounds:pause=1,every=1", "not both"),
        ("rounds:pause=1,pause=2", "sets pause twice"),
        (5, "takes closed, closed:think=S"),
        ("", "takes closed"),
    ],
)
def test_refusals(text: Any, words: Any) -> None:
    with pytest.raises(ConfigError, match=words):
        arrivals.parse(text)
