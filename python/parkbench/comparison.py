"""Two sweeps side by side: how many times the figures of one are those of the other, and what may be said of that.

Not named compare.py: the import of a module of that name would take the place of the function `parkbench.compare`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from parkbench import comparability, stats, wording
from parkbench.audit import FAILURE_LIMIT
from parkbench.checks import not_ok
from parkbench.record import Record, is_comparable, load_key, loads, names, number

if TYPE_CHECKING:
    import pandas as pd

    from parkbench.result import SweepResult

COMPARED = ("throughput_rps", "response_mean_ms", "response_p99_ms", "rss_peak_mib")
COLUMNS = (
    "name", "leg", "concurrency", "rate_rps", "figure", "a", "b", "ratio", "low", "high", "repeats", "detectable", "p",
    "pairing", "verdict",
)  # fmt: skip
SIGNIFICANCE = 0.05
_WORDS = {"throughput_rps": ("faster", "slower"), "rss_peak_mib": ("more", "less")}
_SLOWER = ("slower", "faster")
DIFFERS = ("faster", "slower", "more", "less")
"""The verdicts that say a difference."""

Row = dict[str, Any]


def compare(a: SweepResult, b: SweepResult, *, unpaired: bool = False, unlike: bool = False) -> pd.DataFrame:
    """How many times the figures of `b` are those of `a`: one row per name, load and figure.

    Columns: name, leg, concurrency, rate_rps (NaN in the closed leg), figure (its unit is in its name and holds for
    both columns), a, b (geometric means over the repeats compared), ratio (b / a), low, high (95 %, NaN below 3
    repeats), repeats, detectable (the smallest relative difference that so many repeats with this spread would find
    with power 0.8), p (that the ratio is 1, Holm's over all rows), pairing, verdict.

    `pairing` is `paired`: repeat by repeat, for sweeps of one session whose runs took turns; or `unpaired` (Welch): for
    sweeps of one session that came one after the other, and for those of different sessions, which are refused unless
    `unpaired` is true. `verdict`: `faster`, `slower` (for
    memory `more`, `less`) only from 5 repeats, where the whole interval lies beyond the margin of 2 % and Holm's p is
    at most 0.05; `same` where it lies within; `unsure`; `too_few_repeats`; `too_many_errors` (above 1 % in either);
    `not_available` where one has no such figure; `new` and `gone` for what only b or only a has.

    Only runs that may be compared count (status ok, steady). Raises NotComparableError, a ConfigError, for sweeps of
    unlike machines, builds, workloads, legs or options (unless `unlike`), and of different sessions.
    """
    import pandas as pd

    comparability.check(a, b, unpaired=unpaired, unlike=unlike)
    paired = not unpaired and comparability.same_session(a.sweep, b.sweep) and comparability.interleaved(a.runs, b.runs)
    rows: list[Row] = []
    both = [*a.runs, *b.runs]
    for key in loads(both):
        for name in names(both):
            cells = [[run for run in one.runs if run["name"] == name and load_key(run) == key] for one in (a, b)]
            if any(cells):
                rows += [{**_identity(name, key), **row} for row in _cell(*cells, paired=paired)]
    _holm(rows)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def sentences(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the rows of a comparison (its frame's records) say: a sentence per difference, or that there is none."""
    found = [_sentence(row) for row in rows if row["verdict"] in DIFFERS]
    compared = [row for row in rows if row["verdict"] in (*DIFFERS, "same", "unsure")]
    few = [row for row in rows if row["verdict"] == "too_few_repeats"]
    if not found and compared:
        unsure = any(row["verdict"] == "unsure" for row in compared)
        found = [
            f"{'No difference can be told' if unsure else 'No practical difference: all within 2 %'}{_finds(compared)}."
        ]
    if few and not compared:
        found = [f"{stats.MIN_REPEATS_FOR_WORDS} repeats are needed to say faster or slower; there are fewer."]
    for verdict, text in (("new", "only in the second"), ("gone", "only in the first"),
                          ("too_many_errors", "not judged, more than 1 % of the requests failed")):  # fmt: skip
        cells = dict.fromkeys(f"{row['name']} at {load(row)}" for row in rows if row["verdict"] == verdict)
        if cells:
            found.append(f"{text[0].upper()}{text[1:]}: {wording.listed(list(cells))}.")
    return found


def _finds(rows: Sequence[Mapping[str, Any]]) -> str:
    """From which size on so many repeats would have found a difference, by figure; of several rows the largest."""
    largest: dict[str, float] = {}
    for row in rows:
        if not math.isnan(row["detectable"]):
            largest[_what(row)] = max(largest.get(_what(row), 0.0), row["detectable"])
    texts = [f"{wording.percent(size)} for {what}" for what, size in largest.items()]
    return f"; so many repeats find differences from {wording.listed(texts)}" if texts else ""


def load(row: Mapping[str, Any]) -> str:
    """The load of a row: `400`, or `812/s` where a rate was set."""
    rate = row["rate_rps"]
    return f"{row['concurrency']:,}" if rate is None or math.isnan(rate) else f"{rate:,.4g}/s"


def in_one_unit(figure: str, a: float, b: float) -> tuple[str, str]:
    """Both values for reading, in one unit, which the smaller one chooses; empty where there is none."""
    unit, factor = {"rps": ("/s", 1.0), "mib": (" MiB", 1.0)}.get(figure.rsplit("_", 1)[-1], (" ms", 1.0))
    known = [abs(value) for value in (a, b) if value and not math.isnan(value)]
    if unit == " ms" and known:
        units = ((1e-3, " ns", 1e6), (1.0, " us", 1e3), (1e4, " ms", 1.0))
        unit, factor = next(((word, by) for below, word, by in units if min(known) < below), (" s", 1e-3))
    first, second = ("" if math.isnan(value) else f"{wording.amount(value * factor)}{unit}" for value in (a, b))
    return first, second


def _identity(name: str, key: tuple[str, int, float]) -> Row:
    leg, concurrency, rate = key
    return {"name": name, "leg": leg, "concurrency": concurrency, "rate_rps": rate or math.nan}


def _cell(a: Sequence[Record], b: Sequence[Record], *, paired: bool) -> Iterator[Row]:
    """A row per figure that either has."""
    errors = any(_failed_share(runs) > FAILURE_LIMIT for runs in (a, b))
    for figure in COMPARED:
        left, right = _values(a, figure), _values(b, figure)
        if not left and not right and a and b:
            continue
        row = {"figure": figure, "pairing": "paired" if paired else "unpaired", "repeats": 0,
               **dict.fromkeys(("a", "b", "ratio", "low", "high", "detectable", "p"), math.nan)}  # fmt: skip
        if paired and a and b:
            common = left.keys() & right.keys()
            left, right = ({key: one[key] for key in sorted(common)} for one in (left, right))
        row["a"], row["b"] = _mean(left), _mean(right)
        if not a or not b:
            yield row | {"verdict": "gone" if a else "new"}
            continue
        ratio = stats.paired_ratio(left, right) if paired else stats.unpaired_ratio([*left.values()], [*right.values()])
        if ratio is None:
            yield row | {"verdict": "not_available"}
            continue
        carried = {"low": ratio.low, "high": ratio.high, "detectable": ratio.detectable, "p": ratio.p}
        row |= {"ratio": ratio.ratio, "repeats": ratio.pairs, **{k: _or_nan(v) for k, v in carried.items()}}
        yield row | {"verdict": "too_many_errors" if errors else _word(figure, ratio.verdict())}


def _word(figure: str, verdict: str) -> str:
    larger, smaller = _WORDS.get(figure, _SLOWER)
    return {"larger": larger, "smaller": smaller}.get(verdict, verdict)


def _holm(rows: Sequence[Row]) -> None:
    """Puts Holm's p into the rows and takes back words that it does not carry: many rows, many chances to err."""
    tested = [row for row in rows if not math.isnan(row["p"])]
    for row, p in zip(tested, stats.holm([row["p"] for row in tested]), strict=True):
        row["p"] = p
        if row["verdict"] in DIFFERS and p > SIGNIFICANCE:
            row["verdict"] = "unsure"


def _values(runs: Sequence[Record], figure: str) -> dict[int, float]:
    """The figure of each repeat that may be compared."""
    found = {int(run["repeat"]): number(run, figure) for run in runs if is_comparable(run)}
    return {repeat: value for repeat, value in found.items() if value is not None}


def _failed_share(runs: Sequence[Record]) -> float:
    """Requests that did not end well, as a share of those scheduled: above the limit fast refusals would win."""
    counted = [run for run in runs if is_comparable(run)]
    scheduled = sum(int((run.get("ledger") or {}).get("scheduled") or 0) for run in counted)
    bad = sum(not_ok(run) for run in counted)
    return bad / scheduled if scheduled else 0.0


def _what(row: Mapping[str, Any]) -> str:
    """The figure without its unit, as one says it."""
    return str(row["figure"]).rsplit("_", 1)[0].replace("_", " ")


def _sentence(row: Mapping[str, Any]) -> str:
    a, b = in_one_unit(row["figure"], row["a"], row["b"])
    times = f"{row['ratio']:.3g} times ({row['low']:.3g} to {row['high']:.3g})"
    word = {"more": "takes more memory", "less": "takes less memory"}.get(row["verdict"], f"is {row['verdict']}")
    return (f"{row['name']} at {load(row)} {word}: {_what(row)} {b} against {a}, {times} over "
            f"{wording.plural(row['repeats'], 'repeat')}, {row['pairing']}.")  # fmt: skip


def _mean(values: Mapping[int, float]) -> float:
    """The geometric mean, whose ratio is the ratio of the row; the usual one where a value has no logarithm."""
    found = list(values.values())
    if not found:
        return math.nan
    return math.exp(stats.mean([math.log(value) for value in found])) if min(found) > 0 else stats.mean(found)


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value
