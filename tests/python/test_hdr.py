"""Histograms as HdrHistogram logs: nothing is lost, and the reader of the package opens them."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path

import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
from hypothesis import given, settings
from hypothesis import strategies as st

from parkbench import hdr

VALUES = st.one_of(st.integers(0, 5000), st.integers(0, hdr.HIGHEST), st.sampled_from([2**n for n in range(43)]))
EMPTY_BODY = base64.b64encode(b"\x1c\x84\x93\x14" + b"\0" * 40).decode()
COUNTS = st.dictionaries(VALUES, st.integers(1, 2**40), max_size=40)


def log_of(counts: list[list[int]], **more: object) -> str:
    return hdr.to_log({"unit": "ns", "counts": counts, **more}, "2024-05-01T12:00:00+00:00", 2.0)


@settings(deadline=None, max_examples=60)
@given(COUNTS)
def test_counts_come_back_as_they_were(found: dict[int, int]) -> None:
    buckets = hdr.aligned(found.items())
    assert sum(count for _, count in buckets) == sum(found.values())
    assert hdr.decode(hdr.encode(buckets)) == buckets
    assert hdr.from_log(log_of(buckets)) == buckets


@settings(deadline=None)
@given(VALUES)
def test_a_value_is_known_to_a_thousandth(value: int) -> None:
    low = hdr.lowest(value)
    assert low <= value
    assert value - low <= value * hdr.RELATIVE_ERROR
    assert hdr.lowest(low) == low


@settings(deadline=None)
@given(VALUES)
def test_the_buckets_are_those_of_the_package(value: int) -> None:
    package = HdrHistogram(1, hdr.HIGHEST, hdr.DIGITS)
    assert package.get_lowest_equivalent_value(value) == hdr.lowest(value)


def test_the_reader_of_the_package_opens_it(tmp_path: Path) -> None:
    path = tmp_path / "0.hlog"
    path.write_text(log_of([[1000, 3], [300_007_424, 2], [hdr.HIGHEST, 1]], overflow=7))
    reader = HistogramLogReader(str(path), HdrHistogram(1, hdr.HIGHEST, hdr.DIGITS))
    found = reader.get_next_interval_histogram()
    assert found is not None
    assert found.get_total_count() == 6
    assert found.get_count_at_value(300_007_424) == 2
    assert found.get_value_at_percentile(50) == 1000
    assert reader.get_start_time_sec() == 1714564800.0
    assert found.get_end_time_stamp() - found.get_start_time_stamp() == pytest.approx(2000.0)
    assert reader.get_next_interval_histogram() is None
    reader.close()


def test_the_payload_is_v2_as_the_format_says() -> None:
    raw = base64.b64decode(hdr.encode([[1, 1], [5, 2]]))
    assert raw[:4] == bytes.fromhex("1c849314")  # V2, compressed
    body = zlib.decompress(raw[8:])
    assert body[:4] == bytes.fromhex("1c849313")  # V2
    assert int.from_bytes(body[4:8], "big") == len(body) - 40  # the counts behind a header of 40 bytes
    assert int.from_bytes(body[12:16], "big") == hdr.DIGITS
    assert int.from_bytes(body[16:24], "big") == 1
    assert int.from_bytes(body[24:32], "big") == hdr.HIGHEST
    assert body[32:40] == bytes.fromhex("3ff0000000000000")  # the ratio 1.0
    assert body[40:] == bytes([1, 2, 5, 4])  # zig-zag: one zero, 1, three zeros, 2


def test_what_stands_beside_the_counts() -> None:
    text = log_of([[4_997_120, 1]], overflow=3)  # a bucket up to 5,001,215
    assert "3 values above 4398046511104 ns are in no bucket" in text
    assert "known to 0.1%" in text
    assert "#[StartTime: 1714564800.000 (seconds since epoch), 2024-05-01T12:00:00+00:00]" in text
    assert "\n0.000,2.000,5.001,HIST" in text
    assert "#[StartTime: 0.000" in hdr.to_log({"unit": "ns", "counts": []}, "yesterday")


def test_an_empty_histogram() -> None:
    assert hdr.from_log(log_of([])) == []


def test_intervals_and_tags_of_other_writers_add_up() -> None:
    text = f'"StartTimestamp"\nTag=a,0.1,1.0,2.0,{hdr.encode([[7, 1]])}\n1.1,1.0,2.0,{hdr.encode([[7, 2], [9, 1]])}\n'
    assert hdr.from_log(text) == [[7, 3], [9, 1]]


@pytest.mark.parametrize(
    "text",
    ["", "#[only comments]\n", "0.0,1.0\n", "0.0,1.0,2.0,HISTnonsense\n", "0.0,1.0,2.0,AAAA\n",
     f"0.0,1.0,2.0,{hdr.encode([[7, 1]])[:30]}\n", f"0.0,1.0,2.0,{EMPTY_BODY}\n"],
)  # fmt: skip
def test_a_broken_log_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match="it h"):
        hdr.from_log(text)


@pytest.mark.parametrize(
    "histogram",
    [{}, {"unit": "ms", "counts": []}, {"unit": "ns"}, {"unit": "ns", "counts": [[-1, 1]]},
     {"unit": "ns", "counts": [[hdr.HIGHEST + 1, 1]]}, {"unit": "ns", "counts": [[1, -1]]},
     {"unit": "ns", "counts": [[1.5, 1]]}, {"unit": "ns", "counts": [[1, 2, 3]]},
     {"unit": "ns", "counts": [], "overflow": "many"}],
)  # fmt: skip
def test_what_is_no_histogram_is_refused(histogram: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"it is no|outside|was counted|no whole number|unpack"):
        hdr.to_log(histogram)
