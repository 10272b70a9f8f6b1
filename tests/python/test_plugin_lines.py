"""How comparisons are said."""

from __future__ import annotations

from typing import Any

import pytest

from parkbench.plugin import lines


def row(**changes: Any) -> dict[str, Any]:
    given = {
        "test": "tests/test_bench.py::test_price", "name": "thread_pool", "load": "50 users",
        "figure": "response_mean_ms", "now": 1.26, "baseline": 1.14, "ratio": 1.105, "low": 1.079, "high": 1.132,
        "confidence": 0.99, "threshold": 0.05, "verdict": "worse", "form": "stored", "against": "main", "notes": [],
        "looks": [{"repeats": 5}, {"repeats": 10}],
    }  # fmt: skip
    return {**given, **changes}


@pytest.mark.parametrize(
    ("figure", "values", "shown"),
    [
        ("response_mean_ms", (1500.0, 500.0), ["1.50 s", "0.500 s"]),
        ("response_mean_ms", (1.8e-6, 2.2e-6), ["1.80 ns", "2.20 ns"]),
        ("response_mean_ms", (0.9, 1.1), ["0.900 ms", "1.10 ms"]),
        ("response_p99_ms", (0.05, 0.0001), ["50.0 us", "0.100 us"]),
        ("response_p99_ms", (4836.0, 0.3), ["4.84 s", "0.0003 s"]),
        ("throughput_rps", (12345.6, None), ["12,346 /s", "-"]),
        ("rss_peak_mib", (30.0, 29.0), ["30.0 MiB", "29.0 MiB"]),
        ("cpu_s", (0.5, 0.0), ["0.500 s", "0 s"]),
        ("threads_peak", (203.0, 3.0), ["203", "3.00"]),
        ("response_mean_ms", (None, None), ["-", "-"]),
    ],
)
def test_both_sides_have_one_unit(figure: str, values: tuple[float | None, ...], shown: list[str]) -> None:
    assert lines.in_one_unit(figure, *values) == shown


@pytest.mark.parametrize(
    ("ratio", "shown"),
    [(1 / 3, "-67 %"), (2.2 / 1.8, "+22 %"), (1.004, "+0.4 %"), (1.0, "+0.0 %"), (45.0, "x 45.0"), (None, "-")],
)
def test_changes(ratio: float | None, shown: str) -> None:
    assert lines.change(ratio) == shown


@pytest.mark.parametrize(
    ("figure", "verdict", "word"),
    [
        ("response_mean_ms", "worse", "slower"),
        ("throughput_rps", "worse", "slower"),
        ("rss_peak_mib", "worse", "more"),
        ("cpu_s", "better", "less"),
        ("response_p99_ms", "better", "faster"),
        ("cpu_s", "new", "new"),
    ],
)
def test_words(figure: str, verdict: str, word: str) -> None:
    assert lines.word({"figure": figure, "verdict": verdict}) == word


def test_a_failure_says_what_it_rests_on() -> None:
    assert lines.sentence(row(notes=["cpu_us 1000 -> 1100"])) == (
        "response_mean_ms of thread_pool at 50 users: 1.26 ms, 1.14 ms for baseline main: +10 % "
        "(+7.9 to +13 %, 99 % interval), slower by more than 5 %; looked at 2 times (5, 10 repeats), "
        "the first look is not counted; cpu_us 1000 -> 1100"
    )
    new = row(baseline=None, ratio=None, low=None, verdict="new", notes=["no baseline yet; recorded as baseline"])
    assert lines.sentence(new) == (
        "response_mean_ms of thread_pool at 50 users: 1.26 ms, new: no baseline yet; recorded as baseline"
    )
    assert "for its twin x (baseline): " in lines.sentence(row(form="pairs", against="x (baseline)", looks=[]))


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_the_table_fits(width: int) -> None:
    rows = [
        row(),
        row(test="tests/very/deep/down/test_other_things.py::TestIt::test_case[reactive-400]", verdict="same"),
    ]
    table = lines.table(rows, width)
    assert len(table) == 3
    assert all(len(line.text) <= width for line in table)
    assert table[0].text.split()[0] == "test"
    assert table[1].text.endswith("slower") and table[1].colour == "red"
    assert "now" in table[0].text
    assert ("interval" in table[0].text) == (width >= 120)
    assert "[reactive-400]" in table[2].text or width < 60


def test_a_table_of_figures_alone_has_no_empty_columns() -> None:
    plain = {"test": "t", "name": "reactive", "load": "5 users", "figure": "cpu_s", "now": 1.0, "verdict": "-"}
    head, line = lines.table([plain], 80)
    assert head.text.split() == ["test", "name", "load", "now"]
    assert line.text.split() == ["t", "reactive", "5", "users", "1.00", "s"]
    assert lines.table([], 80) == []
