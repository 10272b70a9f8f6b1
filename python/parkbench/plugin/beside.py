"""The strong form: a baseline measured in the same sweep, as a twin of each model, run for run in random order."""

from __future__ import annotations

import importlib.machinery
import os
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parkbench import validate
from parkbench.errors import ConfigError

if TYPE_CHECKING:
    from parkbench.models import Model

MARK = " (baseline)"
"""What a twin's name ends with."""


@dataclass(frozen=True)
class Sides:
    """The models of a sweep with their twins. `twins`: name -> name of the twin; `cores`: twin -> its compiled core."""

    models: list[Model]
    twins: Mapping[str, str]
    cores: Mapping[str, str] = field(default_factory=dict)


def sides(baseline: Any, models: Any = None, settings: Mapping[str, Mapping[str, Any]] | None = None) -> Sides:
    """Each model, and beside it a twin that differs in the options of `baseline`, or in the core it runs on.

    `baseline`: a mapping of scenario options, or the path of a compiled core or of a Python environment that holds
    parkbench. `models`, `settings`: as of `pb.sweep`. Raises ConfigError.
    """
    from parkbench import models as known

    given = known.with_options(known.resolve(models), settings or {})
    twins = {model.name: f"{model.name}{MARK}" for model in given}
    if isinstance(baseline, Mapping):
        changed = {model.name: _own(baseline, model) for model in given}
        if not any(changed.values()):
            raise ConfigError("against takes at least one option that the models have, e.g. {'workers': 100}")
        made = [known.of_kind(m.kind, twins[m.name], {**m.options, **changed[m.name]}) for m in given]
        return Sides([*given, *made], twins)
    core = core_file(baseline)
    made = [known.of_kind(model.kind, twins[model.name], model.options) for model in given]
    return Sides([*given, *made], twins, dict.fromkeys(twins.values(), core))


def core_file(place: Any) -> str:
    """The compiled core at a path: itself, or the one in the environment or package there. Raises ConfigError."""
    if not isinstance(place, (str, os.PathLike)):
        raise ConfigError(
            "against takes a mapping of options, or the path of a compiled core or of a Python environment with "
            f"parkbench in it, not {validate.shown(place)}"
        )
    path = Path(place).absolute()
    if path.is_dir():
        patterns = ("lib/python*/site-packages/parkbench/_core*.so", "parkbench/_core*.so", "_core*.so")
        found = sorted(file for pattern in patterns for file in path.glob(pattern))
        if not found:
            raise ConfigError(
                f"against: there is no compiled core (parkbench/_core*.so) in {path}; install parkbench there"
            )
    elif path.is_file():
        found = [path]
    else:
        raise ConfigError(f"against: there is no {path}")
    suffixes = tuple(importlib.machinery.all_suffixes())
    fitting = [file for file in found if file.name.endswith(suffixes) and not _of_another_python(file.name)]
    if not fitting:
        raise ConfigError(
            f"against: {found[0].name} is not a module of this Python ({sysconfig.get_config_var('EXT_SUFFIX')}); "
            "build it with the Python that runs the tests"
        )
    return str(fitting[0])


def _of_another_python(name: str) -> bool:
    """Whether a name has the tag of another Python: `_core.cpython-312-x86_64-linux-gnu.so`."""
    return ".cpython-" in name and not name.endswith(str(sysconfig.get_config_var("EXT_SUFFIX")))


def _own(options: Mapping[str, Any], model: Model) -> dict[str, Any]:
    """Those of the options that the model may have; one that nobody knows is refused by the model itself."""
    from parkbench.scenario import OPTIONS

    return {
        name: value
        for name, value in options.items()
        if name not in OPTIONS or OPTIONS[name].model in (None, model.kind)
    }
