"""Equal resources: what the models of a sweep were given alike, and what not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from parkbench.record import Record, detail, load_key, loads, names
from parkbench.scenario import OPTIONS

MEASURED = ("cpus",)
"""Details of a run that must be the same for all."""
_OF_THE_RUN = ("workload", "transport")
_NOT_COMPARED = ("seed",)


@dataclass(frozen=True)
class Difference:
    """One resource or limit that the models do not share. `values` by name; `declared`: the user asked for it."""

    field: str
    values: dict[str, Any]
    declared: bool

    @property
    def text(self) -> str:
        """One sentence, to be shown where the figures are."""
        given = ", ".join(f"{name} {'none' if value is None else value}" for name, value in self.values.items())
        return f"unequal {self.field}: {given}" + ("" if self.declared else ", which nobody asked for")


def unequal_resources(runs: Iterable[Record]) -> list[Difference]:
    """What differs between the names of these runs although it need not: CPUs, connections, timeouts, limits, ...

    Runs of the same load are compared. Options that only one model has (workers, carriers, loops, ...) are the models
    themselves and are not compared.
    """
    found: dict[str, Difference] = {}
    every = list(runs)
    for load in loads(every):
        latest = {str(run.get("name")): run for run in every if load_key(run) == load}
        for difference in _of_one_load(latest):
            found.setdefault(difference.field, difference)
    return list(found.values())


def _of_one_load(latest: Mapping[str, Record]) -> Iterator[Difference]:
    shown = names(latest.values())
    fields = dict.fromkeys(key for run in latest.values() for key in run.get("options") or {})
    shared = [key for key in fields if key not in _NOT_COMPARED and not (key in OPTIONS and OPTIONS[key].model)]
    for field in (*_OF_THE_RUN, *shared, *MEASURED):
        compared = [name for name in shown if field not in MEASURED or detail(latest[name], field) is not None]
        values = {name: _value(latest[name], field) for name in compared}
        if any(value != values[compared[0]] for value in values.values()):
            declared = any(field in (run.get("unequal") or ()) for run in latest.values())
            yield Difference(field, values, declared)


def _value(run: Record, field: str) -> Any:
    if field in MEASURED:
        return detail(run, field)
    return run.get(field) if field in _OF_THE_RUN else (run.get("options") or {}).get(field)
