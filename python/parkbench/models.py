"""The models of a sweep as objects that carry options: `pb.ThreadPool(workers=300)`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Unpack

from parkbench import scenario, validate
from parkbench.errors import ConfigError

_NAME = re.compile(r"[A-Za-z0-9][\w +()/-]{0,63}")


class Model:
    """One model of a sweep. Any option of a scenario may be given; it then holds for this model alone.

    `name` tells it from others in the sweep (default: the model's own name). Raises `ConfigError`.
    """

    kind: ClassVar[str]

    def __init__(self, *, name: str | None = None, **options: Unpack[scenario.ScenarioOptions]) -> None:
        if type(self) not in _CLASSES.values():
            raise ConfigError(f"a model is one of {validate.listed(c.__name__ for c in _CLASSES.values())}")
        self._name = self.kind if name is None else check_name(name)
        self._options = MappingProxyType(scenario.checked(options, model=self.kind, owner=self._name))

    @property
    def name(self) -> str:
        """The model's name in the sweep."""
        return self._name

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of this model alone, checked."""
        return self._options

    def __repr__(self) -> str:
        named = [] if self.name == self.kind else [f"name={self.name!r}"]
        pairs = named + [f"{name}={value!r}" for name, value in self.options.items()]
        return f"{type(self).__name__}({', '.join(pairs)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return (self.kind, self.name, dict(self.options)) == (other.kind, other.name, dict(other.options))

    def __hash__(self) -> int:
        return hash((self.kind, self.name))


class ThreadPool(Model):
    """Fixed workers, a bounded queue, and a policy for when it is full."""

    kind = "thread_pool"


class VirtualThreads(Model):
    """Virtual threads that park on carriers."""

    kind = "virtual_threads"


class Reactive(Model):
    """Event loops with Mono and Flux."""

    kind = "reactive"


class Service:
    """A service of the user's own, which a later release compares with the models."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise ConfigError(
            "Service is not in this release; a sweep compares thread_pool, virtual_threads and reactive, "
            "each as an HTTP server of its own"
        )


_CLASSES: dict[str, type[Model]] = {cls.kind: cls for cls in (ThreadPool, VirtualThreads, Reactive)}


def check_name(name: Any) -> str:
    """A name that can stand in a table and in `--set NAME.option=value`: no comma, dot or equals sign."""
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        raise ConfigError(
            f"a model's name is up to 64 letters, digits, spaces, _ + - / and brackets, not {validate.shown(name)}"
        )
    return name


def resolve(models: Any) -> list[Model]:
    """The models of a sweep from names and objects; all three for None. Names must be unique. Raises `ConfigError`."""
    given = list(scenario.MODELS) if models is None else [models] if isinstance(models, Model) else models
    found = [_one(item) for item in validate.items("models", given, "thread_pool,virtual_threads,reactive")]
    names = [model.name for model in found]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(
                f"two models are named {name}; give one of them a name of its own "
                f"(name=... on the object, NAME={name} in --models)"
            )
    return found


def with_options(models: list[Model], settings: Mapping[str, Mapping[str, Any]]) -> list[Model]:
    """The models with further options for those named: what `--set NAME.option=value` asks for."""
    for name in settings:
        if name not in [model.name for model in models]:
            names = [model.name for model in models]
            hint = validate.did_you_mean(name, names)
            raise ConfigError(
                f"no model is named {validate.shown(name)}{hint or ';'} there are {validate.listed(names)}"
            )
    return [of_kind(model.kind, model.name, {**model.options, **settings.get(model.name, {})}) for model in models]


def of_kind(kind: str, name: str, options: Mapping[str, Any]) -> Model:
    """The model of that kind (`thread_pool`, ...) with a name and options, which are checked."""
    return _CLASSES[validate.one_of("model", kind, _CLASSES)](name=name, **options)


def _one(item: Any) -> Model:
    if isinstance(item, Model):
        return item
    name, equals, kind = str(item).partition("=") if isinstance(item, str) else ("", "", "")
    word = (kind if equals else name).strip().replace("-", "_")
    if not isinstance(item, str) or word not in _CLASSES:
        hint = validate.did_you_mean(word, _CLASSES) if isinstance(item, str) else ""
        raise ConfigError(
            f"unknown model {validate.shown(word if isinstance(item, str) else item)}{hint or ';'} "
            f"there are {validate.listed(_CLASSES)}"
        )
    return _CLASSES[word](name=name.strip() if equals else None)
