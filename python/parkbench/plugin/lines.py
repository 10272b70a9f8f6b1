"""How comparisons are said: one unit for both sides, a sentence for a failure, a table that fits the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parkbench.plugin.judging import HIGHER_IS_BETTER

Row = Mapping[str, Any]
"""A row of comparison as `comparing.Row.as_dict` gives it, with `test`; it may come from another process."""

_TIMES = (("s", 1e-3), ("ms", 1.0), ("us", 1e3), ("ns", 1e6))
_HEADINGS = ("test", "name", "load", "figure", "baseline", "now", "ratio", "change", "interval", "verdict")
_RIGHT = ("baseline", "now", "ratio", "change", "interval")
_MAY_GO = ("interval", "ratio", "load", "baseline", "figure", "name")
"""Columns that a narrow terminal does without, in this order."""
_TIMES_FROM = 10
"""From this ratio on one says how many times, not how many per cent more."""
_READABLE = 24
"""Columns go before the name of a test gets shorter than this."""
_SHORTEST = 8


@dataclass(frozen=True)
class Line:
    """A line of the table and how it is marked: `red`, `green`, `yellow`, or plain."""

    text: str
    colour: str = ""


def in_one_unit(figure: str, *values: float | None) -> list[str]:
    """The values in one unit, that of the largest: `1.50 s`, `0.500 s`; `-` for None."""
    known = [abs(value) for value in values if value is not None]
    unit, factor = _unit(figure, max(known, default=0.0))
    return ["-" if value is None else f"{_digits(value * factor)}{unit and ' '}{unit}" for value in values]


def change(ratio: float | None) -> str:
    """`+22 %`, `-66.7 %`: one decimal below 10 %, as many as three digits need above; `-` for None."""
    if ratio is None:
        return "-"
    if ratio >= _TIMES_FROM:
        return f"x {_digits(ratio)}"
    share = (ratio - 1) * 100
    return f"{share:+.0f} %" if abs(share) >= 9.95 else f"{share:+.1f} %"


def word(row: Row) -> str:
    """The verdict as one says it of this figure: `slower`, `faster`, `more`, `less`, or the verdict itself."""
    figure, verdict = str(row.get("figure")), str(row.get("verdict"))
    speed = figure in HIGHER_IS_BETTER or figure.startswith(("response_", "from_send_"))
    words = {"worse": "slower" if speed else "more", "better": "faster" if speed else "less",
             "not worse": "not slower" if speed else "not more"}  # fmt: skip
    return words.get(verdict, verdict)


def sentence(row: Row) -> str:
    """What was found, with everything it rests on, on one line."""
    figure = str(row.get("figure"))
    now, then = in_one_unit(figure, row.get("now"), row.get("baseline"))
    head = f"{figure} of {row.get('name')} at {row.get('load')}: {now}"
    notes = "; ".join(row.get("notes") or ())
    if row.get("baseline") is None:
        return f"{head}, {word(row)}" + (f": {notes}" if notes else "")
    against = f"its twin {row.get('against')}" if row.get("form") == "pairs" else f"baseline {row.get('against')}"
    text = f"{head}, {then} for {against}: {change(row.get('ratio'))}"
    if row.get("low") is not None:
        text += f" ({interval(row)}, {_percent(row.get('confidence') or 0.0)} interval)"
    text += f", {word(row)}"
    if row.get("verdict") == "worse":
        text += f" by more than {_percent(row.get('threshold') or 0.0)}"
    looks = row.get("looks") or ()
    if len(looks) > 1:
        counts = ", ".join(str(look["repeats"]) for look in looks)
        text += f"; looked at {len(looks)} times ({counts} repeats), the first look is not counted"
    return text + (f"; {notes}" if notes else "")


def interval(row: Row) -> str:
    """`+18 to +26 %`; `-` where there is none."""
    low, high = row.get("low"), row.get("high")
    if low is None or high is None:
        return "-"
    if high >= _TIMES_FROM:
        return f"x {_digits(low)} to {_digits(high)}"
    return f"{change(low).removesuffix(' %')} to {change(high)}"


def table(rows: Sequence[Row], width: int) -> list[Line]:
    """The rows as lines of at most `width` characters: columns are left out and names shortened until they fit."""
    if not rows:
        return []
    cells = [dict(zip(_HEADINGS, _cells(row), strict=True)) for row in rows]
    columns = [name for name in _HEADINGS if any(cell[name] != "-" for cell in cells)]
    if len({cell["figure"] for cell in cells}) == 1 and "figure" in columns:
        columns.remove("figure")  # said above the table
    widths = {name: max(len(name), *(len(cell[name]) for cell in cells)) for name in columns}
    for name in _MAY_GO:
        if _total(widths) - widths["test"] + min(widths["test"], _READABLE) <= width:
            break
        widths.pop(name, None)
    widths["test"] = max(min(widths["test"], _SHORTEST), widths["test"] - max(0, _total(widths) - width))
    head = "  ".join(_fit(name, name, widths[name]) for name in widths)
    lines = [Line(head.rstrip()[:width])]
    for row, cell in zip(rows, cells, strict=True):
        text = "  ".join(_fit(name, cell[name], widths[name]) for name in widths)
        lines.append(Line(text.rstrip()[:width], _colour(str(row.get("verdict")))))
    return lines


def _cells(row: Row) -> list[str]:
    now, then = in_one_unit(str(row.get("figure")), row.get("now"), row.get("baseline"))
    ratio = row.get("ratio")
    return [
        str(row.get("test")), str(row.get("name")), str(row.get("load")), str(row.get("figure")), then, now,
        "-" if ratio is None else f"{ratio:.3f}", change(ratio), interval(row), word(row),
    ]  # fmt: skip


def _total(widths: Mapping[str, int]) -> int:
    return sum(widths.values()) + 2 * (len(widths) - 1)


def _fit(column: str, text: str, width: int) -> str:
    """The text in its column. Of a test that is too long the end stays, which tells tests apart."""
    if len(text) > width:
        text = "..." + text[len(text) - width + 3 :] if width > 3 else text[-width:]
    return text.rjust(width) if column in _RIGHT else text.ljust(width)


def _colour(verdict: str) -> str:
    return {"worse": "red", "better": "green", "unsure": "yellow", "not comparable": "yellow"}.get(verdict, "")


def _unit(figure: str, largest: float) -> tuple[str, float]:
    if figure.endswith("_ms"):
        return next(((unit, factor) for unit, factor in _TIMES if largest * factor >= 0.9995), _TIMES[-1])
    ends = {"_rps": "/s", "_mib": "MiB", "_s": "s"}
    return next((unit for end, unit in ends.items() if figure.endswith(end)), ""), 1.0


def _digits(value: float) -> str:
    """Three digits or more, never an exponent for what one meets."""
    size = abs(value)
    if size >= 99.95:
        return f"{value:,.0f}"
    if size >= 9.995:
        return f"{value:.1f}"
    if size >= 0.9995:
        return f"{value:.2f}"
    return "0" if size == 0 else f"{value:.3f}" if size >= 0.0995 else f"{value:.3g}"


def _percent(share: float) -> str:
    return f"{share * 100:.4g} %"
