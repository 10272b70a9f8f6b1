"""The parent's side of a run process: starts it, hands it the scenario by a pipe, waits, stops it, names its end."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from parkbench.errors import ParkbenchError
from parkbench.redact import without_password
from parkbench.signals import StopRequest

_STOP_S = 1.5  # from "cancel" to SIGTERM
_TERM_S = 0.2  # from SIGTERM to SIGKILL
_STDERR_BYTES = 65_536  # of the end of standard error
PADDING = "PARKBENCH_PADDING"
"""The variable that makes the environment of a run's processes longer, by a number of bytes drawn for each run."""
_PROGRAM = Path(__file__).with_name("run_child.py")


@dataclass(frozen=True)
class Outcome:
    """How a run process ended: a report, or the cause why there is none. `cancelled`: it was asked to stop."""

    report: dict[str, Any] | None
    failure: str | None
    cancelled: bool


def core_path() -> str:
    """The file of the compiled module; it is not loaded. Raises `ParkbenchError` if it is not there."""
    spec = importlib.util.find_spec("parkbench._core")
    if spec is None or spec.origin is None:
        raise ParkbenchError("the compiled core (parkbench._core) is missing; install parkbench again: pip install .")
    if not sys.executable:
        raise ParkbenchError("Python does not know its own program; start it by its full path")
    return spec.origin


def run(
    scenario: Mapping[str, Any],
    core: str,
    stop: StopRequest | None = None,
    limit_s: float | None = None,
    env_padding_bytes: int = 0,
) -> Outcome:
    """Runs one scenario in a process of its own and returns how that went; a crash there is a value, no exception.

    `stop` ends the run early: the process has 1.5 s for its report so far, then it is killed. After `limit_s` seconds
    it is taken for hung. The environment of the process, and of servers beside it, is longer by `env_padding_bytes` and
    the name of the variable that holds them. Whatever is raised in here, the process is gone when it leaves.
    """
    try:
        process = _RunProcess(scenario, core, env_padding_bytes)
    except OSError as error:  # no memory, no process left
        return Outcome(None, f"run process could not be started: {error.strerror or error}", False)
    try:
        return process.wait(stop, limit_s)
    finally:
        process.end()


class _RunProcess:
    def __init__(self, scenario: Mapping[str, Any], core: str, env_padding_bytes: int) -> None:
        self._dsn = scenario.get("dsn")
        self._out = bytearray()
        self._err = bytearray()
        self._popen = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_PROGRAM), core],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            # Ctrl-C reaches the parent only. No session of its own: the kernel may share the CPUs out by session, and
            # then the process under test and the database would be weighed as two, see cpp/tools/one_session.cpp.
            process_group=0,
            env=_environment(env_padding_bytes),
        )
        self._in, self._stdout, self._stderr = (
            cast("BinaryIO", pipe) for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr)
        )
        self._say(json.dumps(dict(scenario), allow_nan=False) + "\n")

    def wait(self, stop: StopRequest | None, limit_s: float | None) -> Outcome:
        hung_at = None if limit_s is None else time.monotonic() + limit_s
        give_up_at: float | None = None
        hung = False
        with selectors.DefaultSelector() as selector:
            for stream in (self._stdout, self._stderr):
                os.set_blocking(stream.fileno(), False)
                selector.register(stream, selectors.EVENT_READ)
            if stop is not None:
                selector.register(stop.fd, selectors.EVENT_READ)
            while self._open_streams(selector):
                due = give_up_at if give_up_at is not None else hung_at
                timeout = None if due is None else max(0.0, due - time.monotonic())
                for key, _ in selector.select(timeout):
                    if stop is not None and key.fd == stop.fd:
                        selector.unregister(stop.fd)
                    elif self._read(key.fd):
                        selector.unregister(key.fileobj)
                now = time.monotonic()
                if stop and give_up_at is None:
                    self._say("cancel\n")
                    give_up_at = now + _STOP_S
                elif (give_up_at is not None and now >= give_up_at) or (hung_at is not None and now >= hung_at):
                    hung = give_up_at is None
                    break
        self.end(linger=not hung and (give_up_at is None or time.monotonic() < give_up_at))
        if hung:
            return Outcome(None, f"the run process did not end within {limit_s:.0f} s and was killed", False)
        return self._outcome(cancelled=give_up_at is not None)

    def end(self, linger: bool = False) -> None:
        """Ends the process if it lives: at once by SIGTERM, 0.2 s later by SIGKILL. Closes the pipes."""
        try:
            if linger:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._popen.wait(_STOP_S)
            if self._popen.poll() is None:
                self._kill(signal.SIGTERM)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._popen.wait(_TERM_S)
        finally:
            if self._popen.poll() is None:
                self._kill(signal.SIGKILL)
                self._popen.wait()
            for stream in (self._in, self._stdout, self._stderr):
                with contextlib.suppress(OSError):
                    stream.close()

    def _open_streams(self, selector: selectors.BaseSelector) -> bool:
        return any(key.fileobj in (self._stdout, self._stderr) for key in selector.get_map().values())

    def _say(self, text: str) -> None:
        with contextlib.suppress(OSError):  # it is gone: its exit code tells why
            self._in.write(text.encode())

    def _read(self, fd: int) -> bool:
        """Takes what a stream holds; True at its end."""
        part = os.read(fd, 1 << 20)
        if fd == self._stdout.fileno():
            self._out += part
        else:
            self._err += part
            del self._err[:-_STDERR_BYTES]
        return not part

    def _kill(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._popen.pid, number)

    def _outcome(self, cancelled: bool) -> Outcome:
        code = self._popen.returncode
        answer: Any = None
        with contextlib.suppress(ValueError, UnicodeDecodeError):
            answer = json.loads(self._out.decode())
        if isinstance(answer, dict) and isinstance(answer.get("report"), dict) and code == 0:
            report = answer["report"]
            report["status"] = without_password(str(report.get("status", "ok")), self._dsn)
            return Outcome(report, None, cancelled)
        if isinstance(answer, dict) and "error" in answer:
            cause = str(answer["error"])
            if answer.get("kind") == "HelperError":  # a server beside it; their standard error is one
                cause += self._last_words()
        elif code < 0:
            cause = f"run process killed by {_signal_name(-code)}{self._last_words()}"
        elif code != 0:
            cause = f"run process ended with exit code {code}{self._last_words()}"
        else:
            cause = (
                f"run process gave no report but {_excerpt(self._out.decode('utf-8', 'replace'))}{self._last_words()}"
            )
        return Outcome(None, without_password(cause, self._dsn), cancelled)

    def _last_words(self) -> str:
        """The last lines of standard error, for the sentence that names the cause."""
        lines = [" ".join(line.split()) for line in self._err.decode("utf-8", "replace").splitlines() if line.strip()]
        return ": " + _excerpt(" | ".join(lines[-3:]), 400) if lines else ""


def _environment(padding_bytes: int) -> dict[str, str]:
    """Ours without the DSN, and the padding."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PARKBENCH_DATABASE", PADDING)}
    return {**kept, PADDING: "x" * padding_bytes}


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _excerpt(text: str, length: int = 80) -> str:
    text = " ".join(text.split())
    return (
        text
        if len(text) <= length
        else "..." + text[-length:]
        if length > 100
        else text[:length] + "..."
        if text
        else "nothing"
    )
