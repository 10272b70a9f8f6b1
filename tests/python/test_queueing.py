"""The queueing model against what is known exactly: recursions in whole fractions, closed forms, laws, limits."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parkbench import queueing
from parkbench.queueing import Station, predict

NETWORKS = [
    [Station("cpu", 0.25, 1)],
    [Station("cpu", 0.25, 2), Station("disk", 0.5, 1)],
    [Station("workers", 0.75, 3), Station("wait", 2.0, None), Station("disk", 0.125, 1)],
    [Station("a", 0.5, 4), Station("b", 0.5, 4), Station("c", 0.25, 2)],
    [Station("a", 0.0, 1), Station("b", 0.5, 20)],
]


def mean_values(stations: list[Station], users: int, think_s: float) -> tuple[Fraction, dict[str, Fraction]]:
    """Throughput and residence times by Reiser and Lavenberg's recursion, in fractions, where it loses no digit."""
    here = {station.name: [Fraction(1)] for station in stations}
    throughput, residence = Fraction(0), {}
    for n in range(1, users + 1):
        for station in stations:
            demand, before = Fraction(station.demand_s), here[station.name]
            if station.servers is None:
                residence[station.name] = demand
            else:
                slow = (Fraction(j, min(j, station.servers)) * before[j - 1] for j in range(1, n + 1))
                residence[station.name] = demand * sum(slow, Fraction(0))
        throughput = n / (Fraction(think_s) + sum(residence.values()))
        for station in stations:
            demand, before = Fraction(station.demand_s), here[station.name]
            servers = station.servers or n
            after = [throughput * demand / min(j, servers) * before[j - 1] for j in range(1, n + 1)]
            here[station.name] = [1 - sum(after, Fraction(0)), *after]
    return throughput, residence


@pytest.mark.parametrize("stations", NETWORKS)
@pytest.mark.parametrize("users", [1, 2, 3, 5, 12])
@pytest.mark.parametrize("think_s", [0.0, 1.5])
def test_it_is_the_exact_mean_value_analysis(stations: list[Station], users: int, think_s: float) -> None:
    throughput, residence = mean_values(stations, users, think_s)
    found = predict(stations, users, think_s)
    assert found.exact
    assert found.throughput_rps == pytest.approx(float(throughput), rel=1e-11)
    assert found.response_s == pytest.approx(float(sum(residence.values())), rel=1e-11)
    for station in stations:
        waits = float(residence[station.name]) - station.demand_s
        assert found.waiting_s[station.name] == pytest.approx(waits, rel=1e-9, abs=1e-12)
        if station.servers is not None:
            used = float(throughput) * station.demand_s / station.servers
            assert found.utilisation[station.name] == pytest.approx(used)


@pytest.mark.parametrize(("stations", "users"), [(1, 1), (2, 7), (5, 400)])
def test_balanced_single_servers_have_a_closed_form(stations: int, users: int) -> None:
    found = predict([Station(f"s{i}", 0.2, 1) for i in range(stations)], users)
    assert found.throughput_rps == pytest.approx(users / (0.2 * (users + stations - 1)), rel=1e-12)


@pytest.mark.parametrize(("users", "servers"), [(5, 1), (30, 4), (300, 40)])
def test_the_machine_repair_model_has_a_closed_form(users: int, servers: int) -> None:
    think, service = 2.0, 0.5
    weights = [
        math.exp(
            math.lgamma(users + 1) - math.lgamma(users - j + 1) + j * math.log(service / think)
            - sum(math.log(min(i, servers)) for i in range(1, j + 1))
        )
        for j in range(users + 1)
    ]  # fmt: skip
    working = sum(min(j, servers) * w for j, w in enumerate(weights)) / sum(weights)
    found = predict([Station("repair", service, servers)], users, think)
    assert found.throughput_rps == pytest.approx(working / service, rel=1e-10)


def test_nobody_waits_where_there_is_a_server_for_each() -> None:
    found = predict([Station("workers", 0.3, 40), Station("timer", 0.05, None)], 40)
    assert found.waiting_s == {"workers": pytest.approx(0.0, abs=1e-12), "timer": 0.0}
    assert found.throughput_rps == pytest.approx(40 / 0.35, rel=1e-12)


def test_many_servers_stay_exact_when_saturated() -> None:
    # 5,000 users on 200 workers that sleep 300 ms: the recursion in floating point loses its digits here.
    found = predict([Station("workers", 0.3, 200)], 5_000)
    assert found.throughput_rps == pytest.approx(200 / 0.3, rel=1e-9)
    assert found.waiting_s["workers"] == pytest.approx(5_000 * 0.3 / 200 - 0.3, rel=1e-9)
    assert found.utilisation["workers"] == pytest.approx(1.0, rel=1e-9)


def test_a_large_thoughtful_crowd_is_the_open_queue() -> None:
    rate, service, users = 80.0, 0.01, 20_000
    found = predict([Station("server", service, 1)], users, think_s=users / rate)
    assert found.response_s == pytest.approx(1 / (1 / service - rate), rel=0.01)


def test_above_the_exact_range_the_answer_goes_on_from_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    for think_s in (0.0, 30.0, 60.0):
        stations = [Station("connections", 0.002, 10), Station("cpu", 0.0001, 2), Station("wait", 0.3, None)]
        exact = predict(stations, 15_000, think_s)
        with monkeypatch.context() as patch:
            patch.setattr(queueing, "MOST_EXACT", 1_000)
            near = predict(stations, 15_000, think_s)
        assert exact.exact
        assert not near.exact
        assert near.throughput_rps == pytest.approx(exact.throughput_rps, rel=0.005)


stations_strategy = st.lists(
    st.tuples(st.floats(0.0001, 2), st.one_of(st.none(), st.integers(1, 30))), min_size=1, max_size=5
)


@settings(deadline=None, max_examples=80)
@given(stations_strategy, st.integers(1, 300), st.floats(0, 5))
def test_littles_law_and_the_bounds_hold(raw: list[tuple[float, int | None]], users: int, think_s: float) -> None:
    stations = [Station(f"s{index}", demand, servers) for index, (demand, servers) in enumerate(raw)]
    found = predict(stations, users, think_s)
    assert found.throughput_rps * (found.response_s + think_s) == pytest.approx(users, rel=1e-7)
    most = queueing.bounds(stations, users, think_s)
    assert found.throughput_rps <= most * (1 + 1e-9)
    assert found.throughput_rps >= predict(stations, max(1, users - 1), think_s).throughput_rps * (1 - 1e-9)


def test_the_throughput_reaches_the_bound() -> None:
    stations = [Station("connections", 0.02, 10), Station("cpu", 0.001, 2)]
    assert predict(stations, 2_000).throughput_rps == pytest.approx(queueing.bounds(stations, 2_000), rel=1e-6)
    assert queueing.bounds(stations, 2_000) == pytest.approx(500)
    assert queueing.bounds(stations, 2) == pytest.approx(2 / 0.021)


def test_doubling_what_binds_helps_and_doubling_the_rest_does_not() -> None:
    def throughput(connections: int, workers: int) -> float:
        stations = [Station("workers", 0.001, workers), Station("connections", 0.02, connections)]
        return predict(stations, 400).throughput_rps

    base = throughput(10, 8)
    assert throughput(20, 8) == pytest.approx(2 * base, rel=0.01)
    assert throughput(10, 16) == pytest.approx(base, rel=0.01)


@pytest.mark.parametrize(
    ("stations", "users", "think_s", "sentence"),
    [
        ([Station("cpu", 0.1, 1)], 0, 0.0, "at least one user"),
        ([Station("cpu", -0.1, 1)], 1, 0.0, "demand of cpu"),
        ([Station("cpu", 0.1, 0)], 1, 0.0, "cpu needs at least one server"),
        ([Station("cpu", 0.1, 1)], 1, math.inf, "think time"),
        ([Station("cpu", 0.1, 1), Station("cpu", 0.1, 1)], 1, 0.0, "same name"),
        ([Station("cpu", 0.0, 1)], 1, 0.0, "no limit"),
        ([], 1, 0.0, "no limit"),
    ],
)
def test_what_is_no_network_is_refused(stations: list[Station], users: int, think_s: float, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        predict(stations, users, think_s)
