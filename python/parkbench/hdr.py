"""Histograms of response times as HdrHistogram logs, which the readers of that format open.

The core's histogram and an HdrHistogram of 3 significant digits with the unit 1 ns are the same thing: 2,048 buckets of
1 ns each, then 1,024 per doubling, up to 2^42 ns (73 minutes). So the conversion loses nothing: counts are equal, and
a value is known to its bucket, 0.1 %, on either side. Values beyond the range stand in no bucket; they are counted
apart as `overflow`.

One file per run: a log of format 1.2 with one interval, the measured window, whose histogram is encoded as V2
(https://github.com/HdrHistogram/HdrHistogram, AbstractHistogram.encodeIntoCompressedByteBuffer and
HistogramLogWriter). The encoder is the package hdrhistogram.
"""

from __future__ import annotations

import binascii
import zlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

HIGHEST = 1 << 42
"""The highest value that has a bucket, ns."""
DIGITS = 3
RELATIVE_ERROR = 0.001
"""A bucket is at most so wide, as a share of its values: 1/1,024 rounded up to the digits that are promised."""
_SUB_BITS = 10
_LEGEND = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"'
_MS = 1_000_000


def lowest(value: int) -> int:
    """The lowest value of the bucket that holds `value` (ns), as the core computes it."""
    shift = max(0, value.bit_length() - (_SUB_BITS + 1))
    return value >> shift << shift


def aligned(counts: Iterable[Sequence[int]]) -> list[list[int]]:
    """Pairs (value in ns, count) by the lowest value of each bucket, ascending, a bucket once.

    Raises ValueError for a value outside 0 to 2^42, a count below 0, and what is no pair of whole numbers.
    """
    found: dict[int, int] = {}
    for pair in counts:
        value, count = (whole(part) for part in pair)
        if not 0 <= value <= HIGHEST:
            raise ValueError(f"{value} ns lies outside the range of the histogram")
        if count < 0:
            raise ValueError(f"{value} ns was counted {count} times")
        if count:
            found[lowest(value)] = found.get(lowest(value), 0) + count
    return [[value, found[value]] for value in sorted(found)]


def whole(value: Any) -> int:
    """The value, if it is a whole number. Raises ValueError."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{value!r} is no whole number")
    return value


def encode(counts: Iterable[Sequence[int]]) -> str:
    """The buckets as a compressed V2 payload in base64, as it stands in a log. Raises ValueError as `aligned` does."""
    from hdrh.histogram import HdrHistogram

    histogram = HdrHistogram(1, HIGHEST, DIGITS)
    for value, count in aligned(counts):
        histogram.record_value(value, count)
    return str(histogram.encode().decode("ascii"))


def decode(payload: str) -> list[list[int]]:
    """The buckets of a V2 payload in base64: pairs (lowest value, count), ascending. Raises ValueError."""
    from hdrh.codec import HdrCookieException, HdrHistogramSettingsException, HdrLengthException
    from hdrh.histogram import HdrHistogram

    wrong = (HdrCookieException, HdrHistogramSettingsException, HdrLengthException, binascii.Error, zlib.error,
             TypeError, ValueError, IndexError, OverflowError, MemoryError)  # fmt: skip
    try:
        histogram = HdrHistogram.decode(payload)
        last = histogram.get_counts_array_index(histogram.max_value)
        counts = enumerate(histogram.counts[: last + 1])
        return [[int(histogram.get_value_from_index(index)), count] for index, count in counts if count]
    except wrong as error:
        raise ValueError(f"it holds no V2 histogram: {error}") from error


def to_log(histogram: Mapping[str, Any], started_at: str | None = None, duration_s: float | None = None) -> str:
    """A run's histogram (`unit`, `counts`, `overflow`) as the text of a log.

    `started_at` is the start of the run (ISO 8601; 0 where it is not known), `duration_s` the length of the measured
    window. Raises ValueError where it is no histogram in ns.
    """
    if histogram.get("unit") != "ns" or not isinstance(histogram.get("counts"), (list, tuple)):
        raise ValueError("it is no histogram in ns")
    counts = aligned(histogram["counts"])
    overflow = whole(histogram.get("overflow") or 0)
    highest = (_last(counts[-1][0]) if counts else 0) / _MS
    return "\n".join([
        "#[Logged by parkbench: response times of the ok requests of one run, from their due time, in ns]",
        "#[Histogram log format version 1.2]",
        f"#[StartTime: {_seconds(started_at):.3f} (seconds since epoch), {started_at or 'not known'}]",
        f"#[Precision: known to {RELATIVE_ERROR:.1%}; {overflow} values above {HIGHEST} ns are in no bucket]",
        _LEGEND,
        f"0.000,{duration_s or 0.0:.3f},{highest:.3f},{encode(counts)}",
    ]) + "\n"  # fmt: skip


def from_log(text: str) -> list[list[int]]:
    """The buckets of all intervals of a log, added up. Raises ValueError where a line is broken or none is there."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith(("#", '"'))]
    if not lines:
        raise ValueError("it holds no interval")
    pairs: list[list[int]] = []
    for line in lines:
        fields = line.partition(",")[2] if line.startswith("Tag=") else line
        parts = fields.split(",", 3)
        if len(parts) != 4:
            raise ValueError("it has a line that is no interval")
        pairs += decode(parts[3].strip())
    return aligned(pairs)


def _last(value: int) -> int:
    """The highest value of the bucket whose lowest is `value`."""
    return value + (1 << max(0, value.bit_length() - (_SUB_BITS + 1))) - 1


def _seconds(moment: str | None) -> float:
    try:
        return datetime.fromisoformat(str(moment)).timestamp()
    except (ValueError, OverflowError):
        return 0.0
