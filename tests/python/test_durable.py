"""Files that are whole or as they were: after a crash, and on a disk that takes no more."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from parkbench import durable
from parkbench.errors import ParkbenchError

SOURCES = str(Path(durable.__file__).parents[1])

# Writes into a file that may not grow beyond 1,000 bytes; prints the error's number.
LIMITED = """
import resource, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from parkbench import durable
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    getattr(durable, sys.argv[2])(Path(sys.argv[3]), "x" * int(sys.argv[4]) + "\\n")
except OSError as error:
    print(error.errno)
"""

APPENDING = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from parkbench import durable
for number in range(10**9):
    durable.append(Path(sys.argv[2]), durable.line_of({"number": number, "text": "y" * 5000}))
    print(number, flush=True)
"""


def limited(function: str, path: Path, size: int) -> str:
    command = [sys.executable, "-c", LIMITED, SOURCES, function, str(path), str(size)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_appended_text_stands_at_the_end(tmp_path: Path) -> None:
    for text in ("one\n", "", "zwei €\n"):
        durable.append(tmp_path / "a", text)
    assert (tmp_path / "a").read_bytes() == b"one\nzwei \xe2\x82\xac\n"


def test_a_full_file_takes_all_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a"
    assert limited("append", path, 900) == ""
    assert limited("append", path, 900) == "27"  # EFBIG; 99 bytes of it fit
    assert path.read_text() == "x" * 900 + "\n"
    assert limited("append", path, 50) == ""


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    durable.write_atomically(path, "old")
    assert limited("write_atomically", path, 2000) == "27"
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["a"]


def test_an_interrupted_append_is_undone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    durable.append(path, "one\n")

    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        durable.append(path, "two\n")
    assert path.read_text() == "one\n"


def test_killed_in_the_middle_of_an_append(tmp_path: Path) -> None:
    path = tmp_path / "a"
    program = subprocess.Popen([sys.executable, "-c", APPENDING, SOURCES, str(path)], stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    told = [int(program.stdout.readline()) for _ in range(20)]
    program.send_signal(signal.SIGKILL)
    program.communicate()
    rows = durable.read_lines(path)
    assert [row["number"] for row in rows[:20]] == told
    assert [row["number"] for row in rows] == list(range(len(rows)))


def test_lines_are_read_up_to_where_a_crash_cut(tmp_path: Path) -> None:
    path = tmp_path / "a"
    assert durable.read_lines(path) == []
    path.write_text('{"a":1}\n{"a":2}\n{"a"')
    assert durable.read_lines(path) == [{"a": 1}, {"a": 2}]
    path.write_text('{"a":1}\n\0\0\0\n')
    assert durable.read_lines(path) == [{"a": 1}]
    path.write_bytes(b'{"a":1}\n\xff\xfe\n{"a":2}\n')
    with pytest.raises(ParkbenchError, match=r"line 2 of .*a cannot be read"):
        durable.read_lines(path)
    path.write_text("[1]\n" + '{"a":2}\n')
    with pytest.raises(ParkbenchError, match="it is no object"):
        durable.read_lines(path)
    path.write_text("[" * 100_000 + "\n" + '{"a":2}\n')
    with pytest.raises(ParkbenchError, match="line 1 of"):
        durable.read_lines(path)


def test_what_is_no_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ParkbenchError, match=r"cannot be read: Is a directory"):
        durable.read_text(tmp_path)


def test_cutting(tmp_path: Path) -> None:
    path = tmp_path / "a"
    durable.cut(path, 5)
    assert durable.size_of(path) == 0
    path.write_text("0123456789")
    durable.cut(path, 20)
    assert durable.size_of(path) == 10
    durable.cut(path, 3)
    assert path.read_text() == "012"


def test_a_line_holds_no_infinity() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        durable.line_of({"a": float("inf")})
