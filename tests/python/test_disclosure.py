"""A saved sweep says what somebody needs to repeat it: a field that is missing is named."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import parkbench as pb
from parkbench import disclosure, environment
from parkbench.disclosure import REQUIRED, missing, unfit_build


@pytest.fixture(scope="module")
def sweep() -> dict[str, Any]:
    result = pb.sweep("noop", models="reactive", concurrency=2, repeats=1, transport="direct", duration=0.05, warmup=0,
                      quiet=True)  # fmt: skip
    return result.sweep


def test_a_sweep_discloses_everything(sweep: dict[str, Any]) -> None:
    assert missing(sweep) == []
    assert environment.missing(sweep) == []
    assert unfit_build(sweep) is None


@pytest.mark.parametrize("path", REQUIRED)
def test_each_field_that_is_missing_is_named(sweep: dict[str, Any], path: str) -> None:
    changed: Any = copy.deepcopy(sweep)
    place = changed
    *above, last = path.split(".")
    for key in above:
        place = place[key]
    del place[last]
    assert missing(changed) == [path]


def test_a_null_is_as_good_as_missing_unless_the_machine_may_hide_it(sweep: dict[str, Any]) -> None:
    changed = copy.deepcopy(sweep)
    changed["environment"] |= {"kernel": None, "cpu_governor": None, "commit": None}
    assert missing(changed) == ["environment.kernel"]


def test_a_database_discloses_its_version_and_settings(sweep: dict[str, Any]) -> None:
    changed = copy.deepcopy(sweep) | {"workload": "pricing"}
    assert missing(changed) == [f"environment.postgres.{key}" for key in disclosure.DATABASE]
    changed["environment"]["postgres"] = {"provider": "user", "version": "18", "settings": {}}
    assert missing(changed) == []


def test_nothing_at_all_lacks_everything() -> None:
    assert missing({}) == list(REQUIRED)
    assert missing({"environment": 5, "options": None}) == list(REQUIRED)


def test_builds_that_are_not_for_use() -> None:
    def build(**info: Any) -> str | None:
        return unfit_build({"environment": {"build": info}})

    assert build(sanitizer="address") == "a build with the sanitizer address"
    assert build(build_type="Debug") == "a debug build"
    assert build(build_type="Release", assertions=True) == "a build with assertions"
    assert build(build_type="Release", sanitizer="none", assertions=False) is None
    assert unfit_build({}) is None
