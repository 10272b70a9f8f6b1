"""Many sweeps in their order: series per machine, steps found soon and hardly ever without cause."""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import run_records as records

from parkbench import histories
from parkbench.errors import ConfigError
from parkbench.histories import Point, Saved
from parkbench.store import RunStore

MACHINE = {"cpu_model": "A", "cpus_usable": 2, "memory_mib": 4096, "machine": "x86_64", "kernel": "6.1"}


def moment(day: int) -> datetime:
    return datetime(2024, 5, 1, 12, tzinfo=UTC) + timedelta(days=day)


def saved(day: int, factor: float = 1.0, repeats: int = 3, **changes: Any) -> Saved:
    runs = [records.starved(model, repeat) for repeat in range(repeats) for model in ("reactive", "thread_pool")]
    for run in runs:
        run["response_mean_ms"] *= factor
        run["options"] |= changes.get("options", {})
    environment = {**MACHINE, **changes.get("environment", {})}
    return Saved(f"d{day:02d}", moment(day), {"workload": "pricing", "environment": environment}, runs)


def points(values: Sequence[float]) -> list[Point]:
    return [Point(moment(day).isoformat(), f"d{day:02d}", value, 5) for day, value in enumerate(values)]


def steps(values: Sequence[float]) -> list[int]:
    return [change.index for change in histories.changes_in(points(values))]


def noisy(count: int, seed: int, spread: float = 0.01) -> list[float]:
    rng = random.Random(seed)
    return [100 * (1 + rng.gauss(0, spread)) for _ in range(count)]


def test_series_are_medians_in_the_order_of_time() -> None:
    found = histories.series_of([saved(0), saved(1), saved(2)], ("response_mean_ms",))
    assert [(one.name, one.load, one.figure, len(one.points)) for one in found] == [
        ("thread_pool", "400", "response_mean_ms", 3), ("reactive", "400", "response_mean_ms", 3),
    ]  # fmt: skip
    pool = found[0]
    values = sorted(records.starved("thread_pool", repeat)["response_mean_ms"] for repeat in range(3))
    assert pool.values == [values[1]] * 3
    assert [point.directory for point in pool.points] == ["d00", "d01", "d02"]
    assert pool.points[0].repeats == 3
    assert pool.machine == "A, 2 CPUs, 4 GiB, x86_64"
    assert pool.title.startswith("pricing, direct")


def test_machines_and_options_are_apart_and_builds_are_not() -> None:
    other = saved(1, environment={"cpu_model": "B"})
    found = histories.series_of([saved(0), other, saved(2, environment={"kernel": "6.2"})], ("throughput_rps",))
    assert sorted((one.machine[0], len(one.points)) for one in found) == [("A", 2), ("A", 2), ("B", 1), ("B", 1)]
    found = histories.series_of([saved(0), saved(1, options={"connections": 20})], ("throughput_rps",))
    assert sorted(("connections=20" in one.title, len(one.points)) for one in found) == [
        (False, 1), (False, 1), (True, 1), (True, 1),
    ]  # fmt: skip


def test_an_option_that_did_not_exist_yet_is_no_difference() -> None:
    found = histories.series_of([saved(0), saved(1, options={"alloc_kib": 0, "seed": 9})], ("throughput_rps",))
    assert [len(one.points) for one in found] == [2, 2]


def test_the_open_leg_is_followed_at_its_share_of_the_capacity() -> None:
    def with_open(day: int, rate: float) -> Saved:
        one = saved(day)
        extra = [{**copy.deepcopy(run), "leg": "open", "rate_rps": rate, "load_share": 0.8} for run in one.runs]
        return Saved(one.directory, one.at, one.sweep, [*one.runs, *extra])

    found = histories.series_of([with_open(0, 800.0), with_open(1, 812.0)], ("response_mean_ms",))
    assert [(one.load, len(one.points)) for one in found] == [("400", 2), ("400", 2), ("80 % of capacity", 2),
                                                              ("80 % of capacity", 2)]  # fmt: skip


def test_runs_that_may_not_be_compared_do_not_count() -> None:
    bad = Saved("x", moment(1), saved(1).sweep, [{**run, "status": "client_limited"} for run in saved(1).runs])
    found = histories.series_of([saved(0), bad], ("throughput_rps",))
    assert [len(one.points) for one in found] == [1, 1]
    assert histories.series_of([bad]) == []


def test_a_step_is_named_with_its_date_both_levels_and_its_size() -> None:
    factors = [*[1.0] * 8, *[1.1] * 4]
    series = histories.series_of([saved(day, factor) for day, factor in enumerate(factors)], ("response_mean_ms",))
    pool = series[0]
    (change,) = pool.changes
    assert (change.index, change.directory, change.at) == (8, "d08", moment(8).isoformat())
    assert change.size == pytest.approx(0.1)
    (sentence,) = histories.sentences(pool)
    assert "(+10.0 %) with the sweep of 2024-05-09 12:00 in d08; 8 sweeps before, 4 since." in sentence


def test_a_step_of_five_percent_is_found_within_three_runs() -> None:
    """In series that spread by 1 %; `test_change_points` has it for other spreads and kinds of noise."""
    found = {3: 0, 6: 0}
    for seed in range(100):
        values = [value * (1.05 if index >= 30 else 1.0) for index, value in enumerate(noisy(36, seed))]
        for runs in found:
            found[runs] += any(abs(index - 30) <= 1 for index in steps(values[: 30 + runs]))
    assert found[3] >= 85
    assert found[6] >= 97


def test_false_alarms_are_at_most_one_in_a_thousand_stationary_runs() -> None:
    """Every new run is a new look: an alarm counts once, when it is first raised."""
    alarms = runs = 0
    for seed in range(40):
        values = noisy(60, 1000 + seed)
        seen: set[int] = set()
        for count in range(10, len(values) + 1):
            seen |= set(steps(values[:count]))
        alarms += len(seen)
        runs += 50
    assert runs == 2000
    assert alarms <= 2


def test_differences_within_the_margin_are_no_change() -> None:
    assert steps([*[100.0] * 10, *[101.5] * 10]) == []
    assert steps([*[100.0] * 10, *[103.0] * 10]) == [10]


def test_it_is_deterministic_and_short_series_are_silent() -> None:
    values = noisy(40, 3, 0.05)
    assert steps(values) == steps(list(values))
    for count in range(4):
        assert steps(values[:count]) == []


def test_the_line_of_blocks() -> None:
    assert histories.spark([1, 2, 3, 4, 5, 6, 7, 8]) == "▁▂▃▄▅▆▇█"
    assert histories.spark([5.0, 5.0]) == "▄▄"
    assert histories.spark([5.0]) == "▄"


def on_disk(path: Path, started_at: str, runs: int = 2) -> None:
    store = RunStore.create(path, {"workload": "pricing", "started_at": started_at, "environment": MACHINE})
    for repeat in range(runs):
        store.append(records.starved("reactive", repeat))
    store.finish({})


def test_sweeps_are_found_in_folders_once_and_sorted_by_time(tmp_path: Path) -> None:
    on_disk(tmp_path / "b" / "late", "2024-05-03T01:00:00+00:00")
    on_disk(tmp_path / "b" / "early", "2024-05-01T01:00:00+00:00")
    on_disk(tmp_path / "a", "2024-05-02T23:30:00-03:00")  # 02:30 of the third in UTC
    found, problems = histories.gather([tmp_path, tmp_path / "a", str(tmp_path / "b" / "late")])
    assert [Path(one.directory).name for one in found] == ["early", "late", "a"]
    assert problems == []
    (series,) = histories.series_of(found, ("throughput_rps",))
    assert len(series.points) == 3


def test_a_run_that_was_made_again_counts_once(tmp_path: Path) -> None:
    store = RunStore.create(tmp_path, {"workload": "pricing", "environment": MACHINE})
    store.append({**records.starved("reactive", 1), "status": "incomplete"})
    store.append(records.starved("reactive", 1))
    (series,) = histories.series_of(histories.gather([tmp_path])[0], ("throughput_rps",))
    assert series.points[0].repeats == 1
    assert series.points[0].at.startswith("2024-05-01T12:00")  # of the first run, where the sweep does not say


def test_a_broken_sweep_is_told_and_the_others_are_shown(tmp_path: Path) -> None:
    on_disk(tmp_path / "fine", "2024-05-01T01:00:00+00:00")
    on_disk(tmp_path / "broken", "2024-05-02T01:00:00+00:00")
    (tmp_path / "broken" / "sweep.json").write_text("{")
    on_disk(tmp_path / "edited", "2024-05-03T01:00:00+00:00")
    with (tmp_path / "edited" / "timeline.jsonl").open("a") as file:
        file.write('{"run":0,"t_s":1}\n')
    found, problems = histories.gather([tmp_path])
    assert [Path(one.directory).name for one in found] == ["fine", "edited"]
    assert len(problems) == 2
    assert any("timeline.jsonl is not what it was" in problem for problem in problems)
    assert any("sweep.json cannot be read" in problem for problem in problems)


def test_no_sweep_anywhere_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no sweep; name directories"):
        histories.gather([tmp_path])
    with pytest.raises(ConfigError, match="missing is no directory; name directories"):
        histories.gather([tmp_path / "missing"])


def test_figures_are_checked() -> None:
    assert histories.check_figure("response_p99_ms") == "response_p99_ms"
    with pytest.raises(ConfigError, match="figure knows no response_p9_ms; did you mean response_p99_ms"):
        histories.check_figure("response_p9_ms")
    with pytest.raises(ConfigError, match="figure knows no zzz; it takes duration_s"):
        histories.check_figure("zzz")
