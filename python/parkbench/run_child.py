"""The program of a run's process: loads the compiled core and nothing else, runs one scenario, reports, ends.

Started as `python -I -S run_child.py CORE` with CORE the path of the compiled module. On standard input: the scenario
as one line of JSON (a pipe, because it holds the DSN), then nothing until "cancel" or the end of the stream, which
means that the parent is gone. On standard output: one line of JSON, `{"report": {...}}` or `{"error": "..."}`. It
imports no package, so that memory, threads and CPU time of the process belong to the run.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # the module typing is not worth its memory here
    from typing import Any

# How long a cancelled run may take to stop before the process ends without a report.
_CANCEL_S = 1.3
_POLL_S = 0.05


def main() -> int:
    """Reads the scenario, makes the run, reports; the exit code is 0 where a report or an error was written."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints must not mix with the report
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to pass on
    _die_with(os.getppid())
    line, rest = _first_line()
    if line is None:
        return 1  # the parent was gone before it said what to run
    try:
        core = _load(sys.argv[1])
        answer = {"report": _run(core, json.loads(line), rest)}
        text = json.dumps(answer, allow_nan=False)
    except Exception as error:  # whatever it is, the parent must get one sentence
        text = json.dumps({"error": " ".join(str(error).split()) or type(error).__name__, "kind": type(error).__name__})
    try:
        answers.write(text + "\n")
        answers.flush()
    except BrokenPipeError:
        return 1
    return 0


def _run(core: Any, scenario: dict[str, Any], asked: bytes) -> Any:
    run = core.Run(scenario)
    give_up = None
    while not run.wait(_POLL_S if give_up is None else min(_POLL_S, max(0.0, give_up - time.monotonic()))):
        if give_up is None and (asked or select.select([0], [], [], 0)[0]):
            run.cancel()
            give_up = time.monotonic() + _CANCEL_S
        elif give_up is not None and time.monotonic() >= give_up:
            os._exit(3)  # it does not stop: the parent marks it, and nothing may stay behind
    return run.report()


def _load(path: str) -> Any:
    import importlib.util  # here, so that -S start-up stays short when the core is missing

    spec = importlib.util.spec_from_file_location("_core", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python module")
    core = importlib.util.module_from_spec(spec)
    sys.modules["_core"] = core
    spec.loader.exec_module(core)
    return core


def _first_line() -> tuple[bytes | None, bytes]:
    """The scenario's line and what came after it; None for the line if the stream ended before."""
    read = b""
    while b"\n" not in read:
        part = os.read(0, 65536)
        if not part:
            return None, b""
        read += part
    line, _, rest = read.partition(b"\n")
    return line, rest


def _die_with(parent: int) -> None:
    """Asks the kernel for SIGKILL when the parent ends: a second line behind the end of standard input."""
    import ctypes

    pr_set_pdeathsig = 1
    ctypes.CDLL(None, use_errno=True).prctl(pr_set_pdeathsig, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)  # it ended before the kernel knew


if __name__ == "__main__":
    # Without clearing up: the kernel does that at once, the end of a model's threads may take as long as a request.
    code = main()
    sys.stderr.flush()
    os._exit(code)
