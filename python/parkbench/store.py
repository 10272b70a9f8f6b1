"""A sweep on disk: readable after every run, whatever happens next.

    sweep.json          what was asked, on what machine; the schema number
    runs.jsonl          one line per run, appended and synced when the run has ended
    timeline.jsonl      one line per sample; `run` is the line of runs.jsonl, counted from 0
    histograms/N.hlog   the whole histogram of run N, an HdrHistogram log
    manifest.json       the files with their sizes and sums; only where the sweep came to its end

A run counts once its line in runs.jsonl is whole: it is written last. A line cut by a crash is dropped by readers and
cut off before writing goes on. A disk that is full takes nothing of a run, or all of it.
"""

from __future__ import annotations

import errno
import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from parkbench import hdr, intake, manifest, validate, wording
from parkbench.durable import append, cut, line_of, read_lines, read_text, size_of, sync_directory, write_atomically
from parkbench.errors import ConfigError, ParkbenchError
from parkbench.record import IDENTITY, Record

SCHEMA = 2
# 2  histograms as HdrHistogram logs (were histograms/N.json); manifest.json; leg and rate_rps in the timeline
# 1  first

SWEEP, RUNS, TIMELINE, HISTOGRAMS = "sweep.json", "runs.jsonl", "timeline.jsonl", "histograms"
IN_SAMPLES = ("name", "model", "leg", "concurrency", "rate_rps", "repeat")
"""What tells the run in each of its samples, beside the run's number."""
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class RunStore:
    """The runs of a sweep, in memory and, where a directory is given, on disk after each `append`."""

    def __init__(self, directory: Path | None, sweep: Mapping[str, Any]) -> None:
        """Use `create`, `resume` or `read`; this only holds what they found."""
        self.directory = directory
        self.sweep: dict[str, Any] = {key: _plain(value) for key, value in sweep.items() if key != "schema"}
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
            store._write_sweep()
            for name in (RUNS, TIMELINE):
                (path / name).touch()
            sync_directory(path)
        except OSError as error:
            raise ConfigError(f"cannot write to {path}: {error.strerror}") from error
        return store

    @classmethod
    def resume(cls, directory: str | os.PathLike[str]) -> RunStore:
        """Open a sweep to go on with it: what a crash left half written is cut off, an older schema brought up to this.

        Raises as `read` does, and ConfigError where the directory cannot be written.
        """
        store = cls.read(directory)
        path = Path(directory)
        try:
            manifest.remove(path)
            (path / HISTOGRAMS).mkdir(exist_ok=True)
            lines = [line_of(store._line(index, run)) for index, run in enumerate(store.runs)]
            for name, text in ((RUNS, "".join(lines)), (TIMELINE, "".join(line_of(row) for row in store.timeline))):
                if read_text(path / name) != text:
                    write_atomically(path / name, text)
            store._write_sweep()
            _remove_strays(path, len(store.runs))
        except OSError as error:
            raise ConfigError(f"cannot write to {path}: {error.strerror}") from error
        return store

    @classmethod
    def read(cls, directory: str | os.PathLike[str], *, histograms: bool = True) -> RunStore:
        """Read a sweep without changing it, also one of an older schema. Without `histograms` it is quicker.

        Raises ConfigError where there is none or its schema is newer than this program, ParkbenchError where a line
        other than the last is broken, is no run or no sample.
        """
        path = Path(directory)
        store = cls(path, _read_sweep(path))
        for number, run in enumerate(read_lines(path / RUNS), 1):
            if (fault := intake.fault(run)) is not None:
                raise ParkbenchError(f"line {number} of {path / RUNS} is no run: {fault}")
            store.runs.append(_with_histogram(run, path / HISTOGRAMS, number - 1) if histograms else run)
        for number, row in enumerate(read_lines(path / TIMELINE), 1):
            if (fault := intake.sample_fault(row)) is not None:
                raise ParkbenchError(f"line {number} of {path / TIMELINE} is no sample: {fault}")
            if 0 <= row["run"] < len(store.runs):
                store.timeline.append(row)
        return store

    @property
    def is_complete(self) -> bool:
        """Whether the sweep on disk came to its end; False for one that is in memory only."""
        return self.directory is not None and manifest.is_there(self.directory)

    def append(self, run: Mapping[str, Any], timeline: Iterable[Mapping[str, Any]] | None = None) -> int:
        """Keep a run and its samples; when this returns they are on disk. Returns the run's index.

        Without `timeline` the samples are taken from the run's own key of that name, where a run's process leaves
        them; they stand in no line of runs.jsonl. Each sample gets `run` (the index) and what tells the run
        (IN_SAMPLES). Raises ParkbenchError when the disk takes no more: then the runs before are whole, no part of
        this one is left, and where a line has room yet it says that the run is incomplete.
        """
        index = len(self.runs)
        identity = {"run": index, **{key: run.get(key) for key in IN_SAMPLES}}
        kept = _plain(run)
        left = kept.pop("timeline", None) or ()
        rows = left if timeline is None else timeline
        samples: list[dict[str, Any]] = [{**identity, **_plain(row), "run": index} for row in rows]
        if self.directory is not None:
            try:
                self._save(index, kept, samples)
            except OSError as error:
                self._give_up(kept, error)
        self.runs.append(kept)
        self.timeline.extend(samples)
        return index

    def update_sweep(self, changes: Mapping[str, Any]) -> None:
        """Change what sweep.json says; the file is replaced as a whole. Raises ParkbenchError when it cannot be."""
        self.sweep.update(_plain(changes))
        if self.directory is not None:
            try:
                manifest.remove(self.directory)
                self._write_sweep()
            except OSError as error:
                kept = self._kept(error, len(self.runs))
                raise ParkbenchError(f"cannot write {self.directory / SWEEP}: {kept}") from error

    def finish(self, changes: Mapping[str, Any]) -> None:
        """The sweep came to its end: changes sweep.json a last time and writes the manifest. Raises ParkbenchError."""
        self.update_sweep(changes)
        if self.directory is None:
            return
        names = [SWEEP, RUNS, TIMELINE]
        names += [f"{HISTOGRAMS}/{path.name}" for path in (self.directory / HISTOGRAMS).glob("*.hlog")]
        try:
            manifest.write(self.directory, SCHEMA, len(self.runs), names)
        except OSError as error:
            kept = self._kept(error, len(self.runs))
            raise ParkbenchError(f"cannot close the sweep in {self.directory}: {kept}") from error

    def _write_sweep(self) -> None:
        assert self.directory is not None
        text = json.dumps({"schema": SCHEMA, **self.sweep}, indent=2, ensure_ascii=False, allow_nan=False)
        write_atomically(self.directory / SWEEP, text + "\n")

    def _save(self, index: int, run: dict[str, Any], samples: Sequence[Record]) -> None:
        """Writes histogram, samples and line, in this order; what was written is undone when one cannot be."""
        assert self.directory is not None
        timeline = self.directory / TIMELINE
        before = size_of(timeline)
        try:
            manifest.remove(self.directory)
            line = line_of(self._line(index, run))
            append(timeline, "".join(line_of(row) for row in samples))
            append(self.directory / RUNS, line)
        except BaseException:
            cut(timeline, before)
            (self.directory / HISTOGRAMS / f"{index}.hlog").unlink(missing_ok=True)
            raise

    def _line(self, index: int, run: dict[str, Any]) -> dict[str, Any]:
        """The run as its line holds it; its histogram goes to a file of its own, and the line says to which.

        A histogram that no log can hold (of a program that is not ours) stays in the line.
        """
        assert self.directory is not None
        details = run.get("details")
        found = details.get("histogram") if isinstance(details, dict) else None
        if not isinstance(details, dict) or not isinstance(found, dict):
            return run
        try:
            log = hdr.to_log(found, run.get("started_at"), run.get("duration_s"))
            found["counts"] = hdr.aligned(found["counts"])
        except ValueError:
            return run
        name = f"{HISTOGRAMS}/{index}.hlog"
        if read_text(self.directory / name) != log:
            write_atomically(self.directory / name, log)
        said = {**{key: value for key, value in found.items() if key != "counts"}, "file": name}
        return {**run, "details": {**details, "histogram": said}}

    def _give_up(self, run: dict[str, Any], error: OSError) -> NoReturn:
        """Marks the run as incomplete, in a line that is short, and says what is kept and how to go on."""
        assert self.directory is not None
        index = len(self.runs)
        short = {key: run[key] for key in (*IDENTITY, "leg", "rate_rps", "load_share", "workload", "options",
                                           "unequal", "started_at") if key in run}  # fmt: skip
        short["status"] = "incomplete"
        try:
            append(self.directory / RUNS, line_of(short))
        except OSError:
            pass  # without a line the run is as if it had not been made, which comes to the same
        else:
            self.runs.append(short)
        raise ParkbenchError(f"cannot save run {index + 1} in {self.directory}: {self._kept(error, index)}") from error

    def _kept(self, error: OSError, count: int) -> str:
        """The rest of the sentence: the reason, what is there, what to do."""
        kept = f"{wording.plural(count, 'run')} {'is' if count == 1 else 'are'} kept"
        first = "make room" if error.errno in _FULL else "see to it that it can be written"
        how = f"go on with {validate.spell('resume')} {self.directory}"
        return f"{(error.strerror or str(error)).lower()}; {kept}; {first}, then {how}"


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
    """Write a whole sweep into a missing or empty directory, with a manifest if it came to its end.

    Raises ConfigError, ParkbenchError.
    """
    store = RunStore.create(directory, sweep)
    samples: dict[int, list[Record]] = {}
    for row in timeline:
        samples.setdefault(int(row.get("run", -1)), []).append(row)
    for index, run in enumerate(runs):
        store.append(run, samples.get(index, ()))
    if sweep.get("ended_at") is not None:
        store.finish({})


def _read_sweep(path: Path) -> dict[str, Any]:
    """What sweep.json says. Raises ConfigError where there is none or it is of a newer schema, else ParkbenchError."""
    if not (path / SWEEP).is_file():
        raise ConfigError(f"{path} holds no sweep: there is no {SWEEP} in it")
    try:
        sweep = json.loads((path / SWEEP).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ParkbenchError(f"{path / SWEEP} cannot be read: {error}") from error
    schema = sweep.pop("schema", None) if isinstance(sweep, dict) else None
    if isinstance(schema, bool) or not isinstance(schema, int) or schema < 1:
        raise ConfigError(f"{path} holds no sweep of parkbench: its {SWEEP} has no schema number")
    if schema > SCHEMA:
        raise ConfigError(f"{path} has schema {schema}; this version of parkbench reads up to {SCHEMA}: update it")
    for key in ("environment", "options", "design"):
        if not isinstance(sweep.get(key) or {}, dict):
            raise ParkbenchError(f"{path / SWEEP} cannot be read: its {key} is no object")
    return dict(sweep)


def _with_histogram(run: dict[str, Any], folder: Path, index: int) -> dict[str, Any]:
    """The run with its whole histogram: from its log, or from the file that schema 1 wrote.

    Where neither can be read it has none, and still every figure.
    """
    details = run.get("details")
    if not isinstance(details, dict):
        return run
    said = details.get("histogram")
    if isinstance(said, dict) and "counts" in said:
        return run
    histogram: dict[str, Any] | None = None
    try:
        if isinstance(said, dict):
            counts = hdr.from_log(read_text(folder / f"{index}.hlog"))
            histogram = {**{key: value for key, value in said.items() if key != "file"}, "counts": counts}
        elif (text := read_text(folder / f"{index}.json")) and isinstance(old := json.loads(text), dict):
            histogram = {**old, "counts": hdr.aligned(old["counts"])}
    except (ValueError, KeyError, TypeError, RecursionError, ParkbenchError):
        histogram = None
    found = {**details, "histogram": histogram}  # in its old place, so that a copy is the same to the byte
    if histogram is None:
        del found["histogram"]
    return {**run, "details": found}


def _remove_strays(path: Path, runs: int) -> None:
    """Takes away what a crash left (temporary files, histograms of runs without a line) and what schema 1 wrote."""
    kept = {f"{index}.hlog" for index in range(runs)}
    ours = re.compile(r"\d+\.(json|hlog)|\.\d+\.hlog\.\d+")
    strays = [file for file in (path / HISTOGRAMS).iterdir() if ours.fullmatch(file.name) and file.name not in kept]
    strays += [file for name in (SWEEP, RUNS, TIMELINE, manifest.MANIFEST) for file in path.glob(f".{name}.*")]
    for file in strays:
        if file.is_file():
            file.unlink()


def _plain(value: Any) -> Any:
    """The value as JSON knows it: not-a-number and infinity become null, numpy numbers plain ones."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        return _plain(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value
