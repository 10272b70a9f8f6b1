from __future__ import annotations

import json

import pytest

import parkbench as pb
from parkbench import specification, stopping
from parkbench.errors import ConfigError


def test_defaults_are_those_of_the_design() -> None:
    spec = specification.check("pricing")
    assert [model.name for model in spec.models] == ["thread_pool", "virtual_threads", "reactive"]
    assert spec.concurrency == (10, 50, 200, 400)
    assert spec.rule == stopping.Rule(5)
    assert spec.legs == "closed"
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


@pytest.mark.parametrize("rule", [{"repeats": 3}, {"until": "5%", "max_repeats": 9}])
def test_the_rule_and_the_legs_survive_too(rule: dict[str, object]) -> None:
    spec = specification.check("noop", legs="both", **rule)  # type: ignore[arg-type]
    assert specification.stored(json.loads(json.dumps(spec.recorded()))) == spec
    assert specification.check_again(spec, "noop") == spec


def test_a_file_from_before_legs_and_rules_reads_as_it_was() -> None:
    spec = specification.check("noop", repeats=3, seed=1)
    old = {key: value for key, value in spec.recorded().items() if key not in ("legs", "until", "max_repeats")}
    assert specification.stored(old) == spec


def test_the_open_leg_needs_a_closed_one() -> None:
    specification.check("noop", legs="both", options={"arrivals": "closed:think=1"})
    words = "legs both finds capacities with closed users .* leave arrivals poisson out"
    with pytest.raises(ConfigError, match=words):
        specification.check("noop", legs="both", options={"arrivals": "poisson:rate=5"})
    with pytest.raises(ConfigError, match="leave arrivals rounds out \\(reactive has it\\)"):
        specification.check("noop", legs="both", settings={"reactive": {"arrivals": "rounds"}})
    with pytest.raises(ConfigError, match="legs knows no open; it takes closed and both"):
        specification.check("noop", legs="open")


def test_how_many_runs_and_seconds_there_are() -> None:
    spec = specification.check("noop", concurrency="5,10", repeats=4, options={"duration": 0.5})
    assert (spec.most_runs, spec.least_measured_s) == (24, 12.0)
    both = specification.check("noop", concurrency="5,10", until="5%", legs="both", options={"duration": 0.5})
    assert (both.most_runs, both.least_measured_s) == (15 * 30, 15 * 5 * 0.5)
    assert specification.check("noop", options={"requests_per_user": 5}).least_measured_s == 0.0
    with pytest.raises(ConfigError, match="would have .* runs; lower max_repeats"):
        specification.check("noop", concurrency=range(1, 200), until="5%", max_repeats=1000)


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
    for other in ({"legs": "both"}, {"until": "5%"}):
        with pytest.raises(ConfigError, match=f"another {'legs' if 'legs' in other else 'max_repeats'}"):
            specification.check_same(before, specification.check_again(before, "noop", **other))  # type: ignore[arg-type]
    precise = specification.check("noop", seed=1, until="5%")
    with pytest.raises(ConfigError, match="another max_repeats"):
        specification.check_same(precise, specification.check_again(precise, "noop", max_repeats=9))


def test_a_database_of_the_environment_is_checked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARKBENCH_DATABASE", "postgresql://me:a@b@host/db")
    with pytest.raises(ConfigError, match="percent-encoded"):
        specification.check_database(None, "unix")
    monkeypatch.delenv("PARKBENCH_DATABASE")
    assert specification.check_database(None, "tcp") == (None, "tcp")
    assert specification.check_database("host=x", "unix") == ("host=x", "unix")
