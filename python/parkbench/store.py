"""A sweep on disk: readable after every run, whatever happens next.

    sweep.json          what was asked, on what machine; the schema number
    runs.jsonl          one line per run, appended and synced when the run has ended
    timeline.jsonl      one line per sample; `run` is the line of runs.jsonl, counted from 0
    histograms/N.json   the whole histogram of run N

A run counts once its line in runs.jsonl is whole: it is written last. A line cut by a crash is dropped by readers and
cut off before writing goes on.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from parkbench.errors import ConfigError, ParkbenchError
from parkbench.record import Record

SCHEMA = 1
# 1  first

SWEEP, RUNS, TIMELINE, HISTOGRAMS = "sweep.json", "runs.jsonl", "timeline.jsonl", "histograms"


class RunStore:
    """The runs of a sweep, in memory and, where a directory is given, on disk after each `append`."""

    def __init__(self, directory: Path | None, sweep: Mapping[str, Any]) -> None:
        """Use `create`, `resume` or `read`; this only holds what they found."""
        self.directory = directory
        self.sweep: dict[str, Any] = {key: value for key, value in sweep.items() if key != "schema"}
        self.runs: list[dict[str, Any]] = []
        self.timeline: list[dict[str, Any]] = []

    @classmethod
    def create(cls, directory: str | os.PathLike[str] | None, sweep: Mapping[str, Any]) -> RunStore:
        """Begin a sweep. With a directory: makes it and writes sweep.json. Raises ConfigError (see `check_target`)."""
        if directory is None:
            return cls(None, sweep)
        check_target(directory)
        path = Path(directory)
        try:
            (path / HISTOGRAMS).mkdir(parents=True, exist_ok=True)
            store = cls(path, sweep)
            store.update_sweep({})
            for name in (RUNS, TIMELINE):
                (path / name).touch()
            _sync_directory(path)
        except OSError as error:
            raise ConfigError(f"cannot write to {path}: {error.strerror}") from error
        return store

    @classmethod
    def resume(cls, directory: str | os.PathLike[str]) -> RunStore:
        """Open a sweep to go on with it: what a crash left half written is cut off. Raises as `read` does."""
        store = cls.read(directory)
        path = Path(directory)
        try:
            for name, rows in ((RUNS, [_slim(run) for run in store.runs]), (TIMELINE, store.timeline)):
                text = "".join(_line(row) for row in rows)
                if _text(path / name) != text:
                    write_atomically(path / name, text)
            (path / HISTOGRAMS).mkdir(exist_ok=True)
        except OSError as error:
            raise ConfigError(f"cannot write to {path}: {error.strerror}") from error
        return store

    @classmethod
    def read(cls, directory: str | os.PathLike[str]) -> RunStore:
        """Read a sweep without changing it.

        Raises ConfigError where there is none or its schema is newer than this program, ParkbenchError where a line
        other than the last is broken.
        """
        path = Path(directory)
        if not (path / SWEEP).is_file():
            raise ConfigError(f"{path} holds no sweep: there is no {SWEEP} in it")
        try:
            sweep = json.loads((path / SWEEP).read_text(encoding="utf-8"))
        except ValueError as error:
            raise ParkbenchError(f"{path / SWEEP} cannot be read: {error}") from error
        schema = sweep.pop("schema", None)
        if not isinstance(schema, int) or not 1 <= schema <= SCHEMA:
            raise ConfigError(f"{path} has schema {schema}; this version of parkbench reads up to {SCHEMA}: update it")
        store = cls(path, sweep)
        for index, run in enumerate(_read_lines(path / RUNS)):
            store.runs.append(_with_histogram(run, path / HISTOGRAMS / f"{index}.json"))
        store.timeline = [row for row in _read_lines(path / TIMELINE) if row.get("run", -1) < len(store.runs)]
        return store

    def append(self, run: Mapping[str, Any], timeline: Iterable[Mapping[str, Any]] | None = None) -> int:
        """Keep a run and its samples; when this returns they are on disk. Returns the run's index.

        Without `timeline` the samples are taken from the run's own key of that name, where a run's process leaves
        them; they stand in no line of runs.jsonl. Each sample gets `run` (the index) and what tells the run: name,
        model, concurrency, repeat. Raises ParkbenchError when the disk takes no more; the runs before stay readable.
        """
        index = len(self.runs)
        identity = {"run": index, **{key: run.get(key) for key in ("name", "model", "concurrency", "repeat")}}
        kept = _plain(run)
        left = kept.pop("timeline", None) or ()
        rows = left if timeline is None else timeline
        samples: list[dict[str, Any]] = [{**identity, **_plain(row), "run": index} for row in rows]
        if self.directory is not None:
            try:
                histogram = (kept.get("details") or {}).get("histogram")
                if histogram is not None:
                    write_atomically(self.directory / HISTOGRAMS / f"{index}.json", json.dumps(histogram))
                _append(self.directory / TIMELINE, "".join(_line(row) for row in samples))
                _append(self.directory / RUNS, _line(_slim(kept)))
            except OSError as error:
                raise ParkbenchError(f"cannot save run {index} in {self.directory}: {error.strerror}") from error
        self.runs.append(kept)
        self.timeline.extend(samples)
        return index

    def update_sweep(self, changes: Mapping[str, Any]) -> None:
        """Change what sweep.json says (when it ended, say); the file is replaced as a whole."""
        self.sweep.update(changes)
        if self.directory is not None:
            text = json.dumps({"schema": SCHEMA, **_plain(self.sweep)}, indent=2, ensure_ascii=False)
            write_atomically(self.directory / SWEEP, text + "\n")


def check_target(directory: str | os.PathLike[str]) -> None:
    """Refuse a directory that cannot take a new sweep: not empty, no directory, not writable. Changes nothing.

    Raises ConfigError with the remedy.
    """
    path = Path(directory)
    if path.is_dir():
        try:
            empty = next(path.iterdir(), None) is None
        except OSError as error:
            raise ConfigError(f"cannot look into {path}: {error.strerror}") from error
        if not empty:
            hint = f"; to go on with the sweep in it use resume (--resume {path})" if (path / SWEEP).exists() else ""
            raise ConfigError(f"{path} is not empty: give a missing or empty directory{hint}")
    elif path.exists() or path.is_symlink():
        raise ConfigError(f"{path} is not a directory")
    parent = path
    while not parent.exists() and parent != parent.parent:
        parent = parent.parent
    if not parent.is_dir():
        raise ConfigError(f"cannot make {path}: {parent} is not a directory")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise ConfigError(f"cannot write to {parent}: permission denied")


def save(directory: str | os.PathLike[str], sweep: Mapping[str, Any], runs: Sequence[Record],
         timeline: Sequence[Record]) -> None:  # fmt: skip
    """Write a whole sweep into a missing or empty directory. Raises ConfigError, ParkbenchError."""
    store = RunStore.create(directory, sweep)
    samples: dict[int, list[Record]] = {}
    for row in timeline:
        samples.setdefault(int(row.get("run", -1)), []).append(row)
    for index, run in enumerate(runs):
        store.append(run, samples.get(index, ()))


def write_atomically(path: Path, text: str) -> None:
    """Replace a file as a whole: after a crash it holds the old text or the new one, never a part."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    _sync_directory(path.parent)


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _sync_directory(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def _read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of lines; a last line that is cut or broken is dropped."""
    lines = _text(path).split("\n")
    whole, rest = lines[:-1], lines[-1]
    found = []
    for number, line in enumerate(whole):
        try:
            found.append(_object(line))
        except ValueError as error:
            if number == len(whole) - 1 and not rest:
                break
            raise ParkbenchError(f"line {number + 1} of {path} cannot be read: {error}") from error
    return found


def _object(line: str) -> dict[str, Any]:
    found = json.loads(line)
    if not isinstance(found, dict):
        raise ValueError("it is no object")
    return found


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"


def _slim(run: Mapping[str, Any]) -> dict[str, Any]:
    """The run without its histogram, which has a file of its own."""
    details = run.get("details")
    if not isinstance(details, Mapping) or "histogram" not in details:
        return dict(run)
    return {**run, "details": {key: value for key, value in details.items() if key != "histogram"}}


def _with_histogram(run: dict[str, Any], path: Path) -> dict[str, Any]:
    if not path.is_file() or not isinstance(run.get("details"), dict):
        return run
    try:
        histogram = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return run  # a run without its histogram still has every figure
    return {**run, "details": {**run["details"], "histogram": histogram}}


def _plain(value: Any) -> Any:
    """The value as JSON knows it: not-a-number and infinity become null, numpy numbers plain ones."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        return _plain(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value
