"""What the benchmarks of a session left behind, gathered from the reports of tests, saved and shown at the end.

Reports carry plain values, so that it makes no difference whether a test ran here or in a worker of pytest-xdist. Only
this side writes files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from parkbench.errors import ParkbenchError
from parkbench.plugin import lines
from parkbench.plugin.settings import Settings

SCHEMA = 1


class Outcomes:
    """The entries of all tests so far, in the order in which the tests ended."""

    def __init__(self, settings: Settings, root: Path) -> None:
        self._settings, self._root = settings, root
        self._entries: list[dict[str, Any]] = []
        self._notices: list[str] = []

    def add(self, entries: list[dict[str, Any]]) -> None:
        """Takes the entries of a test from its report."""
        self._entries += entries

    @property
    def notices(self) -> list[str]:
        """What was saved and what could not be, a sentence each."""
        return self._notices

    def save(self) -> None:
        """Writes baselines and the JSON file, if anything was measured. What cannot be written becomes a notice."""
        if not self._entries:
            return
        try:
            self._save_baselines()
        except ParkbenchError as error:
            self._notices.append(str(error))
        if self._settings.json is not None:
            self._write_json(self._settings.json)

    def rows(self) -> list[dict[str, Any]]:
        """The rows of all comparisons; of a sweep that was compared with nothing, its figure alone."""
        found = []
        for entry in self._entries:
            test = str(entry["test"])
            found += [{"test": test, **row} for row in rows_of(entry, self._settings.figure)]
        return found

    def notes(self) -> list[str]:
        """What one must know of single rows, each with its test."""
        found = [f"{row['test']}, {row['name']}: {note}" for row in self.rows() for note in row.get("notes") or ()]
        found += [f"{entry['test']}: {entry['broken']}" for entry in self._entries if entry["broken"]]
        busy = {entry["workers"] for entry in self._entries if entry["workers"] > 1}
        if busy:
            found.append(
                f"noisy: measured while {max(busy)} workers ran tests (-n), and saved nowhere; run benchmarks alone"
            )
        return list(dict.fromkeys(found))

    @property
    def heading(self) -> str:
        """What stands above the table."""
        figures = list(dict.fromkeys(str(row["figure"]) for row in self.rows()))
        return f"parkbench: {figures[0]}" if len(figures) == 1 else "parkbench"

    def table(self, width: int) -> list[lines.Line]:
        """The table at the end; empty where nothing was measured."""
        return lines.table(self.rows(), width)

    def _save_baselines(self) -> None:
        from parkbench.plugin import baselines, machine

        wanted: dict[str, dict[str, Any]] = {}
        commit = baselines.commit(self._root)
        for entry in self._entries:
            if entry["broken"] or entry["workers"] > 1 or not entry["summary"]["cells"]:
                continue
            names = {self._settings.save} if entry["by_its_figures"] else set()
            if entry["passed"]:
                names |= {entry["record"], baselines.automatic_name(commit) if self._settings.autosave else None}
            for name in names - {None}:
                wanted.setdefault(str(name), {})[entry["test"]] = entry["summary"]
        if not wanted:
            return
        storage = baselines.Storage(self._settings.storage, machine.describe())
        for name, tests in wanted.items():
            path = storage.save(name, tests, commit)
            count = f"{len(tests)} benchmark{'' if len(tests) == 1 else 's'}"
            self._notices.append(f"{count} saved as {name} in {_below(path, self._root)}")

    def _write_json(self, path: Path) -> None:
        from parkbench.durable import write_atomically
        from parkbench.plugin import machine

        whole = {"schema": SCHEMA, "machine": machine.describe(), "tests": self._entries}
        try:
            write_atomically(path, json.dumps(whole, ensure_ascii=False, allow_nan=False) + "\n")
        except OSError as error:
            self._notices.append(f"{path} cannot be written: {error.strerror}")


def rows_of(entry: Mapping[str, Any], figure: str) -> list[dict[str, Any]]:
    """The rows of an entry's comparisons; of a sweep that was compared with nothing, its figure alone."""
    return list(entry["rows"]) or [_plain_row(cell, figure) for cell in entry["summary"]["cells"]]


def _plain_row(cell: Mapping[str, Any], figure: str) -> dict[str, Any]:
    """A figure that was compared with nothing."""
    found = [value for value in cell["figures"].get(figure) or () if value]
    now = sum(found) / len(found) if found else None
    notes = [f"{count} of the runs left out: {why}" for why, count in cell["left_out"].items()]
    return {"name": cell["name"], "load": cell["load"], "figure": figure, "now": now, "verdict": "-", "notes": notes}


def _below(path: Path, root: Path) -> str:
    return str(path.relative_to(root) if path.is_relative_to(root) else path)
