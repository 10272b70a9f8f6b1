"""The bad requests that every server must answer alike: tests/cpp/http/corpus/bad_requests.jsonl.

One JSON object a line:

- `line`: of the table of bad requests (1 to 46); `name`: what is sent.
- `bytes`: text, one character a byte; or a list of such texts and of [text, how often].
- `expect`: the statuses of the answers, in order, of a handler that answers everything with 200. A `c` behind the last
  means that the connection is closed then; `wait` as the last that more is waited for.
- `server`: the same of a server with all its routes, where it differs; `200 or 405` names two.
- `h11`: `agree`, or why that parser judges otherwise.

`python http_corpus.py DIR` writes them as files a fuzzer starts from.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).resolve().parent.parent / "cpp" / "http" / "corpus"


@dataclass(frozen=True)
class Entry:
    """One bad (or just unusual) request."""

    line: int
    name: str
    data: bytes
    expect: list[str]
    server: list[str]
    h11: str

    @property
    def id(self) -> str:
        return f"{self.line}: {self.name}"


def expanded(parts: str | list[Any]) -> bytes:
    """The bytes that a `bytes` of the corpus means."""
    if isinstance(parts, str):
        return parts.encode("latin-1")
    return b"".join(expanded(part) if isinstance(part, str) else expanded(part[0]) * part[1] for part in parts)


def bad_requests() -> list[Entry]:
    entries = []
    for line in (CORPUS / "bad_requests.jsonl").read_text().splitlines():
        entry = json.loads(line)
        server = entry.get("server", entry["expect"])
        entries.append(
            Entry(entry["line"], entry["name"], expanded(entry["bytes"]), entry["expect"], server, entry["h11"])
        )
    return entries


def cut(data: bytes, how: str) -> list[bytes]:
    """The bytes `whole`, in `single` bytes, or cut `at_line_ends`: before and behind each CR and LF."""
    if how == "whole":
        return [data]
    if how == "single":
        return [data[at : at + 1] for at in range(len(data))]
    return [piece for piece in re.split(rb"([\r\n])", data) if piece]


def write_seeds(folder: Path) -> None:
    """Every entry once for each set of limits that tests/fuzz/http_session_fuzz.cpp knows (its first byte says)."""
    for number, entry in enumerate(bad_requests()):
        for choice in (0x30, 0x31, 0x35):
            (folder / f"seed-{number:04}-{choice:02x}").write_bytes(bytes([choice, 7]) + entry.data)


if __name__ == "__main__":
    write_seeds(Path(sys.argv[1]))
