"""The bad requests against the server's session and against h11, which must judge alike but where a reason says why."""

from __future__ import annotations

import re

import h11
import pytest
from http_corpus import Entry, bad_requests, cut

from parkbench import _core

ENTRIES = bad_requests()


def statuses(written: bytes) -> list[int]:
    """The statuses of all answers in `written`, which hold no status line in their bodies."""
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", written)]


def ours(data: bytes, how: str = "whole") -> tuple[int, bool]:
    """How many requests were taken, and whether something was refused then."""
    written, _closes = _core.http_answers(cut(data, how))
    found = [status for status in statuses(written) if status != 100]
    return found.count(200), any(status != 200 for status in found)


def of_h11(data: bytes) -> tuple[int, bool]:
    """The same of h11, as a server that answers at once."""
    connection = h11.Connection(h11.SERVER)
    taken = 0
    try:
        connection.receive_data(data)
        while True:
            event = connection.next_event()
            if event in (h11.NEED_DATA, h11.PAUSED) or isinstance(event, h11.ConnectionClosed):
                return taken, False
            if isinstance(event, h11.EndOfMessage):
                taken += 1
                connection.send(h11.Response(status_code=200, headers=[("Content-Length", "0")]))
                if connection.our_state is h11.SWITCHED_PROTOCOL:  # CONNECT
                    return taken, False
                connection.send(h11.EndOfMessage())
                if connection.our_state is not h11.DONE:
                    return taken, False
                connection.start_next_cycle()
    except h11.RemoteProtocolError:
        return taken, True


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_h11_judges_alike_or_a_reason_says_why_not(entry: Entry) -> None:
    alike = ours(entry.data) == of_h11(entry.data)
    assert alike == (entry.h11 == "agree"), (entry.h11, ours(entry.data), of_h11(entry.data))


@pytest.mark.parametrize("how", ["whole", "single", "at_line_ends"])
def test_the_answers_are_those_of_the_corpus_however_the_bytes_are_cut(how: str) -> None:
    for entry in ENTRIES:
        written, closes = _core.http_answers(cut(entry.data, how))
        found = [str(status) for status in statuses(written)]
        expected = [status.rstrip("c") for status in entry.expect if status != "wait"]
        assert (found, closes) == (expected, entry.expect[-1].endswith("c")), entry.id


def test_an_answer_closes_or_says_how_long_it_is() -> None:
    written, closes = _core.http_answers([b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"])
    head, _, body = written.partition(b"\r\n\r\n")
    assert body == b"Hello, World!" and b"Content-Length: 13" in head and not closes
    assert re.search(rb"\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", head)
    assert b"Server:" not in head
