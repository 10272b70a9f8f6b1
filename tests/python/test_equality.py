"""What is not equal between models is found, and whether somebody asked for it."""

from __future__ import annotations

import run_records as records

from parkbench.audit import unequal_resources


def test_models_with_their_own_options_are_equal() -> None:
    models = ("thread_pool", "virtual_threads", "reactive")
    runs = [records.starved(model, repeat) for model in models for repeat in (0, 1)]
    assert unequal_resources(runs) == []
    assert unequal_resources(runs[:2]) == []  # one model
    assert unequal_resources([]) == []


def test_connections_that_nobody_asked_for() -> None:
    runs = [records.starved("thread_pool"), records.starved("reactive", options={"connections": 20})]
    (found,) = unequal_resources(runs)
    assert (found.field, found.values, found.declared) == ("connections", {"thread_pool": 10, "reactive": 20}, False)
    assert found.text == "unequal connections: thread_pool 10, reactive 20, which nobody asked for"


def test_a_timeout_that_was_asked_for_one_model() -> None:
    runs = [
        records.starved("thread_pool"),
        records.starved("reactive", options={"timeout_s": 5.0, "limit": 7}, unequal=("timeout_s", "limit")),
    ]
    found = {difference.field: difference for difference in unequal_resources(runs)}
    assert set(found) == {"timeout_s", "limit"}
    assert all(difference.declared for difference in found.values())
    assert found["limit"].text == "unequal limit: thread_pool none, reactive 7"


def test_other_cpus_or_another_transport() -> None:
    fewer = records.record("reactive", details={"cpus": 1})
    assert [d.field for d in unequal_resources([records.starved("thread_pool"), fewer])] == ["cpus"]
    other = records.starved("reactive") | {"transport": "http"}
    assert [d.field for d in unequal_resources([records.starved("thread_pool"), other])] == ["transport"]
    unread = records.record("reactive", details={"cpus": None})
    assert unequal_resources([records.starved("thread_pool"), unread]) == []


def test_the_two_legs_of_a_sweep_are_not_held_against_each_other() -> None:
    closed = [records.starved(model) for model in ("thread_pool", "reactive")]
    rate = {"leg": "open", "rate_rps": 50.0}
    opened = [records.starved(m, options={"arrivals": "poisson:rate=50"}) | rate for m in ("thread_pool", "reactive")]
    assert unequal_resources([*closed, opened[0]]) == []
    assert unequal_resources([*closed, *opened]) == []
