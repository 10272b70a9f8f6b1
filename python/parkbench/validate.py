"""What a user typed, made into numbers and words, or refused in one sentence that names the option and the remedy.

Every function takes the option's name first and raises `ConfigError`. The command line spells options its own way
(`--query-delay-ms` for `query_delay_ms`): `spelled_for_cli` makes the sentences follow.
"""

from __future__ import annotations

import contextlib
import contextvars
import difflib
import math
import numbers
import re
from collections.abc import Iterable, Iterator
from typing import Any, SupportsFloat, TypeGuard

from parkbench.errors import ConfigError

_cli = contextvars.ContextVar("parkbench_cli_spelling", default=False)

# Seconds, or KiB, in one unit. Bare numbers are in the option's own unit.
_TIME = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_SIZE = {"KiB": 1.0, "MiB": 1024.0, "GiB": 1024.0 * 1024.0}
_QUANTITY = re.compile(r"\s*([+-]?(?:\d[\d_]*\.?[\d_]*|\.\d+)(?:[eE][+-]?\d+)?)\s*([A-Za-z]*)\s*", re.ASCII)

_INTEGER = re.compile(r"\s*[+-]?\d+(_\d+)*\s*", re.ASCII)
_EXAMPLES = {"s": "2, 2s or 500ms", "ms": "50, 50ms or 0.5s", "us": "50, 50us or 2ms", "KiB": "64 or 64KiB"}


@contextlib.contextmanager
def spelled_for_cli() -> Iterator[None]:
    """Inside, sentences name options as the command line does."""
    token = _cli.set(True)
    try:
        yield
    finally:
        _cli.reset(token)


def spell(option: str) -> str:
    """The option as the user types it: `query_delay_ms`, or `--query-delay-ms` on the command line."""
    return "--" + option.replace("_", "-") if _cli.get() and "." not in option else option


def listed(words: Iterable[str]) -> str:
    """The words as a list for a sentence: `a, b and c`."""
    all_words = list(words)
    if len(all_words) < 2:
        return "".join(all_words)
    return ", ".join(all_words[:-1]) + " and " + all_words[-1]


def shown(value: object) -> str:
    """The value as it may stand in a sentence: short, on one line."""
    text = " ".join(str(value).split()) if isinstance(value, str) else repr(value)
    text = text.encode("utf-8", "replace").decode("utf-8").replace("\0", "?")
    return (text[:60] + "...") if len(text) > 60 else text or "an empty text"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean X?` where one of the known words is close, else nothing."""
    close = difflib.get_close_matches(word.lower().replace("-", "_"), list(known), n=1, cutoff=0.6)
    return f"; did you mean {close[0]}?" if close else ""


def one_of(option: str, value: object, known: Iterable[str]) -> str:
    """The value, if it is one of the known words. `-` and `_` are the same."""
    words = list(known)
    word = value.strip().replace("-", "_") if isinstance(value, str) else value
    if isinstance(word, str) and word in words:
        return word
    hint = did_you_mean(word, words) if isinstance(word, str) else ""
    raise ConfigError(f"{spell(option)} knows no {shown(value)}{hint or ';'} it takes {listed(words)}")


def quantity(option: str, value: object, unit: str = "") -> float:
    """A finite number in the option's unit (`s`, `ms`, `us`, `KiB` or none). Text may carry its own: `500ms`, `2s`."""
    units = _TIME if unit in _TIME else _SIZE if unit in _SIZE else {}
    sentence = f"{spell(option)} takes a number such as {_EXAMPLES.get(unit, '10')}, not {shown(value)}"
    if isinstance(value, str):
        match = _QUANTITY.fullmatch(value)
        if match is None:
            raise ConfigError(sentence)
        number, suffix = float(match.group(1)), match.group(2)
        if suffix and suffix not in units:
            raise ConfigError(sentence)
        number *= units[suffix] / units[unit] if suffix else 1.0
        number = float(f"{number:.12g}")  # 500 us in ms is 0.5 and not 0.49999999999999994
    elif _is_number(value):
        try:
            number = float(value)
        except OverflowError:
            raise ConfigError(f"{spell(option)} is too large: {shown(value)}") from None
    else:
        raise ConfigError(sentence)
    if not math.isfinite(number):
        raise ConfigError(sentence)
    return number


def _is_number(value: object) -> TypeGuard[SupportsFloat]:
    """Real numbers of Python and numpy; True and False are none."""
    return not isinstance(value, bool) and isinstance(value, numbers.Real)


def real(option: str, value: object, unit: str, *, above: float | None, low: float | None, high: float) -> float:
    """A quantity in [low, high], or above `above`."""
    number = quantity(option, value, unit)
    tail = f" {unit}" if unit else ""
    if above is not None and number <= above:
        raise ConfigError(f"{spell(option)} must be more than {above:g}{tail}, not {shown(value)}")
    if low is not None and number < low:
        raise ConfigError(f"{spell(option)} must be at least {low:g}{tail}, not {shown(value)}")
    if number > high:
        raise ConfigError(f"{spell(option)} must be at most {high:,g}{tail}, not {shown(value)}")
    return number


def whole(option: str, value: object, *, low: int, high: int, unit: str = "") -> int:
    """A whole number in [low, high]. Big integers keep every digit."""
    number: int
    if _is_number(value) and isinstance(value, numbers.Integral):
        number = int(value)
    elif isinstance(value, str) and len(value) < 40 and _INTEGER.fullmatch(value):
        number = int(value.strip())
    else:
        given = quantity(option, value, unit)
        if given != int(given):
            raise ConfigError(f"{spell(option)} must be a whole number, not {shown(value)}")
        number = int(given)
    if number < low:
        raise ConfigError(f"{spell(option)} must be at least {low}, not {shown(value)}")
    if number > high:
        raise ConfigError(f"{spell(option)} must be at most {high:,}, not {shown(value)}")
    return number


def truth(option: str, value: object) -> bool:
    """True or False, also as the words a user types."""
    words = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in words:
        return words[value.strip().lower()]
    raise ConfigError(f"{spell(option)} takes true or false, not {shown(value)}")


def items(option: str, value: Any, example: str) -> list[Any]:
    """A list from one value, a sequence, or text with commas; never empty."""
    if isinstance(value, str):
        found: list[Any] = [part.strip() for part in value.split(",") if part.strip()]
    elif isinstance(value, Iterable) and not isinstance(value, (bytes, dict)):
        found = list(value)
    else:
        found = [value]
    if not found:
        raise ConfigError(f"{spell(option)} is empty; give at least one, such as {example}")
    return found


def concurrency(value: Any) -> list[int]:
    """The numbers of users of a sweep, as given, each once."""
    found = [whole("concurrency", item, low=1, high=10**12) for item in items("concurrency", value, "10,50,200")]
    for number in found:
        if found.count(number) > 1:
            raise ConfigError(f"{spell('concurrency')} lists {number} twice; name each number of users once")
    return found


def known_option(option: str, known: Iterable[str]) -> None:
    """Raises if there is no such option; says which is near and where all of them are."""
    words = list(known)
    if option not in words:
        hint = did_you_mean(option, words)
        raise ConfigError(f"unknown option {shown(option)}{hint or ';'} the options are {listed(sorted(words))}")
