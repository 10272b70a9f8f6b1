"""Whether two sweeps may be compared: alike in all that decides a figure, and measured in one session.

What two sweeps measured says something about two programs only where nothing else was different. Machine, kernel,
build, database, workload, legs and options must be the same. And the machine itself has moods: runs that were not
interleaved in one session differ by what changed in between, which no interval over their repeats covers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from parkbench import validate
from parkbench.disclosure import unfit_build
from parkbench.errors import NotComparableError
from parkbench.record import LEGS, Record, load_key
from parkbench.scenario import OPTIONS

if TYPE_CHECKING:
    from parkbench.result import SweepResult

MUST_MATCH = ("machine", "cpu_model", "cpus_usable", "memory_mib", "kernel", "python", "parkbench", "build", "postgres")
"""Fields of a sweep's environment that must be the same in two sweeps whose figures are compared."""
_OF_ONE_PLACE = ("dsn",)  # names a place, not a kind of machine
_OF_ONE_RUN = ("seed",)
_SHOWN = 4


def session(sweep: Mapping[str, Any]) -> str | None:
    """In which session a sweep was measured; None where it does not say, which is like no other."""
    found = (sweep.get("design") or {}).get("session")
    return None if found is None else str(found)


def same_session(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Whether two sweeps were measured in one session; False where one of them does not say in which."""
    return session(a) is not None and session(a) == session(b)


def interleaved(a: Sequence[Record], b: Sequence[Record]) -> bool:
    """Whether the runs of two sweeps took turns, so that repeat 3 of one met the same machine as repeat 3 of the other.

    Two sweeps of one session that came one after the other did not. True where the runs do not say when they began.
    """
    spans = [sorted(str(run["started_at"]) for run in runs if run.get("started_at")) for runs in (a, b)]
    return not all(spans) or max(span[0] for span in spans) <= min(span[-1] for span in spans)


def check(a: SweepResult, b: SweepResult, *, unpaired: bool, unlike: bool) -> None:
    """Raises NotComparableError (`not comparable: kernel differs: 6.1 and 6.2; ...`) unless it was asked for.

    `unlike` permits what is not alike, `unpaired` sessions that are not the same.
    """
    if not unlike:
        found = list(differences(a, b))
        if found:
            more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
            same = "measure both with the same, or compare them all the same with unlike=True in Python"
            raise NotComparableError(f"not comparable: {'; '.join(found[:_SHOWN])}{more}; {same}")
    if not unpaired and not same_session(a.sweep, b.sweep):
        when = [str(one.sweep.get("started_at") or "an unknown time") for one in (a, b)]
        flag = validate.spell("unpaired") if validate.spell("unpaired")[0] == "-" else "unpaired=True"
        raise NotComparableError(
            f"not comparable: measured in different sessions (of {when[0]} and {when[1]}), so that what changed on the "
            f"machine in between is part of the difference; {flag} compares them all the same and says so"
        )


def differences(a: SweepResult, b: SweepResult) -> Iterator[str]:
    """What is not alike in two sweeps, a sentence each: `kernel differs: 6.1 and 6.2`."""
    for which, one in (("the first", a), ("the second", b)):
        if (build := unfit_build(one.sweep)) is not None:
            yield f"{which} was measured with {build}, whose figures are not for use"
    for key in ("workload", "transport"):
        yield from _difference(key, a.sweep.get(key), b.sweep.get(key))
    first, second = a.sweep.get("environment") or {}, b.sweep.get("environment") or {}
    for key in MUST_MATCH:
        yield from _difference(key, first.get(key), second.get(key))
    if a.runs and b.runs:
        yield from _difference("legs", _legs(a.runs), _legs(b.runs))
    yield from _options(a, b)


def _difference(field: str, a: Any, b: Any) -> Iterator[str]:
    """Two values that are not the same, mappings field by field."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for key in dict.fromkeys([*a, *b]):
            if key not in _OF_ONE_PLACE:
                yield from _difference(f"{field}.{key}", a.get(key), b.get(key))
    elif a != b:
        yield f"{field} differs: {_shown(a)} and {_shown(b)}"


def _legs(runs: Sequence[Record]) -> str:
    return " and ".join(sorted({load_key(run)[0] for run in runs}))


def _options(a: SweepResult, b: SweepResult) -> Iterator[str]:
    """The options that differ, of all models or of one name, each once."""
    found: dict[str, dict[str, str]] = {}
    both: list[str] = []
    first, second = _of_names(a.runs), _of_names(b.runs)
    for (name, leg), options in first.items():
        other = second.get((name, leg))
        if other is None:
            continue
        both.append(name)
        for key in dict.fromkeys([*options, *other]):
            values = (_value(options, key, a), _value(other, key, b))
            if values[0] != values[1] and key not in _OF_ONE_RUN and (key, leg) != ("arrivals", LEGS[1]):
                found.setdefault(key, {})[name] = f"{_shown(values[0])} and {_shown(values[1])}"
    for key, texts in found.items():
        everywhere = len(set(texts.values())) == 1 and set(texts) == set(both)
        for name, text in [("", next(iter(texts.values())))] if everywhere else texts.items():
            yield f"{f'{name}.' if name else ''}{key} differs: {text}"


def _of_names(runs: Sequence[Record]) -> dict[tuple[str, str], Mapping[str, Any]]:
    """The options of each name in each leg; all its runs have the same."""
    return {(str(run.get("name")), load_key(run)[0]): run["options"] for run in runs if run.get("options")}


def _value(options: Mapping[str, Any], key: str, of: SweepResult) -> Any:
    """The value of an option; the default where an older version did not have it yet."""
    if key in options or key not in OPTIONS:
        return options.get(key)
    return OPTIONS[key].default_for(of.sweep.get("workload"))


def _shown(value: Any) -> str:
    return validate.shown("none" if value is None else str(value))
