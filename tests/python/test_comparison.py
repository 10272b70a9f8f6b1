"""Two sweeps side by side: ratios, words and what cannot be compared, on records whose figures are known."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
import run_records as records
from test_comparability import made, workers_sweep

from parkbench import comparison
from parkbench.comparison import COLUMNS, compare
from parkbench.errors import NotComparableError

Change = Callable[[dict[str, Any]], None]


def changed(change: Change, repeats: int = 5) -> list[dict[str, Any]]:
    runs = copy.deepcopy(workers_sweep(repeats))
    for run in runs:
        change(run)
    return runs


def longer(factor: float) -> Change:
    """By this factor, give or take 0.1 %, so that there is a spread."""
    noise = random.Random(5)

    def change(run: dict[str, Any]) -> None:
        run["response_mean_ms"] *= factor * noise.uniform(0.999, 1.001)

    return change


def row_of(frame: pd.DataFrame, name: str, figure: str) -> dict[str, Any]:
    found = frame[(frame["name"] == name) & (frame["figure"] == figure)]
    assert len(found) == 1
    return {str(key): value for key, value in found.iloc[0].items()}


def test_ratios_per_name_load_and_figure() -> None:
    frame = compare(made(), made(changed(longer(0.5))))
    assert list(frame.columns) == list(COLUMNS)
    assert len(frame) == 2 * 4
    mean = row_of(frame, "thread_pool", "response_mean_ms")
    assert mean["ratio"] == pytest.approx(0.5, rel=0.001)
    assert mean["b"] == pytest.approx(mean["a"] / 2, rel=0.001)
    assert mean["low"] < 0.5 < mean["high"]
    assert (mean["repeats"], mean["pairing"], mean["verdict"]) == (5, "paired", "faster")
    assert (mean["leg"], mean["concurrency"]) == ("closed", 300)
    assert math.isnan(mean["rate_rps"])
    assert 0.02 < mean["detectable"] < 0.03


@pytest.mark.parametrize(
    ("figure", "factor", "word"),
    [("response_mean_ms", 1.2, "slower"), ("response_mean_ms", 0.8, "faster"), ("throughput_rps", 1.2, "faster"),
     ("throughput_rps", 0.8, "slower"), ("rss_peak_mib", 1.2, "more"), ("rss_peak_mib", 0.8, "less"),
     ("response_mean_ms", 1.001, "same")],
)  # fmt: skip
def test_words(figure: str, factor: float, word: str) -> None:
    noise = random.Random(7)

    def change(run: dict[str, Any]) -> None:
        run[figure] *= factor * noise.uniform(0.9995, 1.0005)

    assert row_of(compare(made(), made(changed(change))), "virtual_threads", figure)["verdict"] == word


def test_no_word_within_the_margin_however_sure() -> None:
    verdict = row_of(compare(made(), made(changed(longer(1.018)))), "thread_pool", "response_mean_ms")["verdict"]
    assert verdict in ("same", "unsure")


def test_no_word_below_five_repeats() -> None:
    a, b = made(workers_sweep(4)), made(changed(longer(2.0), 4))
    found = row_of(compare(a, b), "thread_pool", "response_mean_ms")
    assert found["verdict"] == "too_few_repeats"
    assert found["low"] < 2 < found["high"]
    two = row_of(compare(made(workers_sweep(2)), made(changed(longer(2.0), 2))), "thread_pool", "response_mean_ms")
    assert math.isnan(two["low"])
    assert math.isnan(two["p"])


def test_holm_takes_back_a_word_that_many_rows_make_likely() -> None:
    """With p = 0.03 alone a row would be a difference; one of eight that say nothing else is not."""
    rows: list[dict[str, Any]] = [
        {"p": 0.03, "verdict": "slower"},
        *({"p": 0.5, "verdict": "unsure"} for _ in range(7)),
    ]
    comparison._holm(rows)
    assert rows[0] == {"p": pytest.approx(0.24), "verdict": "unsure"}
    alone: list[dict[str, Any]] = [{"p": 0.03, "verdict": "slower"}, {"p": math.nan, "verdict": "new"}]
    comparison._holm(alone)
    assert alone[0] == {"p": pytest.approx(0.03), "verdict": "slower"}


def test_sweeps_of_other_sessions_are_unpaired_and_labelled() -> None:
    a, b = made(), made(changed(longer(1.5)), session="two")
    with pytest.raises(NotComparableError, match="different sessions"):
        compare(a, b)
    frame = compare(a, b, unpaired=True)
    assert set(frame["pairing"]) == {"unpaired"}
    mean = row_of(frame, "thread_pool", "response_mean_ms")
    assert mean["ratio"] == pytest.approx(1.5, rel=0.01)
    assert (mean["repeats"], mean["verdict"]) == (5, "slower")


def test_unpaired_takes_any_number_of_repeats() -> None:
    frame = compare(made(), made(workers_sweep(7), session="two"), unpaired=True)
    assert row_of(frame, "thread_pool", "response_mean_ms")["verdict"] in ("same", "unsure")


def test_one_session_one_after_the_other_is_unpaired() -> None:
    def later(run: dict[str, Any]) -> None:
        run["started_at"] = run["started_at"].replace("12:00", "13:00")

    assert set(compare(made(), made(changed(later)))["pairing"]) == {"unpaired"}
    assert set(compare(made(), made(changed(lambda run: None)))["pairing"]) == {"paired"}


def test_what_only_one_has_is_new_or_gone_and_no_exception() -> None:
    only_pool = [run for run in workers_sweep(5) if run["name"] == "thread_pool"]
    for a, b, verdict, empty in ((made(), made(only_pool), "gone", "b"), (made(only_pool), made(), "new", "a")):
        found = row_of(compare(a, b), "virtual_threads", "response_mean_ms")
        assert found["verdict"] == verdict
        assert math.isnan(found["ratio"])
        assert math.isnan(found[empty])
        assert found["a" if empty == "b" else "b"] > 0
        assert row_of(compare(a, b), "thread_pool", "response_mean_ms")["repeats"] == 5


def test_a_figure_that_one_lacks_is_not_available() -> None:
    def without(run: dict[str, Any]) -> None:
        run["response_p99_ms"] = None
        run.pop("rss_peak_mib")

    frame = compare(made(), made(changed(without)))
    for figure in ("response_p99_ms", "rss_peak_mib"):
        assert row_of(frame, "thread_pool", figure)["verdict"] == "not_available"
    assert "response_p99_ms" not in set(compare(made(changed(without)), made(changed(without)))["figure"])


def test_runs_that_failed_leave_nothing_to_compare() -> None:
    failed = [
        {**records.failed(run["name"], 300, run["repeat"]), "options": run["options"]} for run in workers_sweep(5)
    ]
    assert set(compare(made(), made(failed))["verdict"]) == {"not_available"}


def test_fast_refusals_do_not_win() -> None:
    def refuse(run: dict[str, Any]) -> None:
        run["response_mean_ms"] /= 10
        refused = run["ledger"]["ok"] // 20
        run["ledger"] |= {"ok": run["ledger"]["ok"] - refused, "rejected": refused}

    found = row_of(compare(made(), made(changed(refuse))), "thread_pool", "response_mean_ms")
    assert found["verdict"] == "too_many_errors"
    assert found["ratio"] == pytest.approx(0.1)


def test_legs_and_rates_are_apart() -> None:
    def both(rate: float) -> list[dict[str, Any]]:
        extra = [{**run, "leg": "open", "rate_rps": rate, "load_share": 0.8} for run in workers_sweep(5)]
        return [*workers_sweep(5), *extra]

    frame = compare(made(both(100.0)), made(both(100.0)))
    assert len(frame) == 16
    assert frame[frame["leg"] == "open"]["rate_rps"].unique().tolist() == [100.0]
    other = compare(made(both(100.0)), made(both(110.0)))
    assert other[other["leg"] == "open"]["verdict"].tolist() == ["gone"] * 8 + ["new"] * 8
    assert comparison.load({str(key): value for key, value in frame.iloc[-1].items()}) == "100/s"


def said(a: Any, b: Any) -> list[str]:
    return comparison.sentences([{str(k): v for k, v in row.items()} for row in compare(a, b).to_dict("records")])


def test_sentences() -> None:
    (sentence,) = [text for text in said(made(), made(changed(longer(2.0)))) if text.startswith("thread_pool")]
    assert sentence.startswith("thread_pool at 300 is slower: response mean ")
    assert "2 times (2 to 2) over 5 repeats, paired." in sentence.replace("2.00", "2")
    (same,) = said(made(), made())
    assert same.startswith("No practical difference: all within 2 %; so many repeats find differences from 2 % for thr")
    assert same.endswith("2 % for response p99 and 2 % for rss peak.")
    (few,) = said(made(workers_sweep(3)), made(workers_sweep(3)))
    assert few == "5 repeats are needed to say faster or slower; there are fewer."
    only_pool = [run for run in workers_sweep(5) if run["name"] == "thread_pool"]
    assert said(made(), made(only_pool))[-1] == "Only in the first: virtual_threads at 300."


@pytest.mark.parametrize(
    ("figure", "a", "b", "texts"),
    [
        ("response_mean_ms", 1500.0, 500.0, ("1,500 ms", "500 ms")),
        ("response_mean_ms", 1.8e-6, 2.2e-6, ("1.80 ns", "2.20 ns")),
        ("response_mean_ms", 0.5, 1200.0, ("500 us", "1,200,000 us")),
        ("response_p99_ms", 20_000.0, 40_000.0, ("20.0 s", "40.0 s")),
        ("throughput_rps", 1234.0, math.nan, ("1,234/s", "")),
        ("rss_peak_mib", 31.25, 62.5, ("31.2 MiB", "62.5 MiB")),
        ("response_mean_ms", math.nan, 0.0, ("", "0 ms")),
    ],
)
def test_both_values_are_in_one_unit(figure: str, a: float, b: float, texts: tuple[str, str]) -> None:
    assert comparison.in_one_unit(figure, a, b) == texts
