"""The exam of the diagnosis: what it plants, that nothing in a blanked record gives it away, and how it counts."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
import run_records

from bench import explain
from bench.exam import driver, score
from bench.exam.asking import Answer
from bench.exam.blanking import blanked
from bench.exam.neighbours import Neighbours
from bench.exam.scenarios import SCENARIOS, SPREAD, STRENGTHS, Scenario, case, cases
from bench.exam.score import Graded
from parkbench import child, plan, scenario
from parkbench.diagnosis import CAUSES

SEED = 5
BY_NAME = {one.name: one for one in SCENARIOS}


def planted_record(one: Scenario, strength: str = "medium") -> dict[str, Any]:
    """A record as the scenario's run leaves it, with everything in it that names a cause."""
    chosen = case(one, strength, one.models[0], SEED)
    _, run = driver.planned(chosen)
    record = run_records.record(chosen.model, chosen.users, workload=one.workload)
    record["options"] = {**plan.recorded_options(run.cell.options), "seed": run.seed}
    record |= {"unequal": ["connections", *sorted(chosen.planted)], "bottleneck": "SECRET", "plant": {"SECRET": 1}}
    record["audit"] = {"passed": True, "checks": [{"name": "little", "passed": True, "value": 0.5, "text": "SECRET"}]}
    record["details"] |= {
        "bottleneck": {"text": "SECRET", "figures": {}}, "cause": {"name": "SECRET"}, "plant": "SECRET",
        "error_texts": {"db_error": "SECRET"}, "noise": {"steal_share": 0.01, "text": "SECRET"},
    }  # fmt: skip
    return record


def test_twenty_causes_are_planted_and_each_word_is_one_of_the_diagnosis() -> None:
    assert {one.cause for one in SCENARIOS} == set(CAUSES)
    assert len({one.cause for one in SCENARIOS} - {"none"}) == 20
    assert len(BY_NAME) == len(SCENARIOS)


@pytest.mark.parametrize("one", SCENARIOS, ids=lambda one: one.name)
def test_each_scenario_has_three_strengths_and_something_planted(one: Scenario) -> None:
    tuples = [*one.planted.values(), *one.plant.values(), *one.varied.values(), one.neighbours]
    assert {len(values) for values in tuples} == {len(STRENGTHS)}
    does = bool(one.planted) or bool(one.plant) or any(one.neighbours)
    assert does == (one.cause != "none")
    three = [case(one, strength, one.models[0], SEED) for strength in STRENGTHS]
    different = {json.dumps([made.users, dict(made.options), dict(made.plant), made.neighbours]) for made in three}
    assert len(different) == 3
    assert not set(one.planted) & (set(one.base) | set(one.varied)), "what is blanked is no part of the base"


@pytest.mark.parametrize("one", SCENARIOS, ids=lambda one: one.name)
def test_each_run_can_be_asked_for_and_its_planted_options_reach_it(one: Scenario) -> None:
    defaults = scenario.complete({}, one.workload)
    for made in cases((one,), SEED):
        _, run = driver.planned(made)
        changed = [name for name in made.planted if run.cell.options[name] != defaults[name]]
        assert sorted(changed) == sorted(made.planted)


def test_amounts_are_drawn_by_the_seed() -> None:
    one = BY_NAME["slow_query"]
    assert case(one, "weak", "reactive", 1) == case(one, "weak", "reactive", 1)
    drawn = {case(one, "weak", "reactive", seed).options["query_delay_ms"] for seed in range(50)}
    least, most = (one.planted["query_delay_ms"][0] * factor for factor in (1 - SPREAD, 1 + SPREAD))
    assert len(drawn) > 1 and least <= min(drawn) and max(drawn) <= most
    assert [made.scenario.name for made in cases(SCENARIOS, 1)] != [made.scenario.name for made in cases(SCENARIOS, 2)]


def test_quick_takes_each_scenario_once_and_every_model_has_some() -> None:
    quick = cases(SCENARIOS, SEED, quick=True)
    assert sorted(made.scenario.name for made in quick) == sorted(BY_NAME)
    assert {made.model for made in quick} == set(scenario.MODELS)


@pytest.mark.parametrize("one", SCENARIOS, ids=lambda one: one.name)
def test_a_blanked_record_names_nothing_that_was_planted(one: Scenario) -> None:
    record = planted_record(one)
    kept = json.dumps(record)
    found = blanked(record, one.planted)
    assert json.dumps(record) == kept, "the record itself is not changed"
    defaults = plan.recorded_options(scenario.complete({}, one.workload))
    for name in one.planted:
        assert record["options"][name] != defaults[name]
        assert found["options"][name] == defaults[name]
    assert not set(found["unequal"]) & set(one.planted)
    assert "SECRET" in kept and "SECRET" not in json.dumps(found)
    for name, value in found["options"].items():
        assert name in one.planted or value == record["options"][name], "nothing else is blanked"


def test_what_was_measured_stays() -> None:
    record = planted_record(BY_NAME["lock"]) | {"failures": {"bulkhead_full": 3}}
    found = blanked(record, ["filter_lock"])
    for key in ("phases_ms", "ledger", "failures", "throughput_rps", "threads_idle_mean", "status"):
        assert found[key] == record[key]
    assert found["details"]["queue_depth_mean"] == record["details"]["queue_depth_mean"]
    assert found["details"]["noise"] == {"steal_share": 0.01}
    assert found["audit"]["checks"] == [{"name": "little", "passed": True, "value": 0.5}]


def graded(named: str, *, certain: bool, explained: bool = True, planted: str = "cpu") -> Graded:
    made = case(BY_NAME[planted], "weak", "reactive", SEED)
    return Graded(made, Answer(named, certain, "cpu", explained, ""))


def test_the_score_counts_what_was_named_and_what_was_wrong_with_certainty() -> None:
    right, unsaid = graded("cpu", certain=True), graded("cpu", certain=True, explained=False)
    unsure, wrong = graded("lock", certain=False), graded("lock", certain=True)
    failed = Graded(right.case, None, "the run left no figures: failed: why")
    found = score.rows([right, right, unsaid, unsure, wrong, failed], [(BY_NAME["memory"], "no such plant")])
    named, certainly, alone, by_scenario, left_out = (row.as_json() for row in found)
    assert (named["ours"], named["peer"], named["peer_value"], named["goal"]) == (0.33333, "limit", 0.9, 1.0)
    assert (certainly["ours"], certainly["ratio"], certainly["goal"]) == (1.0, 0.0, 1.0)
    assert (alone["ours"], alone["goal"]) == (0.5, None)
    assert (by_scenario["what"], by_scenario["repeats"], by_scenario["goal"]) == ("cpu named", 6, None)
    assert (left_out["ratio"], left_out["reason"]) == (None, "no such plant")
    assert score.rows([right] * 9 + [unsure], [])[0].ratio == pytest.approx(1.0)
    disturbed = Graded(right.case, None, "others used 80 % of the CPUs", disturbed=True)
    first, second, _, third = score.rows([right, disturbed], [])
    assert (first.ours, first.repeats, first.note) == (1.0, 1, "disturbed and not graded: 1")
    assert (second.repeats, third.repeats) == (1, 1)
    (only,) = score.rows([disturbed], [])
    assert only.ratio is None and only.note == "every run was disturbed"
    with pytest.raises(ValueError, match="no runs"):
        score.share([])


def test_the_table_has_a_line_for_each_run() -> None:
    failed = Graded(graded("cpu", certain=True).case, None, "why")
    lines = score.table([graded("cpu", certain=True), graded("lock", certain=False), failed]).splitlines()
    assert lines[0].split() == ["scenario", "strength", "model", "planted", "named", "certain"]
    assert sorted(line.split()[4] for line in lines[1:]) == ["-", "cpu", "lock"]
    assert [line.split()[6:] for line in lines if "lock" in line] == [["WRONG"]]


def test_only_what_was_not_planted_disturbs() -> None:
    noisy = {"details": {"noise": {"foreign_cpu_share": 0.9, "steal_share": 0.0}}}
    quiet = {"details": {"noise": {"foreign_cpu_share": 0.01, "steal_share": None}}}
    cpu, planted = (case(BY_NAME[name], "weak", "reactive", SEED) for name in ("cpu", "noisy_neighbour"))
    assert "90%" in driver.disturbance(cpu, noisy)
    assert driver.disturbance(cpu, quiet) == driver.disturbance(cpu, {}) == driver.disturbance(planted, noisy) == ""


def test_a_plant_that_the_core_lacks_is_told_from_a_run_that_failed() -> None:
    assert driver.cannot({"status": "failed: plant: there is no pin_ms"}) == (
        "the core refuses it: plant: there is no pin_ms"
    )
    assert driver.cannot({"status": "failed: run process killed by SIGSEGV"}) == driver.cannot({"status": "ok"}) == ""


def test_an_unknown_scenario_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["explain", "--only", "cpu,nothing"])
    with pytest.raises(SystemExit) as ended:
        explain.main()
    assert ended.value.code == 2
    assert "not 'nothing'" in capsys.readouterr().err


def test_neighbours_are_no_descendants_and_gone_when_they_are_told_to() -> None:
    with Neighbours() as beside:
        first = beside.run(2)
        assert len(first) == 2 and all(parents(pid).isdisjoint({os.getpid()}) for pid in first)
        (second,) = beside.run(1)
        assert not any(Path(f"/proc/{pid}").exists() for pid in first) and Path(f"/proc/{second}").exists()
    assert not Path(f"/proc/{second}").exists()


def parents(pid: int) -> set[int]:
    """All processes above one, by their ids."""
    found: set[int] = set()
    while pid > 1:
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        found.add(pid)
    return found


def test_a_real_run_is_graded() -> None:
    one = BY_NAME["admission_limit"]
    made = case(one, "strong", "reactive", SEED)
    with Neighbours() as beside:
        record = driver.make(made, child.core_path(), None, beside)
    assert record["status"] in ("ok", "client_limited"), "a busy machine lets the generator be late"
    assert record["options"]["limit"] == made.options["limit"]
    assert record["ledger"]["rejected"] > 0.3 * record["ledger"]["scheduled"], "the cause is there"
    assert blanked(record, made.planted)["options"]["limit"] is None
