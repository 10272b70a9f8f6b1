"""The options of a scenario as options of a command, made from the one table in `scenario`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, get_type_hints

import typer

from parkbench import scenario

LOAD = "Load"
SERVER = "Server"
LIMITS = "Limits, equal for all models"
MODELS = "Of one model"
REQUEST = "What a request does"
GATEWAY = "Workload gateway"
DATABASE = "Database"
OUTPUT = "Output"

_GENERATOR = ("arrivals", "duration", "max_duration", "warmup", "requests_per_user", "timeout")
"""Options that mean something only where requests are made."""
_PANELS = {
    LOAD: ("arrivals", "duration", "max_duration", "warmup", "requests_per_user", "placement"),
    LIMITS: ("connections", "limit", "timeout", "acquire_timeout"),
    DATABASE: ("products",),
}
_METAVARS = {
    "arrivals": "WHEN", "rejection": "POLICY", "stealing": "WHICH", "connection_hold": "HOW LONG",
    "app_wait_at": "WHERE", "placement": "WHERE", "downstream": "WHAT", "filter_lock": "KIND",
    "aggregate_order": "ORDER", "gateway_token": "TOKEN", "faults": "FAULT", "mixed_slow_share": "SHARE",
    "rate_limit": "RATE",
}  # fmt: skip


def option(panel: str, metavar: str, text: str) -> Any:
    """An option with a value, in its panel of the help."""
    return typer.Option(help=text, rich_help_panel=panel, metavar=metavar, show_default=False)


def flag(name: str, text: str, panel: str = OUTPUT) -> Any:
    """An option without a value."""
    return typer.Option(name, help=text, rich_help_panel=panel, show_default=False)


def later() -> Any:
    """An option of a later release: known, so that it is refused with what there is today."""
    return typer.Option(hidden=True)


def of_server() -> tuple[str, ...]:
    """The options of a scenario that a server has: all but those of the generator."""
    return tuple(name for name in scenario.OPTIONS if name not in (*_GENERATOR, "placement"))


def with_scenario_options(names: tuple[str, ...]) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Adds these options to a command; they reach it as its last argument, a mapping of what was given.

    Typer reads a command's signature, so the command gets one that says what it takes.
    """

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        hints = get_type_hints(command, include_extras=True)
        own = inspect.signature(command).parameters.values()
        fixed = [one.replace(annotation=hints[one.name]) for one in own if one.name != "scenario_options"]
        added = [_parameter(scenario.OPTIONS[name]) for name in names]

        def call(**given: Any) -> int:
            chosen = {name: given.pop(name) for name in names}
            return command(**given, scenario_options={k: v for k, v in chosen.items() if v not in (None, False)})

        parameters = sorted([*fixed, *added], key=_place)
        parameters = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]
        call.__name__, call.__doc__ = command.__name__, command.__doc__
        call.__signature__ = inspect.Signature(parameters, return_annotation=int)  # type: ignore[attr-defined]
        call.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": int}
        return call

    return decorate


def _place(parameter: inspect.Parameter) -> int:
    """Arguments first, then by panel, as the help shows them."""
    order = (LOAD, SERVER, LIMITS, MODELS, REQUEST, GATEWAY, DATABASE, OUTPUT)
    panel = getattr(parameter.annotation.__metadata__[0], "rich_help_panel", None)
    return order.index(panel) if panel in order else -1


def _parameter(one: scenario.Option) -> inspect.Parameter:
    panel = next((panel for panel, names in _PANELS.items() if one.name in names), None)
    if panel is None:
        panel = MODELS if one.model else GATEWAY if one.workload == ("gateway",) else REQUEST
    spelled = "--" + one.name.replace("_", "-")
    keyword = inspect.Parameter.KEYWORD_ONLY
    if isinstance(one.default, bool):
        return inspect.Parameter(one.name, keyword, default=False,
                                 annotation=Annotated[bool, flag(spelled, _help(one), panel)])  # fmt: skip
    value = option(panel, _METAVARS.get(one.name) or _unit(one), _help(one))
    return inspect.Parameter(one.name, keyword, default=None, annotation=Annotated[str | None, value])


def _help(one: scenario.Option) -> str:
    whose = f"{one.model}: " if one.model and one.model not in one.help else ""
    text = whose + one.help
    if one.default not in (None, False) and "default" not in text:
        text += f"; default: {_shown(one.default)}"
    first = re.split(r"[ :\[]", text)[0]
    return (text if "_" in first or first == "brownout" else text[0].upper() + text[1:]) + "."


def _shown(value: Any) -> str:
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _unit(one: scenario.Option) -> str:
    return "S" if one.help.endswith(", s") else "N"


def given_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a command that were given at all."""
    return {name: value for name, value in values.items() if value not in (None, False, [])}
