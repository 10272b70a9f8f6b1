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
        ("steps:100@2,200@2", "arrivals steps are not in this release; arrivals takes closed"),
        ("ramp:100-200@5", "not in this release"),
        ("constant", "constant needs its rate, as in constant:rate=500"),
        ("poisson:rate=0", "arrivals.rate must be more than 0"),
        ("poisson:rate=nan", "takes a number"),
        ("poisson:rate=5s", "takes a number"),
        ("poisson:think=5", "poisson takes rate as NAME=NUMBER, not think=5"),
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


@pytest.mark.parametrize(
    ("typed", "kind", "rate"), [("constant:rate=500", "constant", 500.0), ("poisson:rate=0.5", "poisson", 0.5)]
)
def test_open_arrivals(typed: str, kind: str, rate: float) -> None:
    assert arrivals.parse(typed) == {"kind": kind, "rate": rate}
    assert arrivals.text(arrivals.parse(typed)) == typed
    assert arrivals.parse(arrivals.parse(typed)) == arrivals.parse(typed)
    assert arrivals.is_open(kind)
    assert not arrivals.is_open("closed") and not arrivals.is_open("rounds")
