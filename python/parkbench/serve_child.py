"""The program of a server's process: loads the compiled core and nothing else, listens, serves until it is told to end.

Started as `python -I -S serve_child.py CORE ROLE CONTROL` with CORE the path of the compiled module, ROLE `server` or
`downstream`, and CONTROL the number of an inherited socket over which the core is told what to do, or `none` for a
server that is run by hand. On standard input: one line of JSON, `{"scenario": {...}, "listen": {...}, "cpus": [...]}`
(a pipe, because it holds the DSN). On standard output: one line of JSON, `{"port": N}` when it listens, or
`{"error": "..."}`. By hand, SIGTERM stops it gracefully.

It ends with its parent: the end of standard input makes the kernel send SIGKILL, whatever the process is doing.
"""

from __future__ import annotations

import json
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # the module typing is not worth its memory here
    from typing import Any

# A signal's handler runs between two waits; ten a second cost nothing that can be measured.
_BY_HAND_S = 0.1
_LONG_S = 3600.0


def sentence(error: BaseException) -> str:
    """What an exception says, in one line; of the core's, whose args are message and cause, the message."""
    said = error.args[0] if type(error).__name__ == "CoreError" and error.args else error
    return " ".join(str(said).split()) or type(error).__name__


def main() -> int:
    """Reads what to serve, listens, says where, and waits for the end; the exit code is 0 where one was asked for."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints must not mix with the answer
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to pass on
    line, _ = first_line()
    if line is None:
        return 1  # the parent was gone before it said what to serve
    _die_at_end_of_input()
    path, role, control = sys.argv[1:4]
    stop: list[int] = []
    if control == "none":
        signal.signal(signal.SIGTERM, lambda number, _: stop.append(number))
    try:
        order = json.loads(line)
        if order.get("cpus"):
            os.sched_setaffinity(0, order["cpus"])
        kind = getattr(load(path), {"server": "Server", "downstream": "Downstream"}[role])
        server = kind(order["scenario"], None if control == "none" else int(control), order.get("listen") or {})
        text = json.dumps({"port": server.port})
    except Exception as error:  # whatever it is, the parent must get one sentence
        server, text = None, json.dumps({"error": sentence(error)})
    try:
        answers.write(text + "\n")
        answers.flush()  # it stays open: its end tells the parent that this process is gone
    except BrokenPipeError:
        return 1
    return 0 if server is None else _serve(server, stop, by_hand=control == "none")


def _serve(server: Any, stop: list[int], *, by_hand: bool) -> int:
    stopping = False
    while not server.wait(_BY_HAND_S if by_hand else _LONG_S):
        if stop and not stopping:
            stopping = True
            server.stop()
    return 0


def load(path: str) -> Any:
    """The compiled core, by its path. Raises ImportError."""
    import importlib.util  # here, so that -S start-up stays short when the core is missing

    spec = importlib.util.spec_from_file_location("_core", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python module")
    core = importlib.util.module_from_spec(spec)
    sys.modules["_core"] = core
    spec.loader.exec_module(core)
    return core


def first_line() -> tuple[bytes | None, bytes]:
    """The first line of standard input and what came after it; None for the line if the stream ended before."""
    read = b""
    while b"\n" not in read:
        part = os.read(0, 65536)
        if not part:
            return None, b""
        read += part
    line, _, rest = read.partition(b"\n")
    return line, rest


def _die_at_end_of_input() -> None:
    """Asks the kernel for SIGKILL when the last writer of standard input is gone, even if no thread ever looks."""
    import fcntl
    import select

    fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(0, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([0], [], [], 0)[0]:
        os._exit(1)  # it ended before the kernel knew


if __name__ == "__main__":
    # Without clearing up: the kernel does that at once, the end of a model's threads may take as long as a request.
    code = main()
    sys.stderr.flush()
    os._exit(code)
