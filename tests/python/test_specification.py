from __future__ import annotations

import json

import pytest

import parkbench as pb
from parkbench import specification
from parkbench.errors import ConfigError


def test_defaults_are_those_of_the_design() -> None:
    spec = specification.check("pricing")
    assert [model.name for model in spec.models] == ["thread_pool", "virtual_threads", "reactive"]
    assert spec.concurrency == (10, 50, 200, 400)
    assert spec.repeats == 5
    assert spec.needs_database
    assert not specification.check("noop").needs_database


def test_a_specification_survives_its_file() -> None:
    spec = specification.check(
        "pricing",
        model_list=["reactive", pb.ThreadPool(name="big", workers=300, arrivals="closed:think=100ms")],
        concurrency="7,9",
        repeats="3",
        options={"arrivals": "rounds:pause=1", "limit": 5},
        settings={"reactive": {"loops": 1}},
    )
    again = specification.stored(json.loads(json.dumps(spec.recorded())))
    assert again == spec
    assert again.cells() == spec.cells()


def test_a_seed_is_drawn_where_none_is_given() -> None:
    assert specification.check("noop").seed != specification.check("noop").seed
    assert specification.check("noop", seed="12").seed == 12


def test_a_broken_file_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"lacks 'models'"):
        specification.stored({"workload": "noop"})


def test_the_first_difference_is_named() -> None:
    before = specification.check("noop", seed=1, options={"duration": 1})
    specification.check_same(before, specification.check_again(before, "noop"))
    with pytest.raises(ConfigError, match="another repeats; leave repeats out"):
        specification.check_same(before, specification.check_again(before, "noop", repeats=7))
    with pytest.raises(ConfigError, match="another duration"):
        specification.check_same(before, specification.check_again(before, "noop", options={"duration": 2}))


def test_a_database_of_the_environment_is_checked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARKBENCH_DATABASE", "postgresql://me:a@b@host/db")
    with pytest.raises(ConfigError, match="percent-encoded"):
        specification.check_database(None, "unix")
    monkeypatch.delenv("PARKBENCH_DATABASE")
    assert specification.check_database(None, "tcp") == (None, "tcp")
    assert specification.check_database("host=x", "unix") == ("host=x", "unix")
