"""Baselines on disk: per machine a folder, per baseline a file that keeps the last sessions saved under its name.

    <storage>/<machine>/<name>.json
    {"schema": 1, "name", "machine": {...}, "sessions": [{"saved_at", "commit", "parkbench", "tests": {TEST: {...}}}]}

TEST is the node id of a test, with `#2` and so on for its further sweeps; its value is what `measured.summary` keeps.
A file may be kept in version control, edited by hand, or come from another version: what it lacks is not available, and
only a file that is no JSON object, or of a newer schema, is an error.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import json
import math
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from parkbench._version import __version__
from parkbench.durable import write_atomically
from parkbench.errors import ConfigError, ParkbenchError
from parkbench.plugin import machine, measured
from parkbench.plugin.settings import LATEST

SCHEMA = 1
SESSIONS_KEPT = 20
_FEWEST_FOR_CHANGES = 6


@dataclass(frozen=True)
class Baseline:
    """The sessions of one name that hold a test, oldest first; each the test's `measured.summary`."""

    name: str
    sessions: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Levels:
    """A figure over the sessions of a baseline: those of its present level, and earlier levels."""

    present: Sequence[measured.Values]
    earlier: Sequence[Sequence[measured.Values]]


class Storage:
    """The folder of all baselines. Nothing is made before something is saved."""

    def __init__(self, folder: Path, this_machine: Mapping[str, Any]) -> None:
        self.folder = folder
        self._machine = dict(this_machine)
        self.identity = machine.identity(self._machine)

    def find(self, test: str, name: str) -> Baseline | None:
        """The baseline of that name for this machine, as far as it holds the test; None where it does not.

        `latest`: the one with the newest session that holds the test. Raises ParkbenchError for a file that cannot be
        read.
        """
        place = self.folder / self.identity
        paths = sorted(place.glob("*.json")) if name == LATEST else [place / f"{name}.json"]
        found: list[tuple[str, Baseline]] = []
        for path in paths:
            sessions = [session for session in _sessions(_read(path)) if test in _tests(session)]
            if sessions:
                baseline = Baseline(path.stem, [_tests(session)[test] for session in sessions])
                found.append((str(sessions[-1].get("saved_at") or ""), baseline))
        return max(found, key=lambda pair: pair[0])[1] if found else None

    def elsewhere(self, test: str, name: str) -> str | None:
        """How another machine that has a baseline for this test differs from this one; None where there is none."""
        for path in sorted(self.folder.glob("*/*.json")):
            if path.parent.name == self.identity or name not in (LATEST, path.stem):
                continue
            kept = _read(path)
            if any(test in _tests(session) for session in _sessions(kept)):
                then = kept.get("machine")
                return machine.difference(then if isinstance(then, Mapping) else {}, self._machine) or path.parent.name
        return None

    def save(self, name: str, tests: Mapping[str, Mapping[str, Any]], commit: str | None) -> Path:
        """Add a session to a baseline; of its sessions the last 20 stay. Raises ParkbenchError, ConfigError."""
        path = self.folder / self.identity / f"{name}.json"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with _locked(path.parent):
                kept = _read(path)
                session = {"saved_at": datetime.now(UTC).isoformat(timespec="milliseconds"), "commit": commit,
                           "parkbench": __version__, "tests": dict(tests)}  # fmt: skip
                sessions = [*_sessions(kept), session][-SESSIONS_KEPT:]
                whole = {"schema": SCHEMA, "name": name, "machine": self._machine, "sessions": sessions}
                write_atomically(path, json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
        except OSError as error:
            raise ParkbenchError(f"the baseline {path} cannot be saved: {error.strerror}") from error
        return path


def levels(baseline: Baseline, cell: measured.Cell, figure: str) -> Levels:
    """The figure in a cell, session by session, cut where its level changed; empty where no session has it.

    From 6 sessions on a change of level is looked for, so that a baseline that every session is saved to follows a
    change that was accepted; the sessions before it then tell about the spread only.
    """
    found = [value for kept in baseline.sessions if (value := measured.values(kept, cell, figure)) is not None]
    if len(found) < _FEWEST_FOR_CHANGES:
        return Levels(found, ())
    from parkbench import change_points

    means = [math.fsum(math.log(value) for value in one.repeats) / len(one.repeats) for one in found]
    cuts = [0, *change_points.find(means), len(found)]
    parts = [found[low:high] for low, high in itertools.pairwise(cuts) if high > low]
    return Levels(parts[-1], parts[:-1])


def commit(folder: Path) -> str | None:
    """The commit that is checked out there, short, with `-changed` where files differ from it; None without git."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--abbrev=10", "--exclude=*", "--dirty=-changed"],
            cwd=folder, capture_output=True, text=True, timeout=10, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


def automatic_name(commit: str | None) -> str:
    """The name of a baseline that is saved without one: by the commit, or the day where there is none."""
    return f"commit-{commit}" if commit else f"day-{datetime.now(UTC):%Y-%m-%d}"


def _read(path: Path) -> dict[str, Any]:
    """The object in a file, empty where there is none. Raises ParkbenchError, ConfigError."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ParkbenchError(f"the baseline {path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ParkbenchError(f"the baseline {path} cannot be read: {error}; remove it or save it anew") from error
    if not isinstance(found, dict):
        raise ParkbenchError(f"the baseline {path} cannot be read: it holds no object; remove it or save it anew")
    schema = found.get("schema", SCHEMA)
    if not isinstance(schema, int) or schema > SCHEMA:
        raise ConfigError(
            f"the baseline {path} has schema {schema}; this version of parkbench reads up to {SCHEMA}: update it"
        )
    return found


def _sessions(kept: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found = kept.get("sessions")
    return [session for session in found if isinstance(session, Mapping)] if isinstance(found, list) else []


def _tests(session: Mapping[str, Any]) -> Mapping[str, Any]:
    found = session.get("tests")
    return {k: v for k, v in found.items() if isinstance(v, Mapping)} if isinstance(found, Mapping) else {}


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One writer at a time in a folder. The lock goes with the descriptor, so that none stays behind a crash."""
    with (folder / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
