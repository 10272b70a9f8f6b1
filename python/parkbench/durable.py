"""Files that survive a crash and a full disk: replaced as a whole, or longer by whole lines, or as they were before."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from parkbench.errors import ParkbenchError


def write_atomically(path: Path, text: str) -> None:
    """Replace a file as a whole: after a crash it holds the old text or the new one, never a part. Raises OSError."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    sync_directory(path.parent)


def append(path: Path, text: str) -> None:
    """Add text at the end; when this returns it is on disk. Raises OSError, and then the file is as it was before.

    Only a process that is killed in here leaves a part of the text, which `read_lines` drops.
    """
    with path.open("ab", buffering=0) as file:
        before = file.seek(0, os.SEEK_END)
        try:
            left = memoryview(text.encode("utf-8"))
            while left:
                left = left[file.write(left) or 0 :]
            os.fsync(file.fileno())
        except BaseException:
            cut(path, before)
            raise


def cut(path: Path, size: int) -> None:
    """Shorten a file to `size` bytes, where it is there and longer. Raises nothing where the disk refuses even that."""
    with contextlib.suppress(OSError):
        if path.stat().st_size > size:
            os.truncate(path, size)


def size_of(path: Path) -> int:
    """The bytes of a file; 0 where there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def sync_directory(path: Path) -> None:
    """Put the names in a directory on disk. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_text(path: Path) -> str:
    """The text of a file, empty where there is none; bytes that are no UTF-8 become U+FFFD.

    Raises ParkbenchError where there is something that cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise ParkbenchError(f"{path} cannot be read: {error.strerror}") from error


def line_of(row: Mapping[str, Any]) -> str:
    """An object as one line of JSON with its line feed. Raises ValueError for not-a-number and infinity."""
    return json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of lines; a last line that is cut or broken is dropped.

    Raises ParkbenchError where another line is broken, with its number.
    """
    lines = read_text(path).split("\n")
    whole, rest = lines[:-1], lines[-1]
    found = []
    for number, line in enumerate(whole):
        try:
            found.append(_object(line))
        except (ValueError, RecursionError) as error:
            if number == len(whole) - 1 and not rest:
                break
            raise ParkbenchError(f"line {number + 1} of {path} cannot be read: {error}") from error
    return found


def _object(line: str) -> dict[str, Any]:
    found = json.loads(line)
    if not isinstance(found, dict):
        raise ValueError("it is no object")
    return found
