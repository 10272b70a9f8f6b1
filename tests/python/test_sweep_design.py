"""What a sweep does by its design: both legs, the stopping rule, what is drawn for each process, costs and sensors."""

from __future__ import annotations

import contextlib
import json
import threading
from pathlib import Path

import psutil
import pytest
from test_sweeping import FAKE, quick

from parkbench import child, design, plan, record, scenario
from parkbench.errors import ConfigError
from parkbench.stats import paired_ratio
from parkbench.sweeping import sweep


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "core_path", lambda: FAKE)


@pytest.mark.usefixtures("fake")
def test_an_open_leg_follows_the_closed_one_at_rates_that_all_can_carry(tmp_path: Path) -> None:
    result = quick(legs="both", seed=1, out=tmp_path / "out")
    closed, offered = ([run for run in result.runs if run["leg"] == leg] for leg in ("closed", "open"))
    assert [run["leg"] for run in result.runs] == ["closed"] * len(closed) + ["open"] * len(offered)
    assert len(closed) == 8
    assert len(offered) == 12
    leg = json.loads((tmp_path / "out" / "sweep.json").read_text())["open_leg"]
    assert leg["capacity_rps"] == {"thread_pool": 1000.0, "reactive": 1000.0}
    assert leg["rates_rps"] == [500.0, 800.0, 950.0]
    for run in offered:
        assert run["rate_rps"] in leg["rates_rps"]
        assert run["load_share"] == round(run["rate_rps"] / 1000, 2)
        assert run["options"]["arrivals"] == f"poisson:rate={run['rate_rps']:g}"
        assert run["concurrency"] == leg["connections"]
        assert run["details"]["scenario"]["arrivals"]["kind"] == "poisson"
    for repeat in (1, 2):
        block = [(run["name"], run["load_share"]) for run in offered if run["repeat"] == repeat]
        assert len(set(block)) == 6
    assert [tuple(key) for key in result.sweep["order"]] == [record.run_key(run) for run in result.runs]
    assert "then poisson 500/s" in result.title
    assert list(result.sweep["design"]["stopping"]["legs"]) == ["closed", "open"]


@pytest.mark.usefixtures("fake")
def test_a_sweep_goes_on_in_its_open_leg_at_the_rates_that_were_found(tmp_path: Path) -> None:
    out = tmp_path / "out"
    whole = quick(out=out, seed=3, legs="both", models="reactive")
    kept = (out / "runs.jsonl").read_text().splitlines(keepends=True)[:6]
    assert '"leg":"open"' in kept[-1]
    (out / "runs.jsonl").write_text("".join(kept))
    stored = json.loads((out / "sweep.json").read_text())
    stored["open_leg"]["rates_rps"] = [123.0, *stored["open_leg"]["rates_rps"][1:]]  # taken from here, not found again
    (out / "sweep.json").write_text(json.dumps(stored))
    result = sweep("noop", resume=out, quiet=True)
    assert {run["rate_rps"] for run in result.runs if run["leg"] == "open"} >= {123.0, 800.0, 950.0}
    assert [r["started_at"] for r in result.runs][:6] == [r["started_at"] for r in whole.runs][:6]
    assert sweep("noop", resume=out, quiet=True).runs == result.runs


@pytest.mark.usefixtures("fake")
def test_without_a_capacity_there_is_no_open_leg(tmp_path: Path) -> None:
    result = quick(legs="both", models="reactive", repeats=1, concurrency=5, _plant={"act": "exit"})
    assert [run["leg"] for run in result.runs] == ["closed"]
    assert "no open leg" in result.sweep["open_leg"]["text"]
    assert "no open leg" in result.sweep["design"]["stopping"]["legs"]["open"]["text"]


@pytest.mark.usefixtures("fake")
def test_repeats_go_on_until_the_precision_is_met(tmp_path: Path) -> None:
    out = tmp_path / "out"
    precise = {"repeats": None, "until": "5%", "max_repeats": 7, "concurrency": 5, "transport": "direct"}
    result = quick(out=out, **precise)  # the stand-in's figures do not scatter: the first five are enough
    assert sorted({run["repeat"] for run in result.runs}) == [1, 2, 3, 4, 5]
    stopping = result.sweep["design"]["stopping"]
    assert stopping["legs"]["closed"]["met"] is True
    assert "precise enough after 5 repeats" in stopping["text"]
    kept = (out / "runs.jsonl").read_text().splitlines(keepends=True)[:3]
    (out / "runs.jsonl").write_text("".join(kept))
    again = sweep("noop", resume=out, quiet=True)
    assert [record.run_key(run) for run in again.runs] == [record.run_key(run) for run in result.runs]
    with pytest.raises(ConfigError, match="resume: the sweep there has another max_repeats"):
        sweep("noop", resume=out, max_repeats=9)


@pytest.mark.usefixtures("fake")
def test_the_maximum_of_repeats_is_kept_and_said() -> None:
    few = {"repeats": None, "max_repeats": 6, "concurrency": 5, "transport": "direct"}
    result = quick(until="1%", **few, _plant={"act": "scatter"})  # the response of the stand-in is that of a die
    assert {run["repeat"] for run in result.runs} == {1, 2, 3, 4, 5, 6}
    leg = result.sweep["design"]["stopping"]["legs"]["closed"]
    assert leg["met"] is False
    assert leg["half_width"] > 0.01
    assert "the maximum of 6 repeats was reached before 1 % was" in leg["text"]
    failing = quick(until="5%", **few, models="reactive", _plant={"act": "exit"})
    assert {run["repeat"] for run in failing.runs} == {1, 2, 3, 4, 5}  # more repeats would not help


@pytest.mark.usefixtures("fake")
def test_how_a_process_was_started_is_recorded_and_random() -> None:
    result = quick(seed=4, concurrency=5)
    paddings = [run["details"]["env_padding_bytes"] for run in result.runs]
    assert len(set(paddings)) == len(paddings)
    assert all("PARKBENCH_PADDING" in run["details"]["environment"] for run in result.runs)
    assert paddings == [run["details"]["env_padding_bytes"] for run in quick(seed=4, concurrency=5).runs]
    assert result.sweep["design"]["aslr"] in (None, 0, 1, 2)


@pytest.mark.usefixtures("fake")
def test_the_machines_costs_and_the_design_stand_in_the_sweep(tmp_path: Path) -> None:
    result = quick(out=tmp_path / "out", repeats=1, concurrency=5)
    stored = json.loads((tmp_path / "out" / "sweep.json").read_text())
    assert stored["machine_costs"]["clock_read_ns"] > 0
    assert stored["machine_costs"]["generator_ceiling_rps"] is None  # a sweep of 0.1 s is not made longer for it
    assert stored["design"]["session"] == result.sweep["design"]["session"] == design.SESSION
    long = quick(repeats=1, concurrency=5, duration=5.0, _plant={"act": "exit"})
    assert long.sweep["machine_costs"]["generator_ceiling_rps"] == 1000.0


@pytest.mark.usefixtures("fake")
def test_every_run_is_watched_and_diagnosed() -> None:
    for run in quick(repeats=1, concurrency=5).runs:
        assert isinstance(run["details"]["noise"]["noisy"], bool)
        assert run["details"]["cause"]["name"]
        assert run["details"]["steady"]["samples"] == 0


@pytest.mark.slow
def test_both_legs_over_the_compiled_core() -> None:
    """The rates follow from what the models did, and are what was offered."""
    result = sweep(
        "sleep", models="virtual_threads,reactive", concurrency=20, duration=0.2, warmup=0.1, repeats=1, quiet=True,
        transport="direct", sleep_ms=5, legs="both",
    )  # fmt: skip
    leg = result.sweep["open_leg"]
    closed = [run for run in result.runs if run["leg"] == "closed"]
    lowest = [run["throughput_rps"] for run in closed if run["name"] == leg["lowest"]]
    assert min(lowest) <= leg["capacity_rps"][leg["lowest"]] <= max(lowest)
    offered = [run for run in result.runs if run["leg"] == "open"]
    assert len(offered) == 6
    for run in offered:
        assert run["options"]["arrivals"] == f"poisson:rate={run['rate_rps']:.12g}"
        assert run["offered_rps"] == pytest.approx(run["rate_rps"], rel=0.3)
        assert run["phases_ms"]["client_wait"] <= 0.5 * run["response_mean_ms"]
    assert len(result.frame["load_share"].dropna().unique()) == 3
    if any(map(record.is_comparable, offered)):
        result.plot_latency()


@pytest.mark.usefixtures("fake")
def test_every_report_says_where_processes_ran_and_what_loopback_leaves_out() -> None:
    over_http = str(quick(repeats=1, concurrency=5).explain())
    assert "Server and generator shared the same CPUs" in over_http
    assert "over loopback no packet is lost and no round trip takes time" in over_http
    assert "On this machine reading the clock takes" in over_http
    direct = str(quick(repeats=1, concurrency=5, transport="direct").explain())
    assert "no network is in these figures" in direct


def test_a_generator_that_is_stopped_again_and_again_is_client_limited() -> None:
    """Over a real server: what the generator did not send when it was due says nothing about the server."""
    over = threading.Event()

    def hold_up() -> None:
        while not over.wait(0.03):  # the plant itself; nothing is waited for
            for process in psutil.Process().children():
                with contextlib.suppress(psutil.Error):
                    if any("run_child" in part for part in process.cmdline()):
                        process.suspend()
                        over.wait(0.03)
                        process.resume()

    thread = threading.Thread(target=hold_up)
    thread.start()
    try:
        result = sweep(
            "sleep", models="reactive", concurrency=100, arrivals="poisson:rate=500", sleep_ms=1, duration=0.5,
            warmup=0.1, repeats=1, quiet=True,
        )  # fmt: skip
    finally:
        over.set()
        thread.join()
    (run,) = result.runs
    assert run["status"] == "client_limited"
    assert run["bottleneck"] == "generator"
    assert "lateness" in {check["name"] for check in run["audit"]["checks"] if not check["passed"]}


@pytest.mark.slow
def test_the_size_of_the_environment_does_not_decide_the_result() -> None:
    """Six pairs of processes with the least and the most padding: the interval of their ratio covers 1."""
    options = scenario.complete(scenario.checked({"duration": 0.1, "warmup": 0.05}), "noop")
    sent = scenario.to_core("noop", "thread_pool", 20, options, seed=1, dsn=None)
    found: dict[int, dict[int, float]] = {0: {}, plan.MOST_PADDING: {}}
    for repeat in range(6):
        for padding in sorted(found, reverse=bool(repeat % 2)):
            report = child.run(sent, child.core_path(), None, 60.0, padding).report
            assert report is not None
            found[padding][repeat] = report["throughput_rps"]
    ratio = paired_ratio(found[0], found[plan.MOST_PADDING], confidence=0.999)  # a false alarm in a thousand
    assert ratio is not None
    assert ratio.low is not None
    assert ratio.high is not None
    assert ratio.low < 1 < ratio.high


@pytest.mark.usefixtures("fake")
def test_a_sweep_from_before_designs_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "out"
    whole = quick(out=out, seed=3, transport="direct")
    stored = json.loads((out / "sweep.json").read_text())
    for key in ("design", "legs", "until", "max_repeats", "machine_costs", "order"):
        del stored[key]
    (out / "sweep.json").write_text(json.dumps(stored))
    rows = [json.loads(line) for line in (out / "runs.jsonl").read_text().splitlines()[:3]]
    for row in rows:
        for key in ("leg", "rate_rps", "load_share"):
            del row[key]
    (out / "runs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = sweep("noop", resume=out, quiet=True)
    assert [record.run_key(run) for run in result.runs] == [record.run_key(run) for run in whole.runs]
    assert result.sweep["design"]["session"] == f"unknown+{design.SESSION}"
    assert not result.sweep["design"]["stopping"]["stopped_early"]
    assert len(result.sweep["order"]) == 8
