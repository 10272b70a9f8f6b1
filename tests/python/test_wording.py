"""Figures and waits as they are said."""

from __future__ import annotations

import pytest
import run_records as records

from parkbench import wording
from parkbench.record import PHASES


@pytest.mark.parametrize(
    ("value", "text"),
    [(4836.2, "4,836"), (99.96, "100"),
     (24.13, "24.1"), (3.456, "3.46"), (0.5, "0.500"), (0.0042, "0.004"), (0.05, "0.050"), (0.0, "0"),
     (-12.34, "-12.3"), (1234567.8, "1,234,568")],
)  # fmt: skip
def test_amounts(value: float, text: str) -> None:
    assert wording.amount(value) == text


def test_percent_and_lists() -> None:
    assert [wording.percent(x) for x in (0.93, 0.0042, 0.0, 1.0)] == ["93 %", "0.4 %", "0 %", "100 %"]
    assert [wording.listed(list(x)) for x in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]
    assert [wording.plural(n, "repeat") for n in (1, 5)] == ["1 repeat", "5 repeats"]


def test_load_says_users_only_where_there_are_users() -> None:
    assert wording.load(records.record(concurrency=1)) == "1 user"
    assert wording.load(records.record(concurrency=4000)) == "4,000 users"
    assert wording.load(records.article("reactive", "request")) == "300 at once"
    assert wording.load({"concurrency": 5, "options": {"arrivals": "poisson:rate=5"}}) == "5 connections"
    assert wording.arrivals(records.record()) == "closed, no think time"
    assert wording.arrivals(records.record(options={"think_s": 0.5})) == "closed, think time 0.5 s"
    assert wording.arrivals(records.article("reactive", "request")) == "rounds"


def test_waits_name_the_resource_and_its_size() -> None:
    run = records.starved("thread_pool")
    assert wording.waiting("connection", run) == "waiting for one of 10 connections"
    assert wording.waiting("queue", run) == "waiting for one of 200 workers"
    assert wording.waiting("queue", records.starved("virtual_threads")) == "waiting for one of 2 carriers"
    assert wording.waiting("connection", {}) == "waiting for a connection"
    assert wording.waiting("connection", {"options": {"connections": 1}}) == "waiting for the one connection"
    assert all(not wording.waiting(phase, run).startswith("in " + phase) for phase in PHASES if phase != "database")


def test_unequal_options_are_listed_by_name() -> None:
    runs = [records.starved("thread_pool", name="held", options={"connection_hold": "request", "limit": None},
                            unequal=("connection_hold", "limit")), records.starved("reactive")]  # fmt: skip
    assert wording.unequal(runs) == "held has connection_hold=request, limit=none"
    assert wording.unequal(runs[1:]) == ""


def test_phases_over_http_and_at_a_gateway() -> None:
    run = records.over_http()
    assert wording.waiting("network", run) == "between the generator and the server"
    assert wording.waiting("downstream", run) == "in the downstream service"
    assert wording.waiting("reply", run) == "writing the answer"
    assert wording.waiting("connection", run) == "waiting for a connection to the downstream"
    few = records.over_http(
        options={"downstream_connections": 50, "downstream": "timer", "arrivals": "constant:rate=5"}
    )
    assert wording.waiting("connection", few) == "waiting for one of 50 connections to the downstream"
    assert wording.waiting("downstream", few) == "in the downstream (a timer)"
    assert wording.waiting("client_wait", few) == "waiting until a connection was free to send"
    assert wording.arrivals(few) == "constant, 5/s"
    assert wording.at_load(few) == "With 1,000 connections"


def test_the_open_leg_says_its_rate_and_of_what_it_is_a_share() -> None:
    run = records.open_leg("reactive")
    assert wording.load(run) == "poisson 1,234/s (80 % of the lowest capacity)"
    assert wording.at_load(run) == "At poisson 1,234/s (80 % of the lowest capacity)"
    assert wording.load({**run, "load_share": None}) == "poisson 1,234/s"
    own = records.record(options={"arrivals": "poisson:rate=1234"})
    assert wording.load(own) == "400 connections"


def test_where_the_processes_ran_is_said_with_what_loopback_leaves_out() -> None:
    http, direct = records.over_http(), records.starved("reactive")
    assert wording.placement([http]) == (
        "Server and generator shared the same CPUs (2); over loopback no packet is lost and no round trip takes time."
    )
    assert wording.placement([http], "system").startswith("Server, generator and database shared the same CPUs (2);")
    assert "the database is a server of its own, wherever it runs; over loopback" in wording.placement([http], "user")
    split = records.over_http(options={"placement": "split"})
    assert wording.placement([split], "system").startswith(
        "Server and generator had CPUs of their own, half of them each (2), and the database shared both; over loopback"
    )
    assert wording.placement([split, http]).startswith("Some names had the CPUs split")
    assert "no network is in these figures" in wording.placement([direct])
    assert wording.placement([]) == ""
