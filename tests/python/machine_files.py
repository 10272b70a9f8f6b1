"""Files of a made-up machine, below a folder that takes the place of `/`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def lay(root: Path, files: Mapping[str, str]) -> Path:
    """Writes the files, given by their paths below the root."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def stat(pid: int, name: str, parent: int, *, ticks: tuple[int, int, int, int] = (0, 0, 0, 0), started: int = 1) -> str:
    """A line of /proc/PID/stat: `ticks` are its own user and system time and those of its ended children."""
    fields = ["S", parent, *[0] * 9, *ticks, *[0] * 4, started, *[0] * 30]
    return f"{pid} ({name}) {' '.join(map(str, fields))}\n"
