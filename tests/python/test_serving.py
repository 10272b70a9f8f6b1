"""`parkbench serve` as a program: where it listens, how it ends, what it refuses. With a stand-in core."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from parkbench import child, serving
from parkbench.errors import ConfigError
from parkbench.serving import Listen, Service

FAKE = str(Path(__file__).with_name("fake_core.py"))
PYTHON_SOURCES = str(Path(child.__file__).parents[1])
PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from parkbench import child
child.core_path = lambda: sys.argv[2]
from parkbench.cli import main
main(sys.argv[3:])
"""


@contextmanager
def server(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server and the line it printed."""
    command = [sys.executable, "-c", PROGRAM, PYTHON_SOURCES, FAKE, "serve", *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as popen:
        try:
            assert popen.stderr is not None
            yield popen, popen.stderr.readline()
        finally:
            popen.kill()


def port_of(line: str) -> int:
    found = re.search(r":(\d+)/", line)
    assert found is not None, line
    return int(found[1])


def test_it_says_where_it_listens_and_what_can_be_asked() -> None:
    with server("thread-pool", "noop", "--port", "0") as (_, line):
        port = port_of(line)
        assert line == (
            f"parkbench: thread_pool serves noop at http://127.0.0.1:{port}/ "
            "(/hello, /healthz, /metrics, /dump); Ctrl-C stops it\n"
        )
        socket.create_connection(("127.0.0.1", port)).close()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_in_good_order(number: signal.Signals, code: int) -> None:
    with server("reactive", "sleep", "--sleep-ms", "5") as (popen, _):
        family = psutil.Process(popen.pid).children()
        assert len(family) == 1
        popen.send_signal(number)
        out, err = popen.communicate(timeout=30)
        assert (popen.returncode, out, err) == (code, "", "")
        assert not family[0].is_running()


def test_a_second_ctrl_c_ends_it_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    core = tmp_path / "slow_core.py"
    core.write_text(Path(FAKE).read_text() + "\n\nServer.stop = lambda self: None  # answers for ever\n")
    monkeypatch.setattr(sys.modules[__name__], "FAKE", str(core))
    with server("reactive", "noop") as (popen, _):
        family = psutil.Process(popen.pid).children()
        popen.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            popen.wait(0.5)
        popen.send_signal(signal.SIGINT)
        _, err = popen.communicate(timeout=30)
        assert (popen.returncode, err) == (130, "parkbench: interrupted\n")
        assert not family[0].is_running()


def test_a_killed_server_is_named_and_a_killed_parent_leaves_none() -> None:
    with server("reactive", "noop") as (popen, _):
        psutil.Process(popen.pid).children()[0].kill()
        _, err = popen.communicate(timeout=30)
        assert (popen.returncode, err) == (1, "parkbench: server process killed by SIGKILL\n")
    with server("reactive", "noop") as (popen, _):
        family = psutil.Process(popen.pid).children()
        popen.kill()
        psutil.wait_procs(family, timeout=20)
        assert not family[0].is_running()


def test_a_port_in_use_is_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with server("reactive", "noop", "--port", port) as (popen, line):
            popen.wait(30)
            assert popen.returncode == 2
            assert line.startswith("parkbench: ")
            assert "Address already in use" in line


def test_others_that_can_reach_it_are_warned_of() -> None:
    with server("reactive", "noop", "--host", "0.0.0.0") as (popen, line):  # noqa: S104
        assert line == "parkbench: 0.0.0.0 can be reached from other machines, and nobody is asked who they are\n"
        assert popen.stderr is not None
        assert "http://0.0.0.0:" in popen.stderr.readline()


def test_a_downstream_and_a_gateway_with_one_behind_it() -> None:
    with server("downstream", "--downstream-ms", "20", "--port", "0") as (_, line):
        assert "parkbench: downstream answers after 20 ms at http://127.0.0.1:" in line
    with server("reactive", "gateway", "--downstream", "http") as (popen, line):
        assert "reactive serves gateway" in line
        family = psutil.Process(popen.pid).children()
        assert len(family) == 2
        popen.send_signal(signal.SIGINT)
        popen.wait(30)
        assert popen.returncode == 0
        assert not any(one.is_running() for one in family)


def test_where_it_listens() -> None:
    listen = Listen.checked({"host": "[::1]", "port": "8080", "idle_time": "500ms", "backlog": None})
    assert listen.to_core() == {"host": "::1", "port": 8080, "idle_time_s": 0.5}
    assert listen.url(8080) == "http://[::1]:8080/"
    assert listen.is_local
    assert not Listen.checked({"host": "::"}).is_local
    assert Listen.checked({}).to_core() == {"host": "127.0.0.1", "port": 0}
    with pytest.raises(ConfigError, match="host takes an address"):
        Listen.checked({"host": "example.org"})


def test_a_fault_of_a_server_counts_from_its_start() -> None:
    service = Service.checked("reactive", "gateway", {"faults": "brownout:from=60s,until=70s,delay=1s"})
    assert service.to_core(None)["brownout"] == {"from_s": 60.0, "until_s": 70.0, "delay_ms": 1000.0}
    behind = Service.checked("downstream", None, {"downstream_ms": "20"})
    assert (behind.role, behind.to_core(None)["downstream_ms"]) == ("downstream", 20.0)
    assert behind.to_core(None)["downstream"] == "http"


def test_every_workload_has_a_route() -> None:
    from parkbench.scenario import WORKLOADS

    assert set(serving._ROUTES) == set(WORKLOADS)
