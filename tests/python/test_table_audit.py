"""Anyone's table, checked by Little's law: what cannot be is found, what cannot be checked is not judged."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import parkbench as pb
from parkbench.articles import GATEWAY
from parkbench.table_audit import rows_of

GIVEN = {"concurrency": [3000], "throughput_rps": [22_100], "response_mean_ms": [54]}


def test_the_gateway_article() -> None:
    table = pb.audit_table(pd.DataFrame(GATEWAY))
    by_users = dict(iter(table.groupby("concurrency")))
    assert list(by_users[3000]["ok"]) == [False, False]
    assert [round(x) for x in by_users[3000]["in_flight"]] == [1193, 1190]
    for users, implied in {200: [50.6, 51.2], 1000: [54.1, 55.9], 5000: [201.6, 308.6]}.items():
        assert list(by_users[users]["ok"]) == [None, None]
        assert [round(x, 1) for x in by_users[users]["implied_mean_ms"]] == implied
        assert by_users[users]["residual"].isna().all()
        assert by_users[users]["text"].str.contains("not checkable").all()
    assert "1,193 users in flight, not 3,000; 3,000 would need a mean of 135.7 ms" in by_users[3000]["text"].iloc[0]
    assert table["ok"].dtype == object
    assert list(table["service"]) == [row["service"] for row in GATEWAY]  # other columns are kept


@pytest.mark.parametrize("form", [pd.DataFrame(GIVEN), GIVEN, [{key: value[0] for key, value in GIVEN.items()}]])
def test_frames_columns_and_rows_are_taken(form: Any) -> None:
    assert rows_of(pb.audit_table(form))[0]["ok"] is False


def test_the_table_that_was_given_stays_as_it_was() -> None:
    frame = pd.DataFrame(GIVEN, index=["a row of mine"])
    table = pb.audit_table(frame)
    assert list(frame.columns) == list(GIVEN)
    assert list(table.index) == ["a row of mine"]


def test_think_time_belongs_to_the_users() -> None:
    row = {"concurrency": 100, "throughput_rps": 95.0, "response_mean_ms": 52.0}
    assert rows_of(pb.audit_table([row]))[0]["ok"] is False
    found = rows_of(pb.audit_table([row], think_s=1.0))[0]
    assert found["ok"] is True
    assert found["implied_mean_ms"] == pytest.approx((100 / 95 - 1) * 1000)
    assert found["in_flight"] == pytest.approx(95 * 0.052)


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 100_000), st.floats(0.01, 60_000), st.floats(0, 10), st.floats(0.96, 1.04))
def test_a_true_closed_system_always_passes(users: int, mean_ms: float, think: float, scatter: float) -> None:
    throughput = scatter * users / (mean_ms / 1000 + think)
    row = {"concurrency": users, "throughput_rps": throughput, "response_mean_ms": mean_ms}
    assert rows_of(pb.audit_table([row], think_s=think))[0]["ok"] is True


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 100_000), st.floats(0.01, 60_000), st.one_of(st.floats(0.01, 0.94), st.floats(1.06, 100)))
def test_figures_that_do_not_belong_together_never_pass(users: int, mean_ms: float, off: float) -> None:
    row = {"concurrency": users, "throughput_rps": off * users / (mean_ms / 1000), "response_mean_ms": mean_ms}
    found = rows_of(pb.audit_table([row]))[0]
    assert found["ok"] is False
    assert found["residual"] == pytest.approx(abs(1 - off))


@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA])
def test_no_response_time_is_not_checkable(nothing: Any) -> None:
    (row,) = rows_of(pb.audit_table([{"concurrency": 10, "throughput_rps": 100, "response_mean_ms": nothing}]))
    assert row["ok"] is None
    assert row["text"] == "not checkable without a response time; users / throughput would be 100.0 ms"
    (row,) = rows_of(pb.audit_table({"concurrency": [10], "throughput_rps": [100]}))
    assert row["ok"] is None
    (row,) = rows_of(pb.audit_table([{"concurrency": 10, "throughput_rps": 0, "response_mean_ms": 5}]))
    assert (row["ok"], row["implied_mean_ms"]) == (None, None)


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ({"users": [1], "throughput_rps": [1]}, "needs a column concurrency; the table has users, throughput_rps"),
        ([], "needs a column concurrency; the table has none"),
        ({**GIVEN, "throughput_rps": ["~22,100"]}, "throughput_rps of row 0 is '~22,100', not a number"),
        ({**GIVEN, "response_mean_ms": [-1]}, "response_mean_ms of row 0 is -1; it must be 0 or more"),
        ({**GIVEN, "concurrency": [float("inf")]}, "concurrency of row 0 is inf"),
    ],
)
def test_what_is_no_table_is_refused_in_one_sentence(frame: Any, words: str) -> None:
    with pytest.raises(pb.ConfigError) as error:
        pb.audit_table(frame)
    assert words in str(error.value)
    with pytest.raises(pb.ConfigError, match="think_s"):
        pb.audit_table(GIVEN, think_s=-1)
