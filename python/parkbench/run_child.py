"""The program of a run's process: loads the compiled core and nothing else, runs one scenario, reports, ends.

Started as `python -I -S run_child.py CORE` with CORE the path of the compiled module. On standard input: the scenario
as one line of JSON (a pipe, because it holds the DSN), then nothing until "cancel" or the end of the stream, which
means that the parent is gone. On standard output: one line of JSON, `{"report": {...}}` or `{"error": "..."}`. It
imports no package, so that memory, threads and CPU time of the process belong to the run.

On transport `http` it is the generator's process, and starts the server's (and a downstream's) as its own children;
see serve_child.py. It talks to them over sockets that the core alone reads and writes.
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

    from parkbench import helper, serve_child
else:  # neighbours in this folder, which is no place to look for anything else
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120  pathlib is not loaded here
    import helper
    import serve_child

    del sys.path[0]

# How long a cancelled run may take to stop before the process ends without a report.
_CANCEL_S = 1.3
_POLL_S = 0.05
_END_S = 0.5  # a server whose run is over may take so long to end by itself
_kept: list[object] = []  # a run that is given up is not waited for, as its destructor would
_REAP_S = 0.2  # from the end of a server's socket, which the core sees, to its exit code


def main() -> int:
    """Reads the scenario, makes the run, reports; the exit code is 0 where a report or an error was written."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints must not mix with the report
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to pass on
    _die_with(os.getppid())
    line, rest = serve_child.first_line()
    if line is None:
        return 1  # the parent was gone before it said what to run
    helpers: list[helper.Helper] = []
    try:
        scenario = json.loads(line)
        if scenario.get("generator_cpus"):
            os.sched_setaffinity(0, scenario["generator_cpus"])
        _start(scenario, helpers, rest)
        answer = {"report": _run(serve_child.load(sys.argv[1]), scenario, helpers, rest)}
        text = json.dumps(answer, allow_nan=False)
    except Exception as error:  # whatever it is, the parent must get one sentence
        # A server that died is the cause, whatever the core noticed of it.
        patience = 0.0 if isinstance(error, (InterruptedError, helper.HelperError)) else _REAP_S
        died = next((cause for one in helpers if (cause := one.ended(patience))), None)
        error = error if died is None else helper.HelperError(died)
        text = json.dumps({"error": serve_child.sentence(error), "kind": type(error).__name__})
    for one in helpers:
        one.end()
    try:
        answers.write(text + "\n")
        answers.flush()
    except BrokenPipeError:
        return 1
    return 0


def _start(scenario: dict[str, Any], helpers: list[helper.Helper], asked: bytes) -> None:
    """Starts the servers that the scenario needs, the downstream first, and puts into it where they are."""
    roles = ["downstream"] if scenario["workload"] == "gateway" and scenario["downstream"] == "http" else []
    roles += ["server"] if scenario["transport"] == "http" else []
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "serve_child.py")  # noqa: PTH100, PTH118, PTH120
    for role in roles:
        order = {"scenario": scenario, "cpus": scenario["server_cpus" if role == "server" else "generator_cpus"]}
        one = helper.Helper(role, program, sys.argv[1], order, controlled=True)
        helpers.append(one)
        if asked or not one.listens(stop_fd=0):
            raise InterruptedError("stopped before the run began")
        scenario[f"{role}_port"] = one.port
        scenario[f"{role}_fd"] = one.control


def _run(core: Any, scenario: dict[str, Any], helpers: list[helper.Helper], asked: bytes) -> Any:
    run = core.Run(scenario)
    _kept.append(run)
    give_up = None
    while not run.wait(_POLL_S if give_up is None else min(_POLL_S, max(0.0, give_up - time.monotonic()))):
        for one in helpers:
            if cause := one.ended():
                raise helper.HelperError(cause)
        if give_up is None and (asked or select.select([0], [], [], 0)[0]):
            run.cancel()
            give_up = time.monotonic() + _CANCEL_S
        elif give_up is not None and time.monotonic() >= give_up:
            os._exit(3)  # it does not stop: the parent marks it, and nothing may stay behind
    report = run.report()
    if not str(report.get("status")).startswith(("failed", "invalid")):
        _kept.clear()
        del run  # its ends of the control sockets go with it, and that is the servers' sign to end
        for one in helpers:
            one.is_over(_END_S)
        return report
    for one in helpers:  # a server that died is the cause, whatever the run noticed of it
        if cause := one.ended(_REAP_S):
            raise helper.HelperError(cause)
    return report


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
