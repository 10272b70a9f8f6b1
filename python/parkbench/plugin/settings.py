"""The options of the plugin: declared, and checked before the first test is collected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from parkbench import validate
from parkbench.errors import ConfigError
from parkbench.plugin.judging import JUDGED, THRESHOLD

LATEST = "latest"
DEFAULT_NAME = "baseline"
FIGURE = "response_mean_ms"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,63}")
_LIMIT = re.compile(r"\s*(\w+)\s*:\s*(\d+(?:\.\d+)?)\s*%\s*")
_MARK = ("figure", "threshold", "confirm")


@dataclass(frozen=True)
class Limit:
    """A figure may be worse than the baseline's by this share at most."""

    figure: str
    threshold: float


@dataclass(frozen=True)
class Settings:
    """What the command line and the ini file ask for. `save`, `compare`: the name of a baseline; None: not asked."""

    storage: Path
    save: str | None = None
    autosave: bool = False
    compare: str | None = None
    fail: tuple[Limit, ...] = ()
    json: Path | None = None
    only: bool = False
    skip: bool = False
    strict: bool = False
    figure: str = FIGURE
    threshold: float = THRESHOLD

    @property
    def compares(self) -> bool:
        """Whether every benchmark is compared, also in tests that assert nothing."""
        return self.compare is not None or bool(self.fail)


def declare(parser: pytest.Parser) -> None:
    """Adds the options and the ini values."""
    group = parser.getgroup("parkbench", "benchmarks of parkbench")
    add = group.addoption
    add("--parkbench-save", nargs="?", const=DEFAULT_NAME, metavar="NAME",
        help=f"add what is measured to the baseline NAME (default: {DEFAULT_NAME})")  # fmt: skip
    add("--parkbench-autosave", action="store_true", default=None,
        help="add what is measured to a baseline named after the commit, or the day where there is none")  # fmt: skip
    add("--parkbench-compare", nargs="?", const=LATEST, metavar="NAME",
        help="compare every benchmark with the baseline NAME, or the one saved last (latest, the default)")  # fmt: skip
    add("--parkbench-compare-fail", action="append", default=[], metavar="FIGURE:N%",
        help="fail a test whose figure is worse by more than N %%, e.g. response_mean_ms:10%%; comma-separated or "
             "several times")  # fmt: skip
    add("--parkbench-json", metavar="FILE", help="write everything that was measured and compared into FILE")
    add("--parkbench-storage", metavar="DIR", help="where baselines lie (default: .parkbench in pytest's root folder)")
    add("--parkbench-only", action="store_true", help="run benchmarks, skip other tests")
    add("--parkbench-skip", action="store_true", help="skip benchmarks")
    add("--parkbench-strict", action="store_true", default=None,
        help="also fail where nothing could be compared: no baseline, another machine, too few repeats")  # fmt: skip
    parser.addini("parkbench_storage", "where baselines lie, from pytest's root folder", default=".parkbench")
    parser.addini("parkbench_compare", "the baseline that --parkbench-compare names", default="")
    parser.addini("parkbench_compare_fail", "as --parkbench-compare-fail, one a line", type="linelist", default=[])
    parser.addini("parkbench_autosave", "as --parkbench-autosave", type="bool", default=False)
    parser.addini("parkbench_strict", "as --parkbench-strict", type="bool", default=False)
    parser.addini("parkbench_figure", "the figure that assert_no_regression looks at", default=FIGURE)
    parser.addini("parkbench_threshold", "the slowdown that matters: 0.05 or 5%", default=f"{THRESHOLD:.0%}")


def read(config: pytest.Config) -> Settings:
    """The options, checked. Raises pytest.UsageError (exit code 4) with one sentence."""
    try:
        return _read(config.getoption, config.getini, config.rootpath)
    except ConfigError as error:
        raise pytest.UsageError(str(error)) from None


def _read(option: Any, ini: Any, root: Path) -> Settings:
    if option("--parkbench-only") and option("--parkbench-skip"):
        raise ConfigError("--parkbench-only and --parkbench-skip leave no test to run; give one of them")
    storage = root / (option("--parkbench-storage") or ini("parkbench_storage"))
    nearest = next(path for path in (storage, *storage.parents) if path.exists())
    if not nearest.is_dir():
        raise ConfigError(f"--parkbench-storage: {nearest} is no directory; name another place")
    given = option("--parkbench-compare-fail")
    return Settings(
        storage=storage,
        save=baseline_name("--parkbench-save", option("--parkbench-save")),
        autosave=_either(option("--parkbench-autosave"), ini("parkbench_autosave")),
        compare=baseline_name("--parkbench-compare", option("--parkbench-compare") or ini("parkbench_compare") or None),
        fail=tuple(limits("--parkbench-compare-fail", given or ini("parkbench_compare_fail"))),
        json=_json(option("--parkbench-json")),
        only=bool(option("--parkbench-only")),
        skip=bool(option("--parkbench-skip")),
        strict=_either(option("--parkbench-strict"), ini("parkbench_strict")),
        figure=figure("parkbench_figure", ini("parkbench_figure")),
        threshold=threshold("parkbench_threshold", ini("parkbench_threshold")),
    )


def baseline_name(option: str, value: object) -> str | None:
    """The name of a baseline, which is also the name of a file; None for none. Raises ConfigError."""
    if value is None:
        return None
    taken = isinstance(value, str) and ("/" in value or value.endswith(".py"))
    if not isinstance(value, str) or taken or _NAME.fullmatch(value) is None or (value == LATEST and "save" in option):
        hint = f"; write {option} behind the tests, or {option}=NAME" if taken else ""
        raise ConfigError(
            f"{option} takes a name of up to 64 letters, digits, . _ and -"
            f"{' other than latest' if 'save' in option else ''}, not {validate.shown(value)}{hint}"
        )
    return value


def limits(option: str, texts: Iterable[str]) -> list[Limit]:
    """`response_mean_ms:10%` and the like, several in one text. Raises ConfigError."""
    found: dict[str, Limit] = {}
    for part in (part for text in texts for part in text.split(",")):
        match = _LIMIT.fullmatch(part)
        if match is None:
            raise ConfigError(f"{option} takes FIGURE:N% such as {FIGURE}:10%, not {validate.shown(part)}")
        name = figure(option, match[1])
        if name in found:
            raise ConfigError(f"{option} names {name} twice; give it one limit")
        found[name] = Limit(name, threshold(option, f"{match[2]}%"))
    return list(found.values())


def figure(option: str, value: object) -> str:
    """A figure that a test can be held to. Raises ConfigError."""
    if not isinstance(value, str) or value not in JUDGED:
        hint = validate.did_you_mean(value, JUDGED) if isinstance(value, str) else ""
        raise ConfigError(f"{option} knows no figure {validate.shown(value)}{hint or ';'} there are {_some()}")
    return value


def threshold(option: str, value: object) -> float:
    """A share above 0, given as 0.05 or 5%. Raises ConfigError."""
    number: float | None = None
    if isinstance(value, str) and re.fullmatch(r"\s*\d+(\.\d+)?\s*%?\s*", value):
        number = float(value.replace("%", "")) / (100 if "%" in value else 1)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        number = float(value)
    if number is None or not 0 < number <= 10:
        raise ConfigError(
            f"{option} takes a share such as 0.05 or 5%, above 0 and at most 10, not {validate.shown(value)}"
        )
    return number


def of_mark(arguments: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
    """The defaults that `@pytest.mark.parkbench(figure=..., threshold=..., confirm=...)` sets for a test."""
    if arguments:
        raise ConfigError(
            f"the marker parkbench takes {validate.listed(_MARK)} by name, not {validate.shown(arguments[0])}"
        )
    for name in named:
        if name not in _MARK:
            raise ConfigError(f"the marker parkbench knows no {name}; it takes {validate.listed(_MARK)}")
    checked = dict(named)
    if "figure" in named:
        checked["figure"] = figure("figure of the marker parkbench", named["figure"])
    if "threshold" in named:
        checked["threshold"] = threshold("threshold of the marker parkbench", named["threshold"])
    if "confirm" in named:
        checked["confirm"] = validate.truth("confirm of the marker parkbench", named["confirm"])
    return checked


def _some() -> str:
    return validate.listed(name for name in JUDGED if not name.startswith(("threads_", "from_send_")))


def _either(asked: bool | None, ini: Any) -> bool:
    return bool(ini) if asked is None else asked


def _json(value: str | None) -> Path | None:
    if value is None:
        return None
    path = Path(value).absolute()
    if path.is_dir() or not path.parent.is_dir():
        raise ConfigError(f"--parkbench-json takes a file in a folder that exists, not {validate.shown(value)}")
    return path
