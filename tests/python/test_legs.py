"""The open leg follows from the closed one: its rates from the lowest capacity, its connections from Little's law."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
import run_records as records

from parkbench import legs, models, plan, scenario


def run(name: str, users: int, rps: float, repeat: int = 1, **more: Any) -> dict[str, Any]:
    made = records.record(concurrency=users, repeat=repeat, name=name)
    return {**made, "throughput_rps": rps, "response_mean_ms": 1000 * users / rps, "leg": "closed", **more}


def closed_runs() -> list[dict[str, Any]]:
    return [
        *(run("fast", users, rps, repeat) for users, rps in ((10, 1000.0), (100, 4000.0)) for repeat in (1, 2, 3)),
        *(run("slow", 10, rps, repeat) for repeat, rps in enumerate((900.0, 1000.0, 2000.0), 1)),
        *(run("slow", 100, rps, repeat) for repeat, rps in enumerate((700.0, 800.0, 900.0), 1)),
    ]


def cells(users: tuple[int, ...] = (10, 100), **given: Any) -> list[plan.Cell]:
    which = [models.ThreadPool(name="slow", workers=7), models.Reactive(name="fast")]
    return plan.cells("noop", which, users, scenario.checked(given))


def test_the_capacity_is_the_highest_median_and_the_lowest_of_them_gives_the_rates() -> None:
    leg = legs.find(closed_runs(), (10, 100))
    assert leg.capacity_rps == {"fast": 4000.0, "slow": 1000.0}
    assert leg.lowest == "slow"
    assert leg.rates_rps == (500.0, 800.0, 950.0)
    assert leg.text.startswith(
        "open leg: poisson at 500/s, 800/s and 950/s, 50, 80 and 95 % of the lowest capacity (slow, 1,000/s), over "
    )


def test_runs_that_are_not_ok_or_not_closed_have_no_capacity() -> None:
    more = [run("slow", 100, 9000.0, 9, status="client_limited"),
            run("slow", 100, 9000.0, 9, leg="open", rate_rps=9000.0), records.failed()]  # fmt: skip
    assert legs.find([*closed_runs(), *more], (10, 100)).capacity_rps["slow"] == 1000.0


def test_without_any_capacity_there_is_no_rate_and_it_says_so() -> None:
    leg = legs.find([records.failed()], (10, 100))
    assert (leg.lowest, leg.rates_rps, leg.connections) == (None, (), 100)
    assert "no open leg" in leg.text
    assert legs.cells(cells(), leg) == []


def test_a_name_without_capacity_is_left_out() -> None:
    leg = legs.find([one for one in closed_runs() if one["name"] == "fast"], (10, 100))
    assert {cell.name for cell in legs.cells(cells(), leg)} == {"fast"}


@pytest.mark.parametrize(("users", "response_ms"), [((10,), 10.0), ((400,), 400.0), ((3000,), 50.0)])
def test_connections_leave_room_above_what_is_under_way(users: tuple[int, ...], response_ms: float) -> None:
    rps = users[0] / response_ms * 1000
    leg = legs.find([run("one", users[0], rps, repeat) for repeat in (1, 2, 3)], users)
    under_way = leg.rates_rps[-1] * response_ms / 1000
    assert leg.connections >= 2 * under_way + 135
    assert leg.connections >= max(users)
    assert isinstance(leg.connections, int)


def test_connections_that_do_not_fit_are_halved_to_those_that_had_room() -> None:
    leg = replace(legs.find(closed_runs(), (10, 100)), connections=1000)
    assert legs.fitted(leg, lambda _: True, 100) == leg
    assert legs.fitted(leg, lambda one: one.connections <= 300, 100).connections == 250
    assert legs.fitted(leg, lambda _: False, 100).connections == 100


def test_the_queue_of_one_server_exceeds_the_room_one_time_in_a_thousand() -> None:
    assert 0.95**legs._QUEUED <= 0.001 < 0.95 ** (legs._QUEUED - 1)


def test_cells_of_the_open_leg_are_those_of_the_closed_one_with_a_rate() -> None:
    leg = legs.find(closed_runs(), (10, 100))
    made = legs.cells(cells(requests_per_user=5, duration=0.5), leg)
    assert [(cell.rate_rps, cell.load_share, cell.name) for cell in made[:3]] == [
        (500.0, 0.5, "slow"), (500.0, 0.5, "fast"), (800.0, 0.8, "slow")]  # fmt: skip
    assert len(made) == 6
    for cell in made:
        assert (cell.leg, cell.concurrency) == ("open", leg.connections)
        assert cell.options["arrivals"] == {"kind": "poisson", "rate": cell.rate_rps}
        assert cell.options["requests_per_user"] is None
        assert cell.options["duration"] == 0.5
    assert {cell.options["workers"] for cell in made if cell.name == "slow"} == {7}
    assert {cell.unequal for cell in made if cell.name == "slow"} == {("workers",)}
    assert len({run.key for run in plan.block(made, 1, 1)}) == 6


def test_a_leg_survives_its_file() -> None:
    leg = legs.find(closed_runs(), (10, 100))
    assert legs.OpenLeg.stored(json.loads(json.dumps(leg.recorded()))) == leg
