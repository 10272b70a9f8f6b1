"""Which sweeps may be compared: each reason not to, planted, is named with both values."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import run_records as records

from parkbench import comparability, validate
from parkbench.errors import ConfigError, NotComparableError
from parkbench.result import SweepResult

BUILD = {"compiler": "g++ 12", "build_type": "Release", "sanitizer": "", "assertions": False}
ENVIRONMENT = {"cpu_model": "A", "kernel": "6.1", "postgres": {"version": "18", "dsn": "x"}, "build": BUILD,
               "command": ["a"]}  # fmt: skip


def workers_sweep(repeats: int) -> list[dict[str, Any]]:
    return [records.few_workers(model, r) for r in range(repeats) for model in ("thread_pool", "virtual_threads")]


def made(runs: list[dict[str, Any]] | None = None, session: str | None = "one", **changes: Any) -> SweepResult:
    sweep = {"workload": "pricing", "transport": "direct", "started_at": "2024-05-01T12:00:00+00:00",
             "environment": {**ENVIRONMENT, **changes.pop("environment", {})}, **changes}  # fmt: skip
    if session is not None:
        sweep["design"] = {"session": session}
    return SweepResult(sweep, copy.deepcopy(workers_sweep(5) if runs is None else runs))


def check(a: SweepResult, b: SweepResult, **asked: bool) -> None:
    comparability.check(a, b, **{"unpaired": False, "unlike": False, **asked})


def test_alike_and_of_one_session() -> None:
    check(made(), made())
    check(made(), made(environment={"command": ["b"], "postgres": {"version": "18", "dsn": "y"}}))


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"environment": {"kernel": "6.2"}}, "not comparable: kernel differs: 6.1 and 6.2;"),
        ({"environment": {"cpu_model": None}}, "not comparable: cpu_model differs: A and none;"),
        ({"environment": {"postgres": {"version": "17"}}}, "not comparable: postgres.version differs: 18 and 17;"),
        ({"environment": {"build": {**BUILD, "compiler": "clang"}}}, r"build.compiler differs: g\+\+ 12 and clang;"),
        ({"workload": "sleep"}, "workload differs: pricing and sleep;"),
        ({"transport": "http"}, "transport differs: direct and http;"),
        ({"environment": {"build": {**BUILD, "sanitizer": "thread"}}},
         "the second was measured with a build with the sanitizer thread"),
    ],
)  # fmt: skip
def test_what_is_not_alike_is_named_with_both_values(changes: dict[str, Any], text: str) -> None:
    with pytest.raises(NotComparableError, match=text) as caught:
        check(made(), made(**changes))
    assert isinstance(caught.value, ConfigError)
    assert "\n" not in str(caught.value)
    check(made(), made(**changes), unlike=True)


def test_many_differences_are_counted() -> None:
    other = dict.fromkeys(("machine", "cpu_model", "kernel", "python", "parkbench"), "other")
    with pytest.raises(NotComparableError, match=r"machine differs: none and other; cpu_model .*; and 1 more;"):
        check(made(), made(environment=other))


def changed(**options: Any) -> list[dict[str, Any]]:
    runs = copy.deepcopy(workers_sweep(5))
    for run in runs:
        run["options"].update(options)
    return runs


def test_the_options_that_differ_are_named() -> None:
    with pytest.raises(NotComparableError, match="not comparable: timeout_s differs: 30.0 and 5.0;"):
        check(made(), made(changed(timeout_s=5.0)))
    with pytest.raises(NotComparableError, match="connections differs: 300 and 20; duration differs: 0.5 and 2.0;"):
        check(made(changed(duration=0.5)), made(changed(duration=2.0, connections=20)))
    check(made(changed(seed=5)), made(changed(seed=6)))
    check(made(), made(changed(timeout_s=5.0)), unlike=True)


def test_an_option_of_one_name_is_named_with_it() -> None:
    runs = copy.deepcopy(workers_sweep(5))
    for run in runs:
        if run["name"] == "thread_pool":
            run["options"]["workers"] = 50
    with pytest.raises(NotComparableError, match="not comparable: thread_pool.workers differs: 40 and 50;"):
        check(made(), made(runs))


def test_an_option_that_did_not_exist_yet_has_its_default() -> None:
    check(made(changed()), made(changed(alloc_kib=0)))
    with pytest.raises(NotComparableError, match="alloc_kib differs: 0 and 64"):
        check(made(changed()), made(changed(alloc_kib=64)))


def with_open_leg(rate: float) -> list[dict[str, Any]]:
    way = {"arrivals": f"poisson:rate={rate}"}
    extra = [{**run, "leg": "open", "rate_rps": rate, "load_share": 0.5, "options": {**run["options"], **way}}
             for run in workers_sweep(5)]  # fmt: skip
    return [*workers_sweep(5), *extra]


def test_the_legs_must_be_the_same_and_the_open_rates_need_not() -> None:
    with pytest.raises(NotComparableError, match="legs differs: closed and closed and open"):
        check(made(), made(with_open_leg(100.0)))
    check(made(with_open_leg(100.0)), made(with_open_leg(101.0)))


@pytest.mark.parametrize(("first", "second"), [("one", "two"), (None, None), ("one", None)])
def test_sweeps_of_different_sessions_are_refused_unless_asked(first: str | None, second: str | None) -> None:
    a, b = made(session=first), made(session=second)
    with pytest.raises(NotComparableError, match="not comparable: measured in different sessions") as caught:
        check(a, b)
    assert "unpaired=True compares them all the same" in str(caught.value)
    with validate.spelled_for_cli(), pytest.raises(NotComparableError, match="--unpaired compares them"):
        check(a, b)
    check(a, b, unpaired=True)
    with pytest.raises(NotComparableError, match="different sessions"):
        check(a, b, unlike=True)


def test_taking_turns() -> None:
    first = [records.starved("reactive", repeat, started_at=f"2024-05-01T12:00:0{repeat}") for repeat in range(3)]
    later = [records.starved("reactive", repeat, started_at=f"2024-05-01T12:01:0{repeat}") for repeat in range(3)]
    turns = [records.starved("reactive", repeat, started_at=f"2024-05-01T12:00:0{repeat}.5") for repeat in range(3)]
    assert comparability.interleaved(first, turns)
    assert not comparability.interleaved(first, later)
    assert not comparability.interleaved(later, first)
    assert comparability.interleaved(first, [{**run, "started_at": None} for run in later])


def test_nothing_measured_is_alike() -> None:
    check(SweepResult({"design": {"session": "x"}}, []), SweepResult({"design": {"session": "x"}}, []))
