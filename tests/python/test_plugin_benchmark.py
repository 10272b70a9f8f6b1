"""What the fixture does, over real run processes with a stand-in for the core."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from plugin_support import CORE

import parkbench as pb
from parkbench import child
from parkbench.errors import ConfigError
from parkbench.plugin import machine
from parkbench.plugin.baselines import Storage
from parkbench.plugin.benchmark import Benchmark, BenchmarkError, NotComparedError, RegressionError, Where
from parkbench.plugin.settings import Limit, Settings

QUICK = {"models": "thread_pool", "concurrency": 5, "repeats": 3, "duration": 0.02, "transport": "direct"}


@pytest.fixture(autouse=True)
def _fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "core_path", lambda: CORE)


@pytest.fixture
def storage(tmp_path: Path) -> Storage:
    return Storage(tmp_path / "kept", machine.describe())


def bench(storage: Storage, **changes: Any) -> Benchmark:
    return Benchmark(Where("t", Settings(storage.folder, **changes), {}))


def measured(benchmark: Benchmark, cpu_us: float = 1000, **more: Any) -> pb.SweepResult:
    return benchmark.sweep("cpu", **{**QUICK, "cpu_us": cpu_us, **more})


def save(storage: Storage, benchmark: Benchmark) -> None:
    storage.save("main", {entry["test"]: entry["summary"] for entry in benchmark.entries}, None)


def test_without_a_baseline_it_is_recorded_and_passes(storage: Storage) -> None:
    one = bench(storage)
    result = measured(one)
    (row,) = one.assert_no_regression(result)
    assert (row["verdict"], row["notes"]) == ("new", ["no baseline yet; recorded as baseline"])
    (entry,) = one.entries
    assert entry["record"] == "baseline" and entry["rows"] == [row]
    json.dumps(entry, allow_nan=False)
    assert not storage.folder.exists()  # the end of the session writes


def test_strict_fails_without_a_baseline_and_records_nothing(storage: Storage) -> None:
    one = bench(storage, strict=True)
    measured(one)
    with pytest.raises(NotComparedError, match="new: no baseline yet"):
        one.assert_no_regression()
    assert one.entries[0]["record"] is None


def test_unchanged_passes_and_ten_times_as_slow_fails_after_a_confirmation(storage: Storage) -> None:
    first = bench(storage)
    measured(first)
    save(storage, first)
    same = bench(storage)
    measured(same, seed=5)
    (row,) = same.assert_no_regression()
    assert row["verdict"] in ("same", "not worse") and same.entries[0]["confirmations"] == 0
    slow = bench(storage)
    measured(slow, 10_000)
    with pytest.raises(RegressionError, match="slower by more than 5 %") as caught:
        slow.assert_no_regression()
    assert "cpu_us 1000 -> 10000" in str(caught.value) and "looked at 2 times (3, " in str(caught.value)
    (entry,) = slow.entries
    assert entry["confirmations"] == 1 and entry["rows"][0]["verdict"] == "worse"
    (row,) = bench_with(storage, 10_000).assert_no_regression(threshold=10)
    assert row["verdict"] in ("same", "not worse")


def bench_with(storage: Storage, cpu_us: float, **more: Any) -> Benchmark:
    one = bench(storage)
    measured(one, cpu_us, **more)
    return one


def test_without_confirmation_the_first_look_decides(storage: Storage) -> None:
    save(storage, bench_with(storage, 1000))
    slow = bench_with(storage, 10_000)
    with pytest.raises(RegressionError):
        slow.assert_no_regression(confirm=False)
    assert slow.entries[0]["confirmations"] == 0
    faster = bench_with(storage, 100)
    (row,) = faster.assert_no_regression(figure="throughput_rps")
    assert row["verdict"] == "better" and row["ratio"] == pytest.approx(10, rel=0.02)


def test_a_result_from_elsewhere_is_judged_as_it_is(storage: Storage, tmp_path: Path) -> None:
    measured(bench(storage)).save(tmp_path / "old")
    slow = bench_with(storage, 10_000)
    with pytest.raises(RegressionError, match="baseline the given result"):
        slow.assert_no_regression(against=pb.load(tmp_path / "old"))
    save(storage, bench_with(storage, 100))
    with pytest.raises(RegressionError, match="cpu_us 100 -> 1000"):
        bench(storage).assert_no_regression(pb.load(tmp_path / "old"))


def test_only_suspected_cells_are_measured_again(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    models = {"models": ["thread_pool", "reactive"], "concurrency": [5, 10]}
    save(storage, bench_with(storage, 1000, **models))
    asked: list[tuple[Any, Any, int]] = []
    before = Benchmark._measure

    def noting(self: Benchmark, workload: str, arguments: Any, twins: Any) -> Any:
        asked.append((arguments["models"], arguments["concurrency"], arguments["repeats"]))
        return before(self, workload, arguments, twins)

    monkeypatch.setattr(Benchmark, "_measure", noting)
    slow = bench(storage)
    slow.sweep("cpu", **{**QUICK, **models, "models": ["thread_pool", pb.Reactive(cpu_us=10_000)], "cpu_us": 1000})
    with pytest.raises(RegressionError) as caught:
        slow.assert_no_regression()
    assert len(str(caught.value).splitlines()) == 2
    (_, again) = asked
    assert ([model.name for model in again[0]], again[1:]) == (["reactive"], ([5, 10], 6))
    assert {(r["name"], r["verdict"] == "worse") for r in slow.entries[0]["rows"]} == {
        ("thread_pool", False),
        ("reactive", True),
    }


def test_twins_are_measured_in_one_sweep_and_compared(storage: Storage) -> None:
    one = bench(storage)
    result = one.against({"cpu_us": 1000}).sweep("cpu", **QUICK, cpu_us=1000.0001)
    assert {run["name"] for run in result.runs} == {"thread_pool", "thread_pool (baseline)"}
    (row,) = one.assert_no_regression()
    assert (row["verdict"], row["form"], row["against"]) == ("same", "pairs", "thread_pool (baseline)")
    slow = bench(storage)
    slow.against({"cpu_us": 1000}).sweep("cpu", **QUICK, cpu_us=1200)
    with pytest.raises(RegressionError, match=r"for its twin thread_pool \(baseline\): \+20 %"):
        slow.assert_no_regression()
    (entry,) = slow.entries
    assert [cell["name"] for cell in entry["summary"]["cells"]] == ["thread_pool"]


def test_a_second_build_runs_beside_the_present_one(storage: Storage, tmp_path: Path) -> None:
    quicker = tmp_path / "quicker.py"
    text = Path(CORE).read_text().replace("FACTOR = 1.0", "FACTOR = 0.5").replace("__file__", repr(CORE))
    quicker.write_text(text)
    one = bench(storage)
    one.against(quicker).sweep("cpu", **QUICK, cpu_us=1000)
    with pytest.raises(RegressionError, match=r"\+100 %"):
        one.assert_no_regression()
    same = bench(storage)
    same.against(CORE).sweep("cpu", **QUICK, cpu_us=1000)
    assert same.assert_no_regression()[0]["verdict"] == "same"


def test_a_run_that_failed_fails_the_test(storage: Storage) -> None:
    save(storage, bench_with(storage, 1000))
    one = bench_with(storage, 1000, _plant={"act": "broken"})
    with pytest.raises(BenchmarkError, match="a run failed, so that nothing is compared: thread_pool at 5 users"):
        one.assert_no_regression()


def test_another_machine_is_not_comparable(storage: Storage) -> None:
    other = Storage(storage.folder, {**machine.describe(), "cpu_model": "another"})
    other.save("main", {"t": bench_with(storage, 1000).entries[0]["summary"]}, None)
    one = bench_with(storage, 10_000)
    (row,) = one.assert_no_regression()
    assert row["verdict"] == "not comparable"
    assert row["notes"][0].startswith("the baseline is of another machine: cpu_model another and ")
    strict = bench(storage, strict=True)
    measured(strict)
    with pytest.raises(NotComparedError, match="another machine"):
        strict.assert_no_regression()


def test_beside_other_workers_nothing_stored_is_compared(storage: Storage) -> None:
    save(storage, bench_with(storage, 1000))
    taken: list[str] = []

    class Alone:
        def __enter__(self) -> None:
            taken.append("alone")

        def __exit__(self, *_: object) -> None:
            taken.append("over")

    one = Benchmark(Where("t", Settings(storage.folder), {}, workers=3, alone=Alone))
    measured(one, 10_000)
    (row,) = one.assert_no_regression()
    assert row["verdict"] == "not comparable" and "3 workers" in row["notes"][0]
    assert taken == ["alone", "over"]
    assert one.entries[0]["record"] is None


def test_the_command_line_compares_what_a_test_does_not(storage: Storage) -> None:
    save(storage, bench_with(storage, 1000))
    shown = bench(storage, compare="latest")
    measured(shown, 10_000)
    shown.finish()  # shows, fails nothing
    assert shown.entries[0]["rows"][0]["verdict"] == "unsure"
    limited = bench(storage, fail=(Limit("response_mean_ms", 0.1), Limit("throughput_rps", 0.1), Limit("cpu_s", 0.1)))
    measured(limited, 10_000)
    with pytest.raises(RegressionError) as caught:
        limited.finish()
    assert [line.split()[0] for line in str(caught.value).splitlines()] == ["response_mean_ms", "throughput_rps"]
    quiet = bench(storage)
    measured(quiet, 10_000)
    quiet.finish()
    assert quiet.entries[0]["rows"] == []


def test_bad_use_is_one_sentence(storage: Storage) -> None:
    one = bench(storage)
    with pytest.raises(ConfigError, match=r"call parkbench.sweep\(...\) before it"):
        one.assert_no_regression()
    measured(one)
    for given, words in [
        ({"figure": "speed"}, "figure knows no figure speed"),
        ({"threshold": -1}, "threshold takes a share"),
        ({"against": "a/b"}, "against takes a name"),
        ({"against": 5}, "against takes the name of a saved baseline or a result"),
    ]:
        with pytest.raises(ConfigError, match=words):
            one.assert_no_regression(**given)  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(ConfigError, match="unknown option wokers"):
        one.sweep("cpu", wokers=5)


def test_further_sweeps_of_a_test_have_names_of_their_own(storage: Storage) -> None:
    one = bench(storage)
    first, second = measured(one), measured(one)
    one.assert_no_regression(first)
    one.assert_no_regression(second)
    assert [entry["test"] for entry in one.entries] == ["t", "t#2"]


def test_the_event_loop_goes_on_and_a_cancelled_task_stops_the_sweep(storage: Storage, tmp_path: Path) -> None:
    one, told = bench(storage), tmp_path / "pids"

    async def waits() -> int:
        ticks = 0
        task = asyncio.ensure_future(one.asweep("cpu", **QUICK, cpu_us=1000))
        while not task.done():
            await asyncio.sleep(0.005)
            ticks += 1
        assert len((await task).runs) == 3
        return ticks

    assert asyncio.run(waits()) >= 3

    async def cancelled() -> None:
        given = {**QUICK, "duration": 60, "max_duration": 60, "_plant": {"pids": str(told)}}
        task = asyncio.ensure_future(one.asweep("cpu", **given))
        while not told.exists() or "run " not in told.read_text():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    begun, threads = time.monotonic(), threading.active_count()
    asyncio.run(cancelled())
    assert time.monotonic() - begun < 20
    assert threading.active_count() == threads
    pid = int(told.read_text().split()[1])
    assert not Path(f"/proc/{pid}").exists()
