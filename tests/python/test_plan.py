from dataclasses import replace
from typing import Any

import pytest

from parkbench import models, plan, scenario
from parkbench.errors import ConfigError


def make(given: Any = None, which: str = "thread_pool,reactive", users: Any = (10, 50)) -> list[plan.Cell]:
    return plan.cells("pricing", models.resolve(which), list(users), scenario.checked(given or {}))


def test_each_repeat_holds_every_cell_once_in_an_order_of_its_own() -> None:
    runs = plan.runs(make(users=(10, 50, 200, 400)), 5, seed=1)
    blocks = [[(r.cell.name, r.cell.concurrency) for r in runs if r.repeat == repeat] for repeat in range(1, 6)]
    assert all(sorted(block) == sorted(blocks[0]) and len(set(block)) == 8 for block in blocks)
    assert len({tuple(block) for block in blocks}) > 1
    assert [r.repeat for r in runs] == sorted(r.repeat for r in runs)


def test_the_seed_gives_the_plan() -> None:
    assert [r.key for r in plan.runs(make(), 4, 9)] == [r.key for r in plan.runs(make(), 4, 9)]
    assert [r.key for r in plan.runs(make(), 4, 9)] != [r.key for r in plan.runs(make(), 4, 10)]


def test_a_block_does_not_depend_on_the_blocks_before_it() -> None:
    runs = plan.runs(make(), 4, 9)
    assert plan.block(make(), 3, 9) == [run for run in runs if run.repeat == 3]
    assert plan.block([], 1, 9) == []


def test_each_run_has_a_padding_of_its_own_from_the_seed() -> None:
    runs = plan.runs(make(users=(10, 50, 200, 400)), 10, seed=1)
    paddings = [run.env_padding_bytes for run in runs]
    assert len(set(paddings)) > len(paddings) * 0.9
    assert 0 <= min(paddings) < 500
    assert 3600 < max(paddings) <= plan.MOST_PADDING
    assert paddings == [run.env_padding_bytes for run in plan.runs(make(users=(10, 50, 200, 400)), 10, seed=1)]


def test_a_key_is_that_of_the_record() -> None:
    (closed,) = plan.block(make(which="reactive", users=(10,)), 2, 1)
    assert closed.key == ("reactive", "closed", 10, 0.0, 2)
    offered = replace(closed.cell, leg="open", rate_rps=50.0, load_share=0.5)
    assert plan.block([offered], 2, 1)[0].key == ("reactive", "open", 10, 50.0, 2)


def test_models_of_a_repeat_share_a_seed_and_repeats_do_not() -> None:
    runs = plan.runs(make(), 3, seed=7)
    assert {r.repeat: r.seed for r in runs} == {1: 8, 2: 9, 3: 10}


def test_options_set_for_one_model_are_unequal_where_they_differ() -> None:
    pools = [models.ThreadPool(workers=300, connections=10), models.Reactive()]
    found = plan.cells("pricing", pools, [10], scenario.checked({"workers": 200}))
    assert [cell.unequal for cell in found] == [("workers",), ()]
    assert found[0].options["workers"] == 300


def test_a_model_option_without_effect_on_the_workload_is_refused() -> None:
    with pytest.raises(ConfigError, match="reactive.cpu_us belongs to the pricing and cpu workloads"):
        plan.cells("noop", [models.Reactive(cpu_us=5)], [10], {})


def test_recorded_options_are_plain() -> None:
    options = plan.recorded_options(scenario.complete(scenario.checked({"arrivals": "closed:think=1"})))
    assert options["arrivals"] == "closed:think=1s"


def test_a_run_is_taken_for_hung_only_after_all_its_limits() -> None:
    options = scenario.complete({})
    assert (plan.longest_s(options) or 0) > 10 + 60 + 30
    assert plan.longest_s({**options, "requests_per_user": 5}) is None
