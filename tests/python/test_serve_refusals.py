"""What `parkbench serve` says when it cannot listen: one sentence, exit 2, with the real core."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from parkbench.scenario import MODELS


def refused(*arguments: str, descriptors: int | None = None) -> str:
    """What it says on standard error."""
    command = [sys.executable, "-m", "parkbench", "serve", *arguments]
    if descriptors is not None:
        command = ["sh", "-c", f'ulimit -n {descriptors}; exec "$@"', "sh", *command]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr


@pytest.mark.parametrize("model", MODELS)
def test_a_port_in_use(model: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert refused(model, "sleep", "--port", str(port)) == (
            f"parkbench: cannot listen on 127.0.0.1 port {port}: the port is in use; "
            "stop what uses it, or choose another one (0 picks a free one)\n"
        )


def test_an_address_that_is_not_this_machines() -> None:
    *_, last = refused("reactive", "sleep", "--host", "192.0.2.1").splitlines()
    assert last.startswith("parkbench: cannot listen on 192.0.2.1 port 0: the address does not belong to this machine")


@pytest.mark.parametrize("model", MODELS)
def test_too_few_descriptors(model: str) -> None:
    said = refused(model, "sleep", descriptors=40)
    assert said.startswith("parkbench: ")
    assert said.count("\n") == 1
    assert "ulimit -n" in said
