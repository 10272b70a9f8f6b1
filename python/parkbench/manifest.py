"""The manifest of a finished sweep: what its directory holds, and what a file must be to be that very file.

    {"schema": 2, "runs": 12, "files": [{"path": "runs.jsonl", "bytes": 41523, "lines": 12, "sha256": "..."}, ...]}

It is written last and taken away before anything changes. So a directory with a manifest holds a sweep that came to its
end, and one without holds a sweep that is under way or was interrupted.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from parkbench.durable import write_atomically

MANIFEST = "manifest.json"


def write(directory: Path, schema: int, runs: int, files: Iterable[str]) -> None:
    """Writes the manifest over these files, given by their paths within the directory. Raises OSError."""
    found = {"schema": schema, "runs": runs, "files": [_described(directory, name) for name in sorted(files)]}
    write_atomically(directory / MANIFEST, json.dumps(found, indent=2) + "\n")


def remove(directory: Path) -> None:
    """Takes the manifest away: what it said holds no longer. Raises OSError."""
    with contextlib.suppress(FileNotFoundError):
        (directory / MANIFEST).unlink()


def is_there(directory: Path) -> bool:
    """Whether the sweep in this directory came to its end."""
    return (directory / MANIFEST).is_file()


def differences(directory: Path) -> list[str]:
    """What is not as the manifest says, a sentence each; empty where all is, or where there is no manifest."""
    if not is_there(directory):
        return []
    try:
        files: list[dict[str, Any]] = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))["files"]
        return [sentence for file in files if (sentence := _difference(directory, file)) is not None]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return [f"{directory / MANIFEST} cannot be read: {error}"]


def _difference(directory: Path, file: dict[str, Any]) -> str | None:
    path = directory / str(file["path"])
    if not path.is_file():
        return f"{path} is missing: it was there when the sweep ended"
    found = _described(directory, str(file["path"]))
    return None if found["sha256"] == file["sha256"] else f"{path} is not what it was when the sweep ended"


def _described(directory: Path, name: str) -> dict[str, Any]:
    content = (directory / name).read_bytes()
    return {
        "path": name,
        "bytes": len(content),
        "lines": content.count(b"\n"),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
