"""When requests are due: `closed[:think=S]`, `rounds[:pause=S|every=S]`, `constant:rate=R`, `poisson:rate=R`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parkbench import validate
from parkbench.errors import ConfigError

_PARAMETERS = {"closed": ("think",), "rounds": ("pause", "every"), "constant": ("rate",), "poisson": ("rate",)}
_OPEN = ("constant", "poisson")
_LATER = ("steps", "ramp")
_FORMS = (
    "closed, closed:think=S, rounds, rounds:pause=S, rounds:every=S, constant:rate=R and poisson:rate=R (R per second)"
)


def parse(text: Any) -> dict[str, Any]:
    """The arrivals in the core's form.

    `closed` gives `{"kind": "closed", "think_s": 0.0}`, `rounds` gives `{"kind": "rounds", "pause_s": 0.0,
    "every_s": None}`; times in seconds. Open ones give `{"kind": "constant", "rate": 500.0}`, requests per second.
    A mapping of that form is taken too. Raises `ConfigError`.
    """
    if isinstance(text, Mapping):
        text = _as_text(text)
    if not isinstance(text, str):
        raise ConfigError(f"{validate.spell('arrivals')} takes {_FORMS}, not {validate.shown(text)}")
    kind, colon, rest = text.strip().partition(":")
    if kind in _LATER:
        raise ConfigError(f"arrivals {kind} are not in this release; {validate.spell('arrivals')} takes {_FORMS}")
    if kind not in _PARAMETERS:
        hint = validate.did_you_mean(kind, _PARAMETERS)
        raise ConfigError(
            f"{validate.spell('arrivals')} knows no {validate.shown(kind)}{hint or ';'} it takes {_FORMS}"
        )
    given = _parameters(kind, rest, bool(colon))
    if kind == "closed":
        return {"kind": kind, "think_s": given.get("think", 0.0)}
    if kind in _OPEN:
        if "rate" not in given:
            raise ConfigError(f"{validate.spell('arrivals')} {kind} needs its rate, as in {kind}:rate=500")
        return {"kind": kind, "rate": given["rate"]}
    if len(given) == 2:
        raise ConfigError(f"{validate.spell('arrivals')} takes pause=S or every=S for rounds, not both")
    return {"kind": kind, "pause_s": given.get("pause", 0.0), "every_s": given.get("every")}


def text(arrivals: Mapping[str, Any]) -> str:
    """The arrivals as the user types them: the other direction of `parse`."""
    return _as_text(arrivals)


def is_open(kind: str) -> bool:
    """Whether requests of these arrivals come at a rate of their own, answers or not."""
    return kind in (*_OPEN, *_LATER)


def _parameters(kind: str, rest: str, colon: bool) -> dict[str, float]:
    """The `name=S` pairs after the colon, in seconds, or `rate=R` per second."""
    if colon and not rest.strip():
        raise ConfigError(f"{validate.spell('arrivals')} ends in a colon; it takes {_FORMS}")
    given: dict[str, float] = {}
    for pair in [part.strip() for part in rest.split(",")] if rest else []:
        name, equals, value = pair.partition("=")
        name = name.strip()
        if name not in _PARAMETERS[kind] or not equals:
            raise ConfigError(
                f"{validate.spell('arrivals')} {kind} takes {validate.listed(_PARAMETERS[kind])} as "
                f"NAME={'NUMBER' if kind in _OPEN else 'SECONDS'}, not {validate.shown(pair)}"
            )
        if name in given:
            raise ConfigError(f"{validate.spell('arrivals')} sets {name} twice")
        if name == "rate":
            given[name] = validate.real("arrivals.rate", value.strip(), "", above=0.0, low=None, high=1e7)
            continue
        above = 0.0 if name == "every" else None
        given[name] = validate.real(f"arrivals.{name}", value.strip(), "s", above=above, low=0.0, high=86_400.0)
    return given


def _as_text(arrivals: Mapping[str, Any]) -> str:
    kind = str(arrivals.get("kind"))
    pairs = [
        f"{key.removesuffix('_s')}={value:.12g}{'' if key == 'rate' else 's'}"
        for key, value in arrivals.items()
        if key != "kind" and value
    ]
    return kind + (":" + ",".join(pairs) if pairs else "")
