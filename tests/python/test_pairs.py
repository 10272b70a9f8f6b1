"""Two names compared: words only where the repeats, the number of comparisons and the failures allow them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
import run_records as records

from parkbench.pairs import SIGNIFICANT, pair_entries
from parkbench.points import Point, points_of

Runs = list[dict[str, Any]]


def pairs_of(runs: Runs) -> list[tuple[Point, Point]]:
    return [pair for points in points_of(runs) for pair in combinations(points, 2)]


def entries_of(runs: Runs, **more: Any) -> list[dict[str, Any]]:
    return pair_entries(pairs_of(runs), **more)


def scaled(run: dict[str, Any], factor: float) -> dict[str, Any]:
    spent = {phase: value * factor for phase, value in run["phases_ms"].items()}
    p99 = run["response_p99_ms"]
    return {**run, "phases_ms": spent, "response_mean_ms": sum(spent.values()),
            "response_p99_ms": None if p99 is None else p99 * factor}  # fmt: skip


def two(ratios: list[float], users: int = 50, **more: Any) -> Runs:
    """A pool, and a reactive that takes so many times as long, a ratio for each repeat."""
    runs = []
    for repeat, ratio in enumerate(ratios):
        one = {**scaled(records.record("thread_pool", users, repeat, noise=0.0), 1.0), **more, "response_p99_ms": None}
        runs += [one, scaled({**one, "name": "reactive", "model": "reactive"}, ratio)]
    return runs


CLEAR = [1.20, 1.21, 1.20, 1.22, 1.21]
NOISY = [1.02, 1.25, 1.10, 1.31, 1.15]
"""Its interval lies beyond 2 %, but only just."""


def test_a_clear_difference_has_every_figure() -> None:
    (found,) = entries_of(two(CLEAR))
    assert found["low"] < found["ratio"] < found["high"]
    assert found["p_holm"] == found["p"] < 1e-4
    assert 0.02 < found["detectable"] < 0.05
    assert f"over 5 repeats (detectable: {found['detectable']:.0%}".replace("%", " %") in found["text"]
    assert "reactive is slower than thread_pool" in found["text"]
    assert found["verdict"] == "larger"


def test_among_many_comparisons_a_doubtful_one_loses_its_words() -> None:
    doubtful = two(NOISY)
    (alone,) = entries_of(doubtful)
    assert alone["low"] > 1.02
    assert alone["verdict"] == "larger"
    same = [run for users in range(60, 72) for run in two([1.001, 0.999, 1.0, 1.002, 0.998], users)]
    among = entries_of([*doubtful, *same])[0]
    assert among["p"] == alone["p"]
    assert among["p_holm"] > SIGNIFICANT > among["p"]
    assert among["verdict"] == "unsure"
    assert "among 13 comparisons that may be chance (Holm, p " in among["text"]
    assert "slower" not in among["text"]
    assert "phase" not in among["text"]


def test_holm_is_over_all_loads_and_metrics() -> None:
    runs = [run for users in (50, 60, 70) for run in two(CLEAR, users)]
    found = entries_of(runs)
    assert max(entry["p_holm"] for entry in found) <= 3 * max(entry["p"] for entry in found) + 1e-12
    assert all(entry["p_holm"] >= entry["p"] for entry in found)
    assert min(entry["p_holm"] for entry in found) == pytest.approx(3 * min(entry["p"] for entry in found))


@pytest.mark.parametrize("repeats", [1, 2, 3, 4])
def test_below_five_repeats_there_are_no_words(repeats: int) -> None:
    (found,) = entries_of(two(CLEAR[:repeats]))
    assert found["verdict"] == "too_few_repeats"
    assert (found["p"] is None) == (found["detectable"] is None) == (repeats < 3)
    assert ("detectable: not known below 3" in found["text"]) == (repeats < 3)
    assert "5 repeats are needed to say faster or slower" in found["text"]


def failing(runs: Runs, name: str, share: float) -> Runs:
    for run in runs:
        if run["name"] == name:
            bad = round(share * run["ledger"]["scheduled"])
            run["ledger"] = {**run["ledger"], "rejected": bad, "ok": run["ledger"]["scheduled"] - bad}
    return runs


def test_quick_failures_do_not_win() -> None:
    runs = failing(two([0.01] * 5), "reactive", 0.4)
    (found,) = entries_of(runs)
    assert found["verdict"] == "not_compared"
    assert all(found[key] is None for key in ("ratio", "low", "high", "phase", "p", "p_holm", "difference_ms"))
    assert "are not compared: reactive failed 40 % of its requests, more than 1 %" in found["text"]
    assert "faster" not in found["text"]
    (asked,) = entries_of(runs, despite_failures=True)
    assert "reactive is faster than thread_pool" in asked["text"]
    assert entries_of(failing(two(CLEAR), "reactive", 0.01))[0]["verdict"] == "larger"


def test_what_failed_is_in_no_family_of_comparisons() -> None:
    runs = [*two(CLEAR, 50), *failing(two(CLEAR, 60), "reactive", 0.2)]
    assert [entry["p_holm"] == entry["p"] for entry in entries_of(runs)] == [True, True]


def test_closed_users_say_nothing_about_latency_where_there_is_an_open_leg() -> None:
    opened = two(CLEAR, 80, leg="open", rate_rps=100.0, load_share=0.5)
    closed, found = entries_of([*two(CLEAR), *opened])
    assert "slower" not in closed["text"]
    assert "with closed users that follows from capacity" in closed["text"]
    assert closed["verdict"] == "larger"
    assert (closed["leg"], found["leg"], found["rate_rps"]) == ("closed", "open", 100.0)
    assert "reactive is slower than thread_pool" in found["text"]


def test_the_p99_is_explained_by_the_slowest_requests() -> None:
    runs = two(CLEAR)
    for run in runs:
        slow = run["name"] == "reactive"
        run["response_p99_ms"] = (900.0 if slow else 100.0) + run["repeat"]
        run["details"] = {**run["details"], "slowest_phases_ms": {"database": 1.0, "wakeup": 9.0 if slow else 0.0}}
    mean, p99 = entries_of(runs)
    assert (mean["phase"], p99["phase"]) == ("connection", "wakeup")
    assert sum(p99["difference_ms"].values()) == pytest.approx(800.0)
    assert p99["difference_ms"]["wakeup"] == pytest.approx(0.9 * 902.0)
    assert "In its slowest requests reactive spends 812 ms more waiting to run again" in p99["text"]
    for run in runs:
        del run["details"]["slowest_phases_ms"]
    p99 = entries_of(runs)[1]
    assert p99["difference_ms"] is None
    assert "of the mean more" in p99["text"]


def test_a_held_connection_is_named_from_measurements_alone() -> None:
    runs = [
        records.article(m, h, r) for r in range(5) for m, h in (("thread_pool", "request"), ("reactive", "statement"))
    ]
    for run in runs:
        run["options"] = {
            key: value for key, value in run["options"].items() if key not in ("connection_hold", "app_wait_ms")
        }
    text = entries_of(runs)[0]["text"]
    assert "what makes the difference is holding the connection (" in text
    assert "of which the database works 0.99" in text
    assert text.endswith("not the model.")
