"""Intervals, verdicts, power, many comparisons at once, and the rule for quantiles."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parkbench import stats


def some(ratio: stats.Ratio | None) -> stats.Ratio:
    assert ratio is not None
    return ratio


def repeats(values: np.ndarray) -> dict[int, float]:
    return dict(enumerate(values.tolist()))


def within(ratio: stats.Ratio, value: float) -> bool:
    assert ratio.low is not None and ratio.high is not None
    return ratio.low <= value <= ratio.high


def test_mean_and_median() -> None:
    assert stats.mean([1.0, 2.0, 6.0]) == 3.0
    assert stats.median([5.0, 1.0, 3.0]) == 3.0
    assert stats.median([4.0, 1.0, 3.0, 2.0]) == 2.5
    with pytest.raises(ValueError, match="no values"):
        stats.mean([])
    with pytest.raises(ValueError, match="no values"):
        stats.median([])


def test_pairs_are_formed_by_repeat_and_not_by_place() -> None:
    # The machine slows down from repeat to repeat; only pairs see that b is always twice a.
    a = {0: 1.0, 1: 2.0, 2: 4.0, 3: 8.0, 9: 100.0}
    b = {3: 16.0, 2: 8.0, 1: 4.0, 0: 2.0, 7: 0.5}
    ratio = stats.paired_ratio(a, b)
    assert ratio is not None
    assert ratio.pairs == 4
    assert ratio.ratio == pytest.approx(2.0)
    assert ratio.low == pytest.approx(2.0)
    assert ratio.high == pytest.approx(2.0)


def test_no_interval_below_three_repeats_and_no_words_below_five() -> None:
    def at(repeats: int) -> stats.Ratio:
        ratio = stats.paired_ratio(dict.fromkeys(range(repeats), 1.0), {i: 2.0 + i / 1000 for i in range(repeats)})
        assert ratio is not None
        return ratio

    assert (at(2).low, at(2).high) == (None, None)
    assert at(3).low is not None
    assert [at(n).verdict() for n in (1, 2, 3, 4, 5)] == ["too_few_repeats"] * 4 + ["larger"]
    assert stats.paired_ratio({0: 1.0}, {1: 1.0}) is None
    assert stats.paired_ratio({0: 0.0}, {0: 1.0}) is None


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(1.03, 1.5, "larger"), (1.01, 1.5, "unsure"), (0.5, 0.97, "smaller"), (0.5, 0.99, "unsure"),
     (0.99, 1.01, "same"), (0.7, 1.3, "unsure")],
)  # fmt: skip
def test_words_need_an_interval_beyond_two_percent(low: float, high: float, verdict: str) -> None:
    assert stats.Ratio(math.sqrt(low * high), low, high, 5).verdict() == verdict


@pytest.mark.parametrize("pairs", [5, 8, 20])
def test_the_interval_of_pairs_covers_the_truth_as_often_as_it_says(pairs: int) -> None:
    rng = np.random.default_rng(7)
    hits = 0
    for row_a, row_b in rng.normal(0, 0.1, (2000, 2, pairs)):
        ratio = some(stats.paired_ratio(repeats(np.exp(row_a)), repeats(1.5 * np.exp(row_b))))
        hits += within(ratio, 1.5)
    assert 0.935 <= hits / 2000 <= 0.965


@pytest.mark.parametrize(("sizes", "spreads"), [((5, 5), (0.1, 0.1)), ((5, 12), (0.2, 0.05)), ((20, 6), (0.1, 0.02))])
def test_the_unpaired_interval_covers_also_where_the_sides_spread_unlike(
    sizes: tuple[int, int], spreads: tuple[float, float]
) -> None:
    rng = np.random.default_rng(9)
    hits = 0
    for _ in range(2000):
        a, b = (np.exp(rng.normal(0, spread, size)) for size, spread in zip(sizes, spreads, strict=True))
        hits += within(some(stats.unpaired_ratio(a.tolist(), (1.5 * b).tolist())), 1.5)
    assert 0.93 <= hits / 2000 <= 0.97


def test_the_unpaired_ratio_agrees_with_scipy() -> None:
    a, b = [1.0, 1.2, 0.9, 1.1, 1.05], [1.4, 1.9, 1.5, 1.3]
    reference = pytest.importorskip("scipy.stats").ttest_ind(np.log(b), np.log(a), equal_var=False)
    low, high = np.exp(reference.confidence_interval(0.95))
    ratio = some(stats.unpaired_ratio(a, b))
    assert ratio.pairs == 4
    assert ratio.p == pytest.approx(reference.pvalue)
    assert ratio.low == pytest.approx(low)
    assert ratio.high == pytest.approx(high)
    assert ratio.degrees == pytest.approx(reference.df)


def test_the_unpaired_ratio_needs_three_on_each_side_for_an_interval() -> None:
    few = some(stats.unpaired_ratio([1.0, 1.1], [2.0, 2.1, 2.2, 2.3]))
    assert (few.low, few.high, few.p, few.detectable, few.pairs) == (None, None, None, None, 2)
    assert few.ratio == pytest.approx(2.1476 / 1.0488, rel=1e-3)
    assert stats.unpaired_ratio([], [1.0]) is None
    assert stats.unpaired_ratio([0.0], [1.0]) is None
    alike = some(stats.unpaired_ratio([2.0] * 5, [2.0] * 5))
    assert (alike.ratio, alike.low, alike.high, alike.p, alike.verdict()) == (1.0, 1.0, 1.0, 1.0, "same")


def test_p_is_that_of_a_t_test_and_agrees_with_the_interval() -> None:
    scipy_stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(3)
    for _ in range(50):
        logs = rng.normal(0.05, 0.05, 6)
        ratio = some(stats.paired_ratio(dict.fromkeys(range(6), 1.0), repeats(np.exp(logs))))
        assert ratio.p == pytest.approx(scipy_stats.ttest_1samp(logs, 0).pvalue)
        assert ratio.p is not None and (ratio.p < 0.05) == (not within(ratio, 1.0))
    two = some(stats.paired_ratio({0: 1.0, 1: 1.0}, {0: 2.0, 1: 2.1}))
    assert (two.p, two.detectable, two.power_of(0.05)) == (None, None, None)


def test_the_detectable_difference_is_that_of_its_formula() -> None:
    logs = [0.02, -0.01, 0.03, 0.0, 0.01]
    ratio = some(stats.paired_ratio(dict.fromkeys(range(5), 1.0), {i: math.exp(x) for i, x in enumerate(logs)}))
    error = statistics.stdev(logs) / math.sqrt(5)
    assert ratio.error == pytest.approx(error)
    nct = pytest.importorskip("scipy.stats").nct
    shift = pytest.importorskip("scipy.optimize").brentq(lambda d: nct.sf(stats_t(0.975, 4), 4, d) - 0.8, 0, 20)
    assert ratio.detectable == pytest.approx(1.02 * math.exp(shift * error) - 1, rel=1e-5)
    assert ratio.detectable_at(0.8, margin=0.0) == pytest.approx(math.exp(shift * error) - 1, rel=1e-5)
    assert ratio.detectable is not None
    assert ratio.power_of(ratio.detectable) == pytest.approx(0.8, abs=1e-5)
    assert ratio.power_of(1 / (1 + ratio.detectable) - 1) == pytest.approx(0.8, abs=1e-5)
    with pytest.raises(ValueError, match="above -1"):
        ratio.power_of(-1.0)


def stats_t(probability: float, degrees: int) -> float:
    return float(pytest.importorskip("scipy.stats").t.ppf(probability, degrees))


def test_without_spread_what_is_beyond_the_margin_is_found() -> None:
    exact = some(stats.paired_ratio(dict.fromkeys(range(5), 2.0), dict.fromkeys(range(5), 2.0)))
    assert (exact.p, exact.power_of(0.05), exact.power_of(0.01)) == (1.0, 1.0, 0.0)
    assert exact.detectable == pytest.approx(stats.MARGIN)


@pytest.mark.parametrize("difference", [0.05, -0.06, 0.15])
def test_the_power_is_how_often_the_word_is_said(difference: float) -> None:
    rng = np.random.default_rng(19)
    pairs, spread, rounds = 5, 0.03, 2000
    wanted = "larger" if difference > 0 else "smaller"
    said = 0
    for logs in rng.normal(math.log1p(difference), spread, (rounds, pairs)):
        said += some(stats.paired_ratio(dict.fromkeys(range(pairs), 1.0), repeats(np.exp(logs)))).verdict() == wanted
    known = stats.Ratio(1.0, 1.0, 1.0, pairs, 1.0, spread / math.sqrt(pairs), pairs - 1)
    printed = known.power_of(difference)
    assert printed is not None
    assert said / rounds == pytest.approx(printed, abs=0.03)


def test_equal_names_get_no_word_in_95_of_100_sweeps() -> None:
    rng = np.random.default_rng(21)
    words, excluded = 0, 0
    for row_a, row_b in rng.normal(0, 0.05, (2000, 2, 5)):
        ratio = some(stats.paired_ratio(repeats(np.exp(row_a)), repeats(np.exp(row_b))))
        words += ratio.verdict() in {"larger", "smaller"}
        excluded += not within(ratio, 1.0)
    assert words / 2000 <= 0.05
    assert 0.035 <= excluded / 2000 <= 0.065


def test_holm_raises_p_step_by_step() -> None:
    # The example of Holm's procedure worked by hand: 4 x 0.005, 3 x 0.01, then no smaller than before.
    assert stats.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert stats.holm([]) == []
    assert stats.holm([0.2]) == [0.2]
    assert stats.holm([0.9, 0.8]) == [1.0, 1.0]
    with pytest.raises(ValueError, match=r"p value lies between 0 and 1, not 1\.5"):
        stats.holm([0.1, 1.5])


def test_holm_keeps_the_error_of_all_together() -> None:
    rng = np.random.default_rng(27)
    alarms = sum(min(stats.holm(p.tolist())) <= 0.05 for p in rng.random((2000, 12)))
    assert 0.035 <= alarms / 2000 <= 0.065


def test_intervals_are_across_processes_because_those_across_requests_are_too_narrow() -> None:
    """Requests of a process share its luck (layout, placement): 5 % from process to process, 100 % between requests."""
    rng = np.random.default_rng(33)
    rounds, processes, requests = 1000, 5, 400
    across, within_requests = 0, 0
    for _ in range(rounds):
        luck = np.exp(rng.normal(0, 0.05, (2, processes, 1)))
        times = luck * rng.exponential(1.0, (2, processes, requests))
        means = times.mean(axis=2)
        across += within(some(stats.paired_ratio(repeats(means[0]), repeats(means[1]))), 1.0)
        pooled = times.reshape(2, -1)
        centre = pooled.mean(axis=1)
        error = math.sqrt(float((pooled.var(axis=1, ddof=1) / centre**2).sum()) / pooled.shape[1])
        within_requests += abs(math.log(centre[1] / centre[0])) <= 1.96 * error
    assert 0.93 <= across / rounds <= 0.97
    assert within_requests / rounds <= 0.9


@settings(deadline=None)
@given(st.dictionaries(st.integers(0, 9), st.floats(0.1, 100), min_size=3), st.floats(0.1, 10))
def test_turning_a_pair_round_turns_the_ratio_round(a: dict[int, float], factor: float) -> None:
    b = {repeat: value * factor for repeat, value in a.items()}
    forth, back = stats.paired_ratio(a, b), stats.paired_ratio(b, a)
    assert forth is not None
    assert back is not None
    assert forth.ratio * back.ratio == pytest.approx(1.0)
    assert forth.ratio == pytest.approx(factor)


def test_samples_needed_leaves_ten_beyond() -> None:
    assert [stats.samples_needed(q) for q in (0.5, 0.9, 0.99, 0.999, 0.9999)] == [20, 100, 1_000, 10_000, 100_000]
    assert not stats.carries(0.99, 999)
    assert stats.carries(0.99, 1000)
    with pytest.raises(ValueError, match="quantile"):
        stats.samples_needed(1.0)
