"""Twins of models: by options, or by another build."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from typing import Any

import pytest

import parkbench as pb
from parkbench.errors import ConfigError
from parkbench.plugin.beside import core_file, sides

SUFFIX = str(sysconfig.get_config_var("EXT_SUFFIX"))


def test_every_model_gets_a_twin_with_the_options_of_the_baseline() -> None:
    found = sides({"workers": 100, "connections": 5}, [pb.ThreadPool(workers=50, name="pool"), "reactive"])
    assert [(model.kind, model.name, dict(model.options)) for model in found.models] == [
        ("thread_pool", "pool", {"workers": 50}),
        ("reactive", "reactive", {}),
        ("thread_pool", "pool (baseline)", {"workers": 100, "connections": 5}),
        ("reactive", "reactive (baseline)", {"connections": 5}),  # it has no workers
    ]
    assert found.twins == {"pool": "pool (baseline)", "reactive": "reactive (baseline)"}
    assert found.cores == {}


def test_settings_of_the_sweep_hold_for_both() -> None:
    found = sides({"connections": 5}, "reactive", {"reactive": {"loops": 1}})
    assert [dict(model.options) for model in found.models] == [{"loops": 1}, {"loops": 1, "connections": 5}]


@pytest.mark.parametrize(
    ("baseline", "models", "words"),
    [
        ({}, None, "against takes at least one option"),
        ({"workers": 5}, "reactive", "at least one option that the models have"),
        ({"wokers": 5}, None, "did you mean workers"),
        ({"products": 5}, None, "products cannot be set for thread_pool"),
        ({"concurrency": 5}, None, "concurrency holds for the whole sweep"),
        ({"connections": 0}, None, "connections must be at least 1"),
        (5, None, "against takes a mapping of options, or the path of a compiled core"),
        ("nowhere/at/all", None, "there is no "),
        ({"connections": 5}, "nothing", "unknown model nothing"),
    ],
)
def test_bad_baselines_are_one_sentence(baseline: Any, models: Any, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        sides(baseline, models)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("place", ["lib/python3.11/site-packages/parkbench", "parkbench", "."])
def test_the_core_of_an_environment_is_found(tmp_path: Path, place: str) -> None:
    folder = tmp_path / place
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "_core.cpython-27-x86_64-linux-gnu.so").touch()
    core = folder / f"_core{SUFFIX}"
    core.touch()
    assert core_file(tmp_path) == core_file(str(core)) == str(core)
    found = sides(tmp_path, "reactive")
    assert found.cores == {"reactive (baseline)": str(core)}


def test_what_is_no_core_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"there is no compiled core .* install parkbench there"):
        core_file(tmp_path)
    other = tmp_path / "_core.cpython-27-x86_64-linux-gnu.so"
    other.touch()
    for place in (tmp_path, other):
        with pytest.raises(ConfigError, match="is not a module of this Python"):
            core_file(place)
    (tmp_path / "notes.txt").touch()
    with pytest.raises(ConfigError, match="notes.txt is not a module of this Python"):
        core_file(tmp_path / "notes.txt")


def test_the_core_in_use_is_one() -> None:
    from parkbench import child

    assert core_file(child.core_path()) == child.core_path()
