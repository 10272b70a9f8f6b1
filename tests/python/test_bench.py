"""The pure parts of the benchmarks: intervals, rows, what wrk and /proc say, which answers are alike."""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import socket
import sys
from pathlib import Path

import pytest

from bench import answers, contest, http, proc, rows, wrk
from bench.answers import Answer
from bench.interval import met, ratio_of_medians
from bench.slowloris import Slowloris

PROMISED = {"what", "unit", "ours", "peer", "peer_value", "ratio", "low", "high", "goal", "repeats"}


def test_the_interval_holds_the_ratio_and_is_the_same_each_time() -> None:
    ours, theirs = [110.0, 121.0, 99.0, 130.0, 112.0], [100.0, 110.0, 90.0, 120.0, 101.0]
    first = ratio_of_medians(ours, theirs)
    assert first == ratio_of_medians(ours, theirs)
    assert first.value == pytest.approx(112 / 101)
    assert first.low is not None and first.high is not None
    assert first.low <= first.value <= first.high


def test_what_hits_both_sides_of_a_repeat_does_not_widen_the_interval() -> None:
    slow_and_quick = [100.0, 50.0, 25.0, 80.0, 10.0]
    paired = ratio_of_medians([2 * rate for rate in slow_and_quick], slow_and_quick)
    assert (paired.low, paired.value, paired.high) == (2.0, 2.0, 2.0)


def test_a_wide_spread_gives_a_wide_interval() -> None:
    ratio = ratio_of_medians([50.0, 200.0, 100.0], [100.0, 100.0, 100.0])
    assert (ratio.low, ratio.high) == (0.5, 2.0)


def test_one_repeat_has_no_interval() -> None:
    ratio = ratio_of_medians([3.0], [2.0])
    assert (ratio.value, ratio.low, ratio.high) == (1.5, None, None)


@pytest.mark.parametrize(("upper", "lower"), [([], []), ([1.0], [1.0, 2.0]), ([1.0], [0.0])])
def test_no_ratio_without_pairs(upper: list[float], lower: list[float]) -> None:
    with pytest.raises(ValueError, match="repeats|zero"):
        ratio_of_medians(upper, lower)


@pytest.mark.parametrize(
    ("ratio", "high", "goal", "verdict"),
    [
        (1.10, 1.20, 1.0, True),
        (0.96, 1.00, 1.0, True),
        (0.94, 1.10, 1.0, False),  # the interval reaches it, the median is too low
        (0.96, 0.99, 1.0, False),  # the other way round
        (1.10, None, 1.0, True),
        (0.96, None, 1.0, False),
        (2.00, 2.00, None, None),
        (None, None, 1.0, None),
    ],
)
def test_when_a_goal_is_met(ratio: float | None, high: float | None, goal: float | None, verdict: bool | None) -> None:
    assert met(ratio, high, goal) is verdict


def test_rows_of_rates_and_of_sizes_are_above_one_when_ours_is_better() -> None:
    rate = rows.higher_is_better("hello", "requests/s", [120.0, 130.0, 110.0], "nginx", [100.0, 100.0, 100.0], 1.0)
    size = rows.lower_is_better("memory", "KiB", [8.0, 10.0, 9.0], "limit", [12.0, 12.0, 12.0], 1.0)
    assert (rate.ours, rate.peer_value, rate.ratio, rate.repeats) == (120.0, 100.0, 1.2, 3)
    assert size.ratio == pytest.approx(12 / 9)
    assert size.low == pytest.approx(12 / 10) and size.high == pytest.approx(12 / 8)


def test_json_has_the_promised_names_and_a_reason_where_there_is_no_ratio() -> None:
    made = [
        rows.higher_is_better("a", "requests/s", [1.23456789], "nginx", [1.0], None),
        rows.higher_is_better("b", "requests/s", [2.0, 2.0], "nginx", [1.0, 1.0], 1.0, "200 workers"),
        rows.missing("c", "requests/s", "hyper", 1.0, "not built: cargo is missing"),
        rows.higher_is_better("d", "requests/s", [], "nginx", [], 1.0),
    ]
    answer = json.loads(rows.to_json("http", made))
    assert answer["bench"] == "http"
    plain, noted, absent, empty = answer["rows"]
    assert set(plain) == PROMISED and plain["ours"] == 1.2346 and plain["low"] is None
    assert set(noted) == PROMISED | {"note"}
    assert set(absent) == PROMISED | {"reason"} and absent["ratio"] is None
    assert absent["reason"] == "not built: cargo is missing"
    assert empty["ratio"] is None and "repeats" in empty["reason"]


def test_the_table_says_what_was_met_and_what_was_not() -> None:
    text = rows.to_text(
        [
            rows.higher_is_better("quick", "requests/s", [200.0, 200.0], "nginx", [100.0, 100.0], 1.0),
            rows.higher_is_better("slow", "requests/s", [50.0, 50.0], "nginx", [100.0, 100.0], 1.0, "a note"),
            rows.higher_is_better("plain", "requests/s", [50.0, 50.0], "nginx", [100.0, 100.0], None),
            rows.missing("gone", "requests/s", "hyper", 1.0, "not built"),
        ]
    )
    quick, slow, note, plain, gone = text.splitlines()
    assert quick.endswith("met") and "NOT" not in quick
    assert "0.50 (0.50 to 0.50)" in slow and slow.endswith("NOT MET")
    assert note.strip() == "a note"
    assert plain.endswith("for information")
    assert gone.endswith("not measured: not built")


def test_the_best_peer_has_the_highest_median() -> None:
    assert rows.best({"nginx": [1.0, 9.0, 2.0], "hyper": [3.0, 3.0, 3.0], "fasthttp": []}) == "hyper"
    assert rows.best({"nginx": []}) is None


def test_what_wrk_says_at_its_end() -> None:
    printed = (
        "Running 60m test @ http://127.0.0.1:1/hello\n  2 threads and 64 connections\nRequests/sec:  47878.49\n"
        'RESULT {"requests":140007,"duration_us":2924215,"p50_us":885,"p99_us":962286,"max_us":1009127,'
        '"connect":0,"read":2,"write":0,"status":3,"timeout":0}\n'
    )
    totals = wrk.parse(printed)
    assert (totals.requests, totals.p99_us, totals.errors) == (140_007, 962_286, 5)


@pytest.mark.parametrize("printed", ["", "unable to connect to 127.0.0.1:1 Connection refused\n"])
def test_wrk_without_a_result(printed: str) -> None:
    with pytest.raises(ValueError, match="no result"):
        wrk.parse(printed)


def test_write_calls_are_those_of_the_whole_process() -> None:
    text = "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 59735\nread_bytes: 4\n"
    assert proc.parse_writes(text) == 59_735
    with pytest.raises(ValueError, match="syscw"):
        proc.parse_writes("rchar: 1\n")
    before = proc.writes(os.getpid())
    with Path(os.devnull).open("wb", buffering=0) as sink:
        for _ in range(100):
            sink.write(b"x")
    assert proc.writes(os.getpid()) - before >= 100


def test_listeners_are_found_by_their_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        assert proc.listeners([os.getpid(), 1 << 30], listener.getsockname()[1]) == [os.getpid()]
        assert proc.listeners([os.getpid()], other.getsockname()[1]) == []


def test_an_answer_is_taken_apart_without_what_may_differ() -> None:
    raw = (
        b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nDate: today\r\nServer: x\r\nConnection: close\r\n"
        b"Content-Length: 5\r\n\r\nslept"
    )
    assert answers.parse(raw) == Answer(200, {"content-type": "text/plain", "content-length": "5"}, b"slept")


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nslep",
        b"HTTP/1.1 200 OK\r\n\r\nslept",
    ],
)
def test_an_answer_that_is_none(raw: bytes) -> None:
    with pytest.raises(ValueError, match="no answer|Content-Length"):
        answers.parse(raw)


def test_a_difference_of_one_byte_is_told() -> None:
    plain = Answer(403, {"content-length": "6"}, b"denied")
    assert answers.differences({"reactive": plain, "hyper": plain}) == []
    found = answers.differences({"reactive": plain, "net/http": Answer(403, {"content-length": "7"}, b"denied\n")})
    assert len(found) == 2
    assert "body: reactive gives b'denied', net/http gives b'denied\\n'" in found


def test_what_a_gateway_sends_on() -> None:
    head = "GET /items/7?all=1 HTTP/1.1\r\nhost: d\r\nx-request-start: 1764547200000000000\r\n\r\n"
    assert answers.forwarded(head) == ("GET /items/7?all=1 HTTP/1.1", True)
    assert answers.forwarded("GET / HTTP/1.1\r\nHost: d\r\n\r\n") == ("GET / HTTP/1.1", False)


def test_the_recorder_answers_and_keeps_what_came() -> None:
    with answers.recorder() as recorder:
        answer = answers.ask(recorder.port, answers.Case("any", "/items/7", ("X-Request-Start: 1",)))
    assert answer.body == b"downstream ok"
    assert answers.forwarded(recorder.heads[0]) == ("GET /items/7 HTTP/1.1", True)


def test_slowloris_begins_requests_and_replaces_what_is_closed() -> None:
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        listener.settimeout(10)
        with Slowloris(listener.getsockname()[1], 3, every_s=0.01) as attack:
            first, _ = listener.accept()
            with first:
                assert first.recv(5) == b"GET /"
                assert first.recv(1) == b"h"
            for _ in range(3):  # the other two and the one instead of the first
                connection = stack.enter_context(listener.accept()[0])
                assert connection.recv(5) == b"GET /"
        assert (attack.opened, attack.closed, attack.standing) == (4, 1, 0)


def test_repeats_end_at_the_deadline_but_not_before_the_least() -> None:
    assert list(contest.repeated(4, math.inf, 2)) == [0, 1, 2, 3]
    assert list(contest.repeated(4, 0.0, 2)) == [0, 1]
    assert list(contest.repeated(1, 0.0, 2)) == [0]


def test_an_unknown_group_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["http", "--only", "hello,nothing"])
    with pytest.raises(SystemExit) as ended:
        http.main()
    assert ended.value.code == 2
    assert re.search(r"not 'nothing'", capsys.readouterr().err)
