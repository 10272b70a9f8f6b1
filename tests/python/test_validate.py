import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parkbench import validate
from parkbench.errors import ConfigError


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (2, "s", 2.0),
        ("2", "s", 2.0),
        ("2s", "s", 2.0),
        ("500ms", "s", 0.5),
        (" 500 ms ", "s", 0.5),
        ("1.5min", "s", 90.0),
        ("50", "ms", 50.0),
        ("0.05s", "ms", 50.0),
        ("500us", "ms", 0.5),
        ("2ms", "us", 2000.0),
        ("1MiB", "KiB", 1024.0),
        ("1e3", "", 1000.0),
        ("10_000", "", 10000.0),
    ],
)
def test_a_number_may_carry_its_unit(value: Any, unit: Any, expected: Any) -> None:
    assert validate.quantity("x", value, unit) == expected


@pytest.mark.parametrize(
    "value", ["", "two", "2 parsecs", "1s2", "nan", "inf", "--1", True, None, [2], b"2", float("nan"), math.inf, "1KiB"]
)
def test_what_is_no_number_is_refused_by_option_and_example(value: Any) -> None:
    with pytest.raises(ConfigError, match=r"^duration takes a number such as 2, 2s or 500ms, not "):
        validate.quantity("duration", value, "s")


def test_limits_are_named_with_their_unit() -> None:
    with pytest.raises(ConfigError, match="^duration must be more than 0 s, not 0$"):
        validate.real("duration", 0, "s", above=0.0, low=0.0, high=10.0)
    with pytest.raises(ConfigError, match="^warmup must be at least 0 s, not '?-1'?$"):
        validate.real("warmup", -1, "s", above=None, low=0.0, high=10.0)
    with pytest.raises(ConfigError, match="^warmup must be at most 10 s, not 11$"):
        validate.real("warmup", 11, "s", above=None, low=0.0, high=10.0)


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.5, "whole number"), ("1.5", "whole number"), (0, "at least 1"), (-3, "at least 1"), (10**30, "at most")],
)
def test_whole_numbers(value: Any, text: Any) -> None:
    with pytest.raises(ConfigError, match=text):
        validate.whole("workers", value, low=1, high=1000)


def test_a_whole_number_keeps_all_digits() -> None:
    assert validate.whole("seed", str(2**63 - 1), low=0, high=2**63 - 1) == 2**63 - 1
    assert validate.whole("workers", 300.0, low=1, high=1000) == 300


def test_a_word_is_found_with_dashes_or_underscores_and_a_near_one_is_offered() -> None:
    assert validate.one_of("rejection", "caller-runs", ["reject", "caller_runs"]) == "caller_runs"
    with pytest.raises(
        ConfigError, match=r"rejection knows no caler_runs; did you mean caller_runs\? it takes reject and caller_runs"
    ):
        validate.one_of("rejection", "caler_runs", ["reject", "caller_runs"])


def test_the_command_line_spells_options_its_own_way() -> None:
    with validate.spelled_for_cli(), pytest.raises(ConfigError, match="^--query-delay-ms takes a number"):
        validate.quantity("query_delay_ms", "x", "ms")
    with pytest.raises(ConfigError, match="^query_delay_ms takes a number"):
        validate.quantity("query_delay_ms", "x", "ms")


@pytest.mark.parametrize(
    ("value", "expected"), [(5, [5]), ("10,50, 200", [10, 50, 200]), ([400, 10], [400, 10]), (range(1, 4), [1, 2, 3])]
)
def test_concurrency_is_one_number_or_many(value: Any, expected: Any) -> None:
    assert validate.concurrency(value) == expected


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "at least 1, not 0"),
        (-1, "at least 1, not -1"),
        ("10,0", "at least 1"),
        ([], "is empty"),
        (",", "is empty"),
        ("10,10", "lists 10 twice"),
        (None, "number"),
        ({1: 2}, "number"),
    ],
)
def test_bad_concurrency(value: Any, text: Any) -> None:
    with pytest.raises(ConfigError, match=f"^concurrency .*{text}"):
        validate.concurrency(value)


def test_an_unknown_option_names_the_known_ones() -> None:
    with pytest.raises(
        ConfigError, match=r"unknown option wokers; did you mean workers\? the options are queue and workers"
    ):
        validate.known_option("wokers", ["workers", "queue"])


@given(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(), st.lists(st.text())))
def test_any_value_gives_a_number_or_one_line(value: Any) -> None:
    for unit in ("s", "ms", "us", "KiB", ""):
        try:
            number = validate.quantity("x", value, unit)
        except ConfigError as error:
            assert "\n" not in str(error)
            str(error).encode()
        else:
            assert math.isfinite(number)
    try:
        assert min(validate.concurrency(value)) > 0
    except ConfigError as error:
        assert "\n" not in str(error)
