"""The page about the three articles is what the code makes, and says what was found."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from parkbench import articles

PAGE = Path(__file__).resolve().parents[2] / "python" / "docs" / "articles.md"


def test_the_page_is_what_the_code_makes() -> None:
    command = [sys.executable, "-m", "parkbench.articles"]
    made = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
    assert PAGE.read_text(encoding="utf-8") == made


def test_what_the_page_says() -> None:
    text = " ".join(articles.page().split())
    for words in (
        "It comes from holding one of 10 connections while the application waits, not from the model",
        "3,000 users cannot be, for either service.** Throughput and mean make 1,193 and 1,190 requests in flight",
        "200, 1,000 and 5,000 users are not checkable",
        "15% is no figure of this table.** Virtual threads lose 1% at 200, 3% at 1,000, 12% at 3,000, 35% at 5,000",
        "The ratio is 2.5 by arithmetic",
    ):
        assert words in text, words
    for implied in ("50.6", "54.1", "201.6", "51.2", "55.9", "308.6"):
        assert f"| {implied} |" in text


def test_requests_that_come_at_once_leave_in_waves() -> None:
    assert articles.rounds_mean_ms(10, 10, 300.0) == 300.0
    assert articles.rounds_mean_ms(11, 10, 300.0) == pytest.approx((10 * 300 + 600) / 11)
    assert articles.rounds_mean_ms(400, 10, 100.0) == pytest.approx(100 * 41 / 2)
    assert articles.rounds_mean_ms(5, 10, 300.0) == 300.0


def test_the_guides_settings_close() -> None:
    pool, virtual = articles.sleep_rows()
    assert pool["throughput_rps"] == pytest.approx(667, abs=1)
    assert virtual["throughput_rps"] == pytest.approx(1667, abs=1)
    assert virtual["throughput_rps"] / pool["throughput_rps"] == pytest.approx(2.5)
