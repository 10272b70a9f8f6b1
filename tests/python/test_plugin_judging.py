"""The rule of the plugin on made-up sessions: when it says worse, how often it errs, what it finds."""

from __future__ import annotations

import math
import random

import pytest

from parkbench.plugin import judging
from parkbench.plugin.judging import Estimate, Rule, allowance, confirmation_repeats, pairs, stored

SURE = judging.confidence(1)


def session(rng: random.Random, level: float, *, between: float, within: float, repeats: int) -> list[float]:
    shift = rng.gauss(0, between)
    return [level * math.exp(shift + rng.gauss(0, within)) for _ in range(repeats)]


def verdicts(now: float, *, between: float, within: float, sessions: int, trials: int) -> list[str]:
    """What the rule says of an unchanged or changed benchmark, suspicion and confirmations included."""
    rule, rng, found = Rule("response_mean_ms"), random.Random(f"{now} {between} {sessions}"), []
    for _ in range(trials):
        baseline = [session(rng, 10, between=between, within=within, repeats=5) for _ in range(sessions)]
        mood = rng.gauss(0, between)  # of this session: its confirmations share it

        def more(repeats: int, mood: float = mood) -> list[float]:
            return session(rng, now * 10 * math.exp(mood), between=0, within=within, repeats=repeats)

        look = stored(more(5), baseline, SURE)
        values: list[float] = []
        verdict = "not worse"
        for index in range(3):
            if look is None or not (rule.suspects(look) or (index == 0 and rule.is_blind(look))):
                verdict = "not worse"
                break
            values += more(confirmation_repeats(index, 5))
            look = stored(values, baseline, SURE)
            assert look is not None
            verdict = rule.verdict(look)
            if verdict == "worse":
                break
        found.append(verdict)
    return found


@pytest.mark.parametrize("sessions", [1, 3, 8])
@pytest.mark.parametrize("between", [0.0, 0.01, 0.015])
def test_an_unchanged_benchmark_is_hardly_ever_called_worse(sessions: int, between: float) -> None:
    found = verdicts(1.0, between=between, within=0.02, sessions=sessions, trials=300)
    assert found.count("worse") <= 3


@pytest.mark.parametrize(("sessions", "between"), [(1, 0.005), (5, 0.01), (5, 0.015)])
def test_ten_percent_are_found_where_sessions_differ_little(sessions: int, between: float) -> None:
    found = verdicts(1.10, between=between, within=0.02, sessions=sessions, trials=200)
    assert found.count("worse") >= 192


def test_what_a_machine_cannot_tell_is_not_called_worse() -> None:
    found = verdicts(1.10, between=0.08, within=0.02, sessions=5, trials=200)
    assert found.count("worse") <= 160


def test_the_interval_of_stored_sessions_covers_the_truth() -> None:
    rng, covered = random.Random(7), 0
    for _ in range(600):
        baseline = [session(rng, 10, between=0.015, within=0.02, repeats=5) for _ in range(4)]
        found = stored(session(rng, 11, between=0.015, within=0.02, repeats=5), baseline, 0.95)
        assert found is not None and found.low is not None and found.high is not None
        covered += found.low <= 1.1 <= found.high
    assert 0.93 <= covered / 600 <= 0.995


def test_more_sessions_make_the_interval_narrower() -> None:
    def width(sessions: int) -> float:
        found = stored([10.0, 10.1, 9.9], [[10.0, 10.1, 9.9]] * sessions, SURE)
        assert found is not None and found.low is not None and found.high is not None
        return found.high - found.low

    assert width(1) > width(3) > width(10)


def test_earlier_levels_tell_about_the_spread_alone() -> None:
    now, baseline = [10.0, 10.1, 9.9], [[10.0, 10.1, 9.9]]
    steady = stored(now, baseline, SURE, [[[20.0, 20.2, 19.8]] * 6])
    wild = stored(now, baseline, SURE, [[[20.0 * factor] * 3 for factor in (0.8, 1.3, 0.7, 1.2)]])
    alone = stored(now, baseline, SURE)
    assert steady is not None and wild is not None and alone is not None
    assert steady.ratio == wild.ratio == alone.ratio == pytest.approx(1.0)
    assert steady.high is not None and wild.high is not None and alone.high is not None
    assert steady.high < alone.high < wild.high


def test_the_moderated_variance_by_hand() -> None:
    """Two sessions of logs 0, 0, 0 and 0.02, 0.02, 0.02 against 0.05 three times: only the spread between counts."""
    found = stored([math.exp(0.05)] * 3, [[1.0] * 3, [math.exp(0.02)] * 3], 0.95)
    of_a_session = (10 * 0.015**2 + 2 * 0.01**2) / (10 + 1)  # ten degrees assumed, one found
    t = 2.364624  # 97.5 % with 6 degrees within sessions, fewer than the ten assumed, and one between
    assert found is not None and found.low is not None
    assert found.ratio == pytest.approx(math.exp(0.04))
    assert math.log(found.ratio / found.low) == pytest.approx(t * math.sqrt(of_a_session * 1.5), rel=1e-5)


@pytest.mark.parametrize(
    ("now", "baseline"),
    [([1.0, 1.0], [[1.0] * 5]), ([1.0] * 5, [[1.0], [1.0]])],
)
def test_below_three_repeats_there_is_no_interval(now: list[float], baseline: list[list[float]]) -> None:
    found = stored(now, baseline, SURE)
    assert found == Estimate(1.0, None, None, len(now))
    assert Rule("response_mean_ms").verdict(found) == "too few repeats"


def test_nothing_to_compare_gives_nothing() -> None:
    assert stored([], [[1.0]], SURE) is None
    assert stored([1.0], [[]], SURE) is None
    assert stored([0.0, -1.0], [[1.0]], SURE) is None
    assert pairs({1: 1.0}, {2: 1.0}, SURE) is None


@pytest.mark.parametrize(
    ("form", "estimate", "verdict"),
    [
        ("stored", Estimate(1.10, 1.03, 1.17, 5), "worse"),
        ("pairs", Estimate(1.10, 1.03, 1.17, 5), "unsure"),  # part of the interval lies within the threshold
        ("pairs", Estimate(1.10, 1.06, 1.14, 5), "worse"),
        ("stored", Estimate(1.04, 1.03, 1.045, 5), "same"),  # sure, but no more than the threshold
        ("stored", Estimate(1.10, 1.01, 1.20, 5), "unsure"),
        ("stored", Estimate(1.00, 0.98, 1.02, 5), "same"),
        ("stored", Estimate(1.01, 0.90, 1.12, 5), "not worse"),
        ("stored", Estimate(0.80, 0.75, 0.85, 5), "better"),
        ("pairs", Estimate(0.97, 0.96, 0.975, 5), "better"),
    ],
)
def test_words(form: judging.Form, estimate: Estimate, verdict: str) -> None:
    assert Rule("response_mean_ms", form=form).verdict(estimate) == verdict


def test_a_look_that_could_not_have_seen_it_is_blind() -> None:
    rule = Rule("response_mean_ms")
    assert rule.is_blind(Estimate(0.95, 0.80, 1.11, 5))
    assert not rule.is_blind(Estimate(1.0, 0.91, 1.09, 5))
    assert not rule.is_blind(Estimate(1.0, None, None, 2))
    assert Rule("throughput_rps").is_blind(Estimate(1.05, 0.9, 1.2, 5))


def test_a_lower_throughput_is_worse() -> None:
    rule = Rule("throughput_rps", form="pairs")
    assert rule.verdict(Estimate(0.90, 0.88, 0.92, 5)) == "worse"
    assert rule.verdict(Estimate(1.10, 1.08, 1.12, 5)) == "better"
    assert rule.suspects(Estimate(0.96, None, None, 1))
    assert not rule.suspects(Estimate(1.10, None, None, 1))


def test_what_the_machine_explains_is_no_regression() -> None:
    slow = Estimate(1.10, 1.06, 1.14, 5)
    assert Rule("response_mean_ms").verdict(slow) == "worse"
    assert Rule("response_mean_ms", allowance=1.08).verdict(slow) == "not worse"
    assert Rule("response_mean_ms", allowance=1.08).verdict(Estimate(1.25, 1.2, 1.3, 5)) == "worse"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((0.1, 0.1, 20.0, 20.0), 1.0),
        ((0.2, 0.1, None, None), 0.9 / 0.8),
        ((0.1, 0.2, 22.0, 20.0), 1.1),  # quieter now, but a slower clock
        ((None, 0.2, None, 20.0), 1.0),
        ((1.0, 0.0, None, None), 10.0),
    ],
)
def test_how_much_slower_the_machine_is(arguments: tuple[float | None, ...], expected: float) -> None:
    assert allowance(*arguments) == pytest.approx(expected)


def test_the_error_is_shared_out() -> None:
    assert judging.confidence(1) == pytest.approx(0.95)
    assert judging.confidence(10) == pytest.approx(0.995)
    assert [confirmation_repeats(index, 5) for index in (0, 1, 2)] == [10, 20, 40]
    assert [confirmation_repeats(index, 1) for index in (0, 1, 2)] == [5, 10, 20]


def test_pairs_take_out_what_hits_both() -> None:
    moods = [1.0, 3.0, 0.5, 2.0, 1.5]
    then = {index: mood * 10 for index, mood in enumerate(moods)}
    found = pairs(then, {index: value * 1.1 for index, value in then.items()}, SURE)
    assert found is not None
    assert (found.ratio, found.low, found.high) == pytest.approx((1.1, 1.1, 1.1))
    assert Rule("response_mean_ms", form="pairs").verdict(found) == "worse"
