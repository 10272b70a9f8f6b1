"""Anyone's table of a closed test, checked by Little's law: users = throughput x (mean response + think time).

J. D. C. Little, "A Proof for the Queuing Formula: L = lambda W" (Operations Research 9, 1961). It holds whatever the
system is and however it is scheduled; a row that breaks it holds figures that do not belong together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from parkbench import validate
from parkbench.checks import figure
from parkbench.errors import ConfigError

if TYPE_CHECKING:
    import pandas as pd

LIMIT = 0.05
"""Figures apart by more than this share are not of one test."""
COLUMNS = ("concurrency", "throughput_rps", "response_mean_ms")


def audit_table(frame: Any, think_s: float = 0.0) -> pd.DataFrame:
    """Check a table of closed tests; the rows come back with what was found, in the same order and with the same index.

    `frame`: a DataFrame, a mapping of columns or a list of mappings (rows), with the columns `concurrency` (users),
    `throughput_rps` and `response_mean_ms`; any others are kept. A row without a response time (null, or no such
    column) cannot be checked. `think_s`: what every user waits between an answer and the next request, s.

    Columns added: `in_flight` (throughput x mean response), `implied_mean_ms` (the mean response that users and
    throughput imply: N / X - Z), `residual` (share of the users unaccounted for), `ok` (True, False, or None where it
    cannot be checked; dtype object) and `text`. Raises ConfigError for a missing column, a negative figure or one that
    is no number.
    """
    import pandas as pd

    table = pd.DataFrame(frame if isinstance(frame, (pd.DataFrame, Mapping)) else list(frame)).copy()
    think = validate.real("think_s", think_s, "s", above=None, low=0.0, high=86_400.0)
    for column in COLUMNS[:2]:
        if column not in table.columns:
            raise ConfigError(
                f"audit_table needs a column {column}; the table has {', '.join(map(str, table.columns)) or 'none'}"
            )
    columns = [_numbers(table[key], key) if key in table.columns else [None] * len(table) for key in COLUMNS]
    rows = [_row(users, rps, mean, think) for users, rps, mean in zip(*columns, strict=True)]
    for key in ("in_flight", "implied_mean_ms", "residual"):
        table[key] = pd.Series([row[key] for row in rows], index=table.index, dtype="float64")
    for key in ("ok", "text"):
        table[key] = pd.Series([row[key] for row in rows], index=table.index, dtype="object")
    return table


def _numbers(column: Any, name: str) -> list[float | None]:
    """The figures of a column, None where there is none. Raises ConfigError for what is no number or below 0."""
    import pandas as pd

    found: list[float | None] = []
    for row, value in enumerate(column):
        try:
            number = math.nan if value is None or value is pd.NA else float(value)
        except (TypeError, ValueError):
            raise ConfigError(f"audit_table: {name} of row {row} is {value!r}, not a number") from None
        if number < 0 or math.isinf(number):
            raise ConfigError(f"audit_table: {name} of row {row} is {number:g}; it must be 0 or more")
        found.append(None if math.isnan(number) else number)
    return found


def _row(users: float | None, throughput: float | None, response_ms: float | None, think: float) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(("in_flight", "implied_mean_ms", "residual", "ok"))
    if not users or not throughput:
        return row | {"text": "not checkable: it needs users and a throughput above 0"}
    implied = (users / throughput - think) * 1000
    row["implied_mean_ms"] = implied
    if response_ms is None:
        return row | {"text": f"not checkable without a response time; users / throughput would be {implied:,.1f} ms"}
    row["in_flight"] = throughput * response_ms / 1000
    accounted = throughput * (response_ms / 1000 + think)
    row["residual"] = abs(users - accounted) / users
    row["ok"] = bool(row["residual"] <= LIMIT)
    where = "in flight" if not think else "in flight or thinking"
    if row["ok"]:
        return row | {"text": f"adds up: {accounted:,.0f} of {users:,.0f} users {where}"}
    return row | {
        "text": f"cannot be: {figure(throughput)}/s at a mean of {figure(response_ms)} ms are {accounted:,.0f} users "
        f"{where}, not {users:,.0f}; {users:,.0f} would need a mean of {implied:,.1f} ms"
    }


def rows_of(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table as mappings, with None where pandas has NaN."""
    return [
        {str(key): None if isinstance(value, float) and math.isnan(value) else value for key, value in row.items()}
        for row in table.to_dict("records")
    ]
