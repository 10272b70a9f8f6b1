"""Faults that are planted on purpose: `brownout[:from=S,until=S,delay=S]`, a downstream that is slow for a while."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parkbench import validate
from parkbench.errors import ConfigError

_FORM = "brownout or brownout:from=S,until=S,delay=S"
_KEYS = {"from": "from_s", "until": "until_s", "delay": "delay_ms"}
DELAY_MS = 5000.0


def parse(value: Any) -> dict[str, Any] | None:
    """The fault as a mapping: `from_s` and `until_s` count from the opening of the window, None where not given.

    `delay_ms` is how long the downstream takes then (5 s unless said). None and `none` are no fault. A mapping of
    that form is taken too. Raises `ConfigError`.
    """
    if isinstance(value, Mapping):
        value = text(value)
    word = validate.spell("faults")
    if value is None or (isinstance(value, str) and value.strip().lower() == "none"):
        return None
    if not isinstance(value, str) or value.strip().partition(":")[0] != "brownout":
        raise ConfigError(f"{word} {validate.shown(value)} is not in this release; {word} takes {_FORM}")
    _, colon, rest = value.strip().partition(":")
    if colon and not rest.strip():
        raise ConfigError(f"{word} ends in a colon; it takes {_FORM}")
    found: dict[str, Any] = {"from_s": None, "until_s": None, "delay_ms": DELAY_MS}
    named: set[str] = set()
    for pair in [part.strip() for part in rest.split(",")] if rest else []:
        name, equals, number = (part.strip() for part in pair.partition("="))
        if name not in _KEYS or not equals:
            raise ConfigError(
                f"{word} brownout takes from, until and delay as NAME=SECONDS, not {validate.shown(pair)}"
            )
        if name in named:
            raise ConfigError(f"{word} sets {name} twice")
        named.add(name)
        seconds = validate.real(
            f"faults.{name}", number, "s", above=None if name == "from" else 0.0, low=0.0, high=86_400.0
        )
        found[_KEYS[name]] = seconds * 1000.0 if name == "delay" else seconds
    _check_order(found)
    return found


def complete(fault: Mapping[str, Any], duration_s: float) -> dict[str, Any]:
    """The fault with both ends: from a third to two thirds of the window unless said. Raises `ConfigError`."""
    found = dict(fault)
    if found["from_s"] is None:
        found["from_s"] = min(duration_s / 3, found["until_s"] / 2) if found["until_s"] else duration_s / 3
    if found["until_s"] is None:
        found["until_s"] = max(2 * duration_s / 3, found["from_s"] + duration_s / 3)
    if found["from_s"] >= duration_s:
        raise ConfigError(
            f"{validate.spell('faults')} brownout begins {found['from_s']:g} s into a window of {duration_s:g} s; "
            f"begin it earlier or give a longer {validate.spell('duration')}"
        )
    return found


def text(fault: Mapping[str, Any] | None) -> str | None:
    """The fault as the user types it: the other direction of `parse`."""
    if fault is None:
        return None
    pairs = [f"{name}={fault[key]:.12g}s" for name, key in (("from", "from_s"), ("until", "until_s"))
             if fault[key] is not None]  # fmt: skip
    if pairs or fault["delay_ms"] != DELAY_MS:
        pairs.append(f"delay={fault['delay_ms'] / 1000:.12g}s")
    return "brownout" + (":" + ",".join(pairs) if pairs else "")


def _check_order(fault: Mapping[str, Any]) -> None:
    begin, end = fault["from_s"], fault["until_s"]
    if begin is not None and end is not None and begin >= end:
        raise ConfigError(f"{validate.spell('faults')} brownout must end after it begins, not {begin:g} to {end:g} s")
