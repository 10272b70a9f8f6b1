"""A rule fixed before the first run: so many repeats, or a precision; never significance."""

from __future__ import annotations

import inspect
import math
import random
from typing import Any

import pytest
import run_records as records

import parkbench as pb
from parkbench import stopping
from parkbench.errors import ConfigError
from parkbench.stats import Ratio, t_quantile


def runs(spread: float, repeats: int, names: tuple[str, ...] = ("thread_pool", "reactive"), users: int = 50) -> Any:
    draw = random.Random(5)
    return [
        {**records.record(name, users, repeat), "response_mean_ms": 100 * math.exp(draw.gauss(0, spread))}
        for repeat in range(1, repeats + 1)
        for name in names
    ]


def test_defaults_and_what_they_say() -> None:
    assert stopping.check() == stopping.Rule(5, None)
    assert stopping.check(repeats="7").text == "7 repeats, fixed before the first run"
    until = stopping.check(until="5%")
    assert until == stopping.Rule(30, 0.05)
    assert "at most 5 % to either side, judged from 5 repeats on, at most 30 repeats" in until.text


@pytest.mark.parametrize("given", ["5%", " 5 % ", "0.05", 0.05])
def test_a_share_is_a_percentage_or_a_number(given: Any) -> None:
    assert stopping.check(until=given).until == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"until": "significant"}, "cannot go on until something is significant"),
        ({"until": "p<0.05"}, "until takes how far the 95 % interval may reach"),
        ({"until": "5"}, "such as 5% or 0.05"),
        ({"until": 0}, "such as 5% or 0.05"),
        ({"until": "-1%"}, "such as 5% or 0.05"),
        ({"until": "80%"}, "at most 50%"),
        ({"until": True}, "such as 5% or 0.05"),
        ({"until": "5%", "repeats": 5}, "repeats and until are two rules; give one"),
        ({"max_repeats": 9}, "max_repeats belongs to until"),
        ({"until": "5%", "max_repeats": 4}, "max_repeats must be at least 5"),
        ({"until": "5%", "max_repeats": 1001}, "max_repeats must be at most 1,000"),
        ({"repeats": 0}, "repeats must be at least 1"),
    ],
)
def test_other_rules_are_refused_in_one_sentence(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        stopping.check(**given)
    assert "\n" not in str(caught.value)


def test_no_argument_of_a_sweep_looks_at_significance() -> None:
    names = inspect.signature(pb.sweep).parameters
    assert {"repeats", "until", "max_repeats"} <= set(names)
    assert not [name for name in names if "signif" in name or name in ("alpha", "p_value", "power")]


def test_a_rule_survives_its_file() -> None:
    for rule in (stopping.Rule(7), stopping.Rule(9, 0.1)):
        assert stopping.check(**rule.recorded()) == rule


def test_the_half_width_is_that_of_the_interval() -> None:
    assert stopping.half_width(Ratio(2.0, 1.8, 2.2, 5)) == pytest.approx(0.1)
    assert stopping.half_width(Ratio(2.0, None, None, 2)) is None
    assert stopping.half_width(None) is None


def test_narrow_intervals_are_enough_and_wide_ones_are_not() -> None:
    narrow = stopping.judge(runs(0.001, 5), 0.05)
    assert narrow.met
    assert narrow.half_width is not None
    assert narrow.half_width < 0.05
    wide = stopping.judge(runs(0.3, 5), 0.05)
    assert not wide.met
    assert wide.of == "reactive to thread_pool at 50 users"


def test_where_the_interval_lies_does_not_matter() -> None:
    """A difference that is far from none stops no sooner than one that is none."""
    same = runs(0.05, 6)
    apart = [{**one, "response_mean_ms": one["response_mean_ms"] * (3 if one["name"] == "reactive" else 1)}
             for one in same]  # fmt: skip
    a, b = stopping.judge(same, 0.05), stopping.judge(apart, 0.05)
    assert a.met == b.met
    assert a.half_width == pytest.approx(b.half_width)


def test_fewer_than_five_repeats_are_never_enough() -> None:
    assert not stopping.judge(runs(0.0001, 4), 0.05).met
    assert stopping.judge(runs(0.0001, 5), 0.05).met
    one_bad = runs(0.0001, 5)
    one_bad[0]["status"] = "too_short"
    found = stopping.judge(one_bad, 0.05)
    assert not found.met
    assert found.of == "reactive to thread_pool at 50 users: 4 repeats can be compared, 5 are needed"
    assert "no interval to judge (reactive to" in stopping.outcome(stopping.check(until="5%"), 30, found)["text"]


def test_the_widest_of_all_loads_decides() -> None:
    found = stopping.judge([*runs(0.001, 6), *runs(0.3, 6, users=400)], 0.05)
    assert not found.met
    assert found.of == "reactive to thread_pool at 400 users"


def test_of_one_model_the_interval_of_its_mean() -> None:
    own = runs(0.1, 8, ("reactive",))
    logs = [math.log(one["response_mean_ms"]) for one in own]
    centre = sum(logs) / 8
    half = t_quantile(0.975, 7) * math.sqrt(sum((x - centre) ** 2 for x in logs) / 7 / 8)
    found = stopping.judge(own, 0.05)
    assert found.half_width == pytest.approx(math.sinh(half))
    assert found.of == "reactive at 50 users"


def test_a_name_that_never_ends_well_does_not_keep_the_sweep_going() -> None:
    broken = [records.failed("virtual_threads", 50, repeat) for repeat in range(1, 6)]
    assert stopping.judge([*runs(0.001, 5), *broken], 0.05).met
    nothing = stopping.judge(broken, 0.05)
    assert nothing.met
    assert nothing.half_width is None


def test_runs_that_are_not_steady_do_not_count() -> None:
    unsteady = runs(0.001, 5)
    unsteady[0]["details"]["steady"] = {"kind": "unstable", "samples": 40}
    assert not stopping.judge(unsteady, 0.05).met


def test_what_happened_is_said() -> None:
    rule = stopping.check(until="5%", max_repeats=8)
    planned = stopping.outcome(stopping.check(repeats=3), 3, None)
    assert (planned["met"], planned["text"]) == (None, "3 repeats as planned")
    met = stopping.outcome(rule, 6, stopping.judge(runs(0.001, 6), 0.05))
    assert met["text"].startswith("precise enough after 6 repeats: the widest interval reaches 0.")
    most = stopping.outcome(rule, 8, stopping.judge(runs(0.3, 8), 0.05))
    assert most["text"].startswith("the maximum of 8 repeats was reached before 5 % was: the widest interval reaches ")
    assert most["half_width"] > 0.05


def test_the_summary_speaks_of_early_stops_and_missed_precision_only() -> None:
    rule = stopping.check(until="5%", max_repeats=8)
    met = stopping.outcome(rule, 6, stopping.judge(runs(0.001, 6), 0.05))
    most = stopping.outcome(rule, 8, stopping.judge(runs(0.3, 8), 0.05))

    def sweep(block: dict[str, Any]) -> dict[str, Any]:
        return {"design": {"stopping": block}}

    assert stopping.describe(sweep(stopping.block(rule, {"closed": met}, over=True))) == ""
    missed = stopping.describe(sweep(stopping.block(rule, {"closed": met, "open": most}, over=True)))
    assert missed.startswith("Not as precise as asked: open leg: the maximum of 8 repeats")
    early = stopping.block(rule, {"closed": met})
    assert early["stopped_early"]
    assert early["text"].startswith("stopped early after: precise enough")
    assert stopping.describe(sweep(early)).startswith("Stopped early, before its rule was met")
    assert stopping.describe({}) == stopping.describe({"design": {}}) == ""
