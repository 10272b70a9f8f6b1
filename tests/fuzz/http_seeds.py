"""Turns the corpora into files a fuzzer starts from: http_seeds.py CORPUS_DIR SEED_DIR."""

from __future__ import annotations

import json
import sys
from pathlib import Path


def seeds(corpus: Path) -> list[bytes]:
    """The bytes of every entry, once for each of the fuzzer's limits (its first byte; the second cuts)."""
    entries = [json.loads(line) for file in sorted(corpus.glob("*.jsonl")) for line in file.read_text().splitlines()]
    texts = [entry["bytes"].encode("latin-1") * entry.get("times", 1) for entry in entries if "bytes" in entry]
    return [bytes([choice, 7]) + text for text in texts for choice in (0x30, 0x31, 0x35)]


def main() -> None:
    corpus, out = Path(sys.argv[1]), Path(sys.argv[2])
    for number, seed in enumerate(seeds(corpus)):
        (out / f"seed-{number:04}").write_bytes(seed)


if __name__ == "__main__":
    main()
