from typing import Any

import pytest

import parkbench as pb
from parkbench import models
from parkbench.errors import ConfigError


def test_three_models_by_default_in_the_order_of_the_design() -> None:
    assert [model.name for model in models.resolve(None)] == ["thread_pool", "virtual_threads", "reactive"]


def test_strings_and_objects_mix() -> None:
    found = models.resolve(["reactive", pb.ThreadPool(workers=300, queue=10_000, name="big")])
    assert [(m.name, m.kind, dict(m.options)) for m in found] == [
        ("reactive", "reactive", {}),
        ("big", "thread_pool", {"workers": 300, "queue": 10_000}),
    ]
    assert models.resolve("thread-pool,small=thread_pool")[1].name == "small"
    assert models.resolve(pb.Reactive(loops=2)) == [pb.Reactive(loops=2)]


def test_any_scenario_option_holds_for_one_model() -> None:
    model = pb.ThreadPool(workers=300, connection_hold="request", duration="500ms")
    assert dict(model.options) == {"workers": 300, "connection_hold": "request", "duration": 0.5}
    assert repr(model) == "ThreadPool(workers=300, connection_hold='request', duration=0.5)"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: models.resolve("thread_pol"), r"unknown model thread_pol; did you mean thread_pool\? there are"),
        (lambda: models.resolve("zzz"), "there are thread_pool, virtual_threads and reactive"),
        (lambda: models.resolve([5]), "unknown model 5"),
        (lambda: models.resolve([]), "models is empty"),
        (lambda: models.resolve(["reactive", "reactive"]), "two models are named reactive"),
        (lambda: pb.ThreadPool(loops=2), "loops belongs to the reactive model; thread_pool has workers, queue"),
        (lambda: models.of_kind("thread_pool", "a", {"wokers": 2}), r"did you mean workers\?"),
        (lambda: pb.Reactive(loops=0), "reactive.loops must be at least 1, not 0"),
        (lambda: pb.Reactive(name="a.b"), "a model's name is"),
        (lambda: pb.Reactive(name=""), "a model's name is"),
        (lambda: models.Model(), "a model is one of"),
        (lambda: pb.Service("http://127.0.0.1:8080/price/{id}", pid=1), "Service is not in this release"),
    ],
)
def test_refusals(make: Any, words: Any) -> None:
    with pytest.raises(ConfigError, match=words):
        make()


def test_settings_reach_the_named_model_only() -> None:
    found = models.with_options(models.resolve("thread_pool,reactive"), {"thread_pool": {"connection_hold": "request"}})
    assert [dict(m.options) for m in found] == [{"connection_hold": "request"}, {}]
    with pytest.raises(ConfigError, match=r"no model is named reactiv; did you mean reactive\?"):
        models.with_options(models.resolve("reactive"), {"reactiv": {}})
