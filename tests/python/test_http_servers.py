"""The three servers over real sockets: curl and http.client talk to them, bad requests get the same bytes from all."""

from __future__ import annotations

import http.client
import json
import re
import selectors
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from http_corpus import Entry, bad_requests, cut

from parkbench import _core, scenario
from parkbench.database import Database, open_database

MODELS = ("thread_pool", "virtual_threads", "reactive")
PRODUCTS = 200
PATIENCE_S = 60.0
STATUS_LINE = re.compile(rb"HTTP/1\.1 (\d{3}) [A-Za-z][A-Za-z -]*\r\n")
LARGE = 16_384  # from here on bytes go singly at both ends only


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
    with open_database(None, connections=12, products=PRODUCTS) as opened:
        yield opened


@pytest.fixture(scope="module")
def ports(database: Database) -> Iterator[dict[str, int]]:
    """Of each model a server with all routes."""
    with ExitStack() as stack:
        found = {}
        for model in MODELS:
            values = scenario.complete({"products": PRODUCTS, "connections": 3, "workers": 8}, "pricing")
            core = scenario.to_core("pricing", model, 1, values, seed=1, dsn=database.dsn, transport="http")
            server = _core.Server(core, None, {})
            stack.callback(ended, server)
            found[model] = server.port
        yield found


def ended(server: _core.Server) -> None:
    server.stop()
    assert server.wait(PATIENCE_S)


def get(port: int, path: str, method: str = "GET") -> tuple[int, bytes, dict[str, str]]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    try:
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, answer.read(), dict(answer.getheaders())
    finally:
        connection.close()


@pytest.mark.parametrize("model", MODELS)
def test_http_client_keeps_its_connection(ports: dict[str, int], model: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", ports[model], timeout=PATIENCE_S)
    connection.connect()
    before = connection.sock.getsockname()
    for _ in range(3):
        connection.request("GET", "/hello")
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (200, b"Hello, World!")
        assert connection.sock.getsockname() == before
    connection.request("HEAD", "/hello")
    answer = connection.getresponse()
    assert (answer.read(), answer.getheader("Content-Length")) == (b"", "13")
    connection.close()


@pytest.mark.parametrize("model", MODELS)
def test_curl(ports: dict[str, int], model: str) -> None:
    curl = shutil.which("curl")
    assert curl is not None, "curl is missing: apt-get install curl"
    url = f"http://127.0.0.1:{ports[model]}"
    command = [curl, "--silent", "--show-error", "--fail", "--max-time", "60", f"{url}/hello", f"{url}/sleep?ms=1"]
    done = subprocess.run(command, capture_output=True, check=True)
    assert done.stdout.startswith(b"Hello, World!")
    # More than curl sends at once: it asks first, by Expect: 100-continue.
    command = [curl, "--silent", "--max-time", "60", "--data-binary", "@-", "--write-out", "%{http_code}"]
    done = subprocess.run(
        [*command, "--header", "Expect: 100-continue", f"{url}/hello"], input=b"x" * 500_000, capture_output=True,
        check=True,
    )  # fmt: skip
    assert done.stdout.endswith(b"405")


@pytest.mark.parametrize("model", MODELS)
def test_routes(ports: dict[str, int], model: str) -> None:
    port = ports[model]
    status, body, headers = get(port, "/price/7")
    price = json.loads(body)
    assert status == 200
    assert headers["Content-Type"].startswith("application/json")
    assert set(price) >= {"product", "price", "discount", "final_price"}
    assert get(port, "/price/7")[1] == get(ports[MODELS[0]], "/price/7")[1]
    assert get(port, "/cpu?us=100")[0] == 200
    assert get(port, "/healthz")[0] == 200
    metrics = get(port, "/metrics")[1].decode()
    assert "# TYPE" in metrics
    assert json.loads(get(port, "/dump")[1])
    assert get(port, "/nowhere")[0] == 404
    assert get(port, "/price/999999")[0] == 404
    assert get(port, "/price/x")[0] == 400
    status, _, headers = get(port, "/hello", "DELETE")
    assert (status, "GET" in headers["Allow"]) == (405, True)


@pytest.mark.parametrize("model", MODELS)
def test_a_stream_is_what_an_event_source_reads(ports: dict[str, int], model: str) -> None:
    status, body, headers = get(ports[model], "/stream?rows=50")
    assert status == 200
    assert headers["Content-Type"].startswith("text/event-stream")
    assert headers["Transfer-Encoding"] == "chunked"
    events = body.decode().split("\n\n")
    assert events.pop() == ""
    assert len(events) == 50
    assert all(line.startswith(("data:", "id:", "event:")) for event in events for line in event.splitlines())
    assert body == get(ports[MODELS[0]], "/stream?rows=50")[1]


def talk(port: int, pieces: list[bytes], answers: int) -> bytes:
    """Sends the pieces, reads meanwhile; when so many answers have begun, says that no more comes and reads to the end.

    A peer that answers and closes while we still send may reset: what was read before that counts.
    """
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as peer, selectors.DefaultSelector() as wait:
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer.setblocking(False)
        wait.register(peer, selectors.EVENT_READ | selectors.EVENT_WRITE)
        read, at, left, finished = b"", 0, list(pieces[::-1]), False
        while True:
            ready = wait.select(PATIENCE_S)
            assert ready, f"nothing happened; read so far: {read[:300]!r}"
            try:
                if ready[0][1] & selectors.EVENT_READ:
                    part = peer.recv(1 << 20)
                    if not part:
                        return read
                    read += part
                if left and ready[0][1] & selectors.EVENT_WRITE:
                    at += peer.send(left[-1][at:])
                    if at == len(left[-1]):
                        left.pop()
                        at = 0
            except (ConnectionResetError, BrokenPipeError):
                return read
            if not left and not finished and len(STATUS_LINE.findall(read)) >= answers:
                finished = True
                peer.shutdown(socket.SHUT_WR)
            wait.modify(peer, selectors.EVENT_READ | (selectors.EVENT_WRITE if left else 0))


def pieces(data: bytes, how: str) -> list[bytes]:
    if how == "single" and len(data) > LARGE:
        return [*cut(data[:100], how), data[100:-100], *cut(data[-100:], how)]
    return cut(data, how)


def told(entry: Entry, port: int, how: str) -> bytes:
    answers = sum(one != "wait" for one in entry.server)
    return re.sub(rb"Date: [^\r]*", b"Date: MASKED", talk(port, pieces(entry.data, how), answers))


def as_expected(found: list[str], entry: Entry) -> bool:
    expected = [one.removesuffix("c").split(" or ") for one in entry.server if one != "wait"]
    # A request that is not whole when its peer has finished may be told so, or not.
    extra = 1 if entry.server[-1] == "wait" else 0
    return len(expected) <= len(found) <= len(expected) + extra and all(
        status in choices for status, choices in zip(found, expected, strict=False)
    )


@pytest.mark.parametrize("how", ["whole", "at_line_ends", "single"])
def test_bad_requests_get_the_same_bytes_from_all_three(ports: dict[str, int], how: str) -> None:
    entries = bad_requests()
    assert {entry.line for entry in entries} >= set(range(1, 37))
    wrong = []
    for entry in entries:
        answers = {model: told(entry, ports[model], how) for model in MODELS}
        statuses = [status.decode() for status in STATUS_LINE.findall(answers[MODELS[0]])]
        if not as_expected(statuses, entry):
            wrong.append(f"{entry.id}: {statuses} instead of {entry.server}")
        wrong += [
            f"{entry.id}: {model} says {answers[model][:200]!r}, {MODELS[0]} {answers[MODELS[0]][:200]!r}"
            for model in MODELS[1:]
            if answers[model] != answers[MODELS[0]]
        ]
    assert not wrong, "\n".join(wrong)
    assert all(get(port, "/hello")[0] == 200 for port in ports.values())
