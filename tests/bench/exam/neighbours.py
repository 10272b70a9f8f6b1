"""Noise beside a run: processes that burn CPU and are no descendants of the exam, as another program's would not be."""

from __future__ import annotations

import subprocess
import sys
from types import TracebackType
from typing import IO, cast

# It leaves the exam's tree at once and lives until the end of its input, so that nothing stays when the exam dies. On
# each line, a number: the processes it has are ended, by their ids, and so many new ones started; it answers their ids.
# They have its priority and its session: the kernel may share CPUs out by session, and these are to weigh as many.
_PROGRAM = """
import os, signal, sys

if os.fork():
    os._exit(0)
signal.signal(signal.SIGINT, signal.SIG_IGN)
running, boss = [], os.getpid()

def end_all():
    while running:
        os.kill(running[-1], signal.SIGKILL)
        os.waitpid(running.pop(), 0)

def burn():
    while os.getppid() == boss:
        sum(range(100_000))
    os._exit(0)

for line in iter(sys.stdin.readline, ""):
    end_all()
    for _ in range(int(line)):
        pid = os.fork()
        if not pid:
            burn()
        running.append(pid)
    print(*running, flush=True)
end_all()
"""


class Neighbours:
    """A context manager; all processes are gone when it is left."""

    def __enter__(self) -> Neighbours:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._in, self._out = cast("IO[str]", self._process.stdin), cast("IO[str]", self._process.stdout)
        self._process.wait()  # the one that leaves our tree does the work
        return self

    def run(self, count: int) -> list[int]:
        """Has so many processes burning and no others; their ids. Returns when the earlier ones are gone."""
        self._in.write(f"{count}\n")
        self._in.flush()
        return [int(word) for word in self._out.readline().split()]

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._in.close()
        self._out.read()  # ends when it and all it started are gone
        self._out.close()
