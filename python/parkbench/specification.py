"""A sweep as it was asked for: every argument checked, nothing started yet."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from parkbench import models, plan, scenario, validate
from parkbench.errors import ConfigError

CONCURRENCY = (10, 50, 200, 400)
REPEATS = 5
MOST_RUNS = 100_000
_SOCKETS = ("unix", "tcp")
NEED_A_DATABASE = ("pricing",)


@dataclass(frozen=True)
class Specification:
    """The arguments of a sweep. `given` holds the options of all models that were given, checked."""

    workload: str
    models: tuple[models.Model, ...]
    concurrency: tuple[int, ...]
    repeats: int
    seed: int
    given: Mapping[str, Any]
    transport: str = scenario.TRANSPORTS[0]

    def cells(self) -> list[plan.Cell]:
        """Every model at every number of users. Raises `ConfigError` if options do not fit together."""
        return plan.cells(self.workload, self.models, self.concurrency, self.given, self.transport)

    @property
    def needs_database(self) -> bool:
        """Whether the workload asks a database."""
        return self.workload in NEED_A_DATABASE

    def recorded(self) -> dict[str, Any]:
        """The specification as `sweep.json` holds it: all that decides which runs there are; no DSN."""
        return {
            "workload": self.workload,
            "models": [
                {"name": model.name, "model": model.kind, "options": plan.recorded_options(model.options)}
                for model in self.models
            ],
            "concurrency": list(self.concurrency),
            "repeats": self.repeats,
            "seed": self.seed,
            "transport": self.transport,
            "given": plan.recorded_options(self.given),
        }


def check(
    workload: Any,
    *,
    model_list: Any = None,
    concurrency: Any = None,
    repeats: Any = None,
    seed: Any = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    options: Mapping[str, Any] | None = None,
    transport: Any = None,
) -> Specification:
    """The arguments as the user gave them, checked; None takes the default. Raises `ConfigError`."""
    name = scenario.check_workload(workload)
    found = models.with_options(models.resolve(model_list), settings or {})
    specification = Specification(
        workload=name,
        models=tuple(found),
        concurrency=tuple(validate.concurrency(CONCURRENCY if concurrency is None else concurrency)),
        repeats=validate.whole("repeats", REPEATS if repeats is None else repeats, low=1, high=1000),
        seed=secrets.randbits(32) if seed is None else validate.whole("seed", seed, low=0, high=2**63 - 1),
        given=scenario.checked(options or {}),
        transport=scenario.check_transport(transport),
    )
    count = len(specification.cells()) * specification.repeats
    if count > MOST_RUNS:
        raise ConfigError(f"the sweep would have {count:,} runs; lower {validate.spell('repeats')} or name fewer users")
    return specification


def check_again(
    before: Specification,
    workload: Any,
    *,
    model_list: Any = None,
    concurrency: Any = None,
    repeats: Any = None,
    seed: Any = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    options: Mapping[str, Any] | None = None,
    transport: Any = None,
) -> Specification:
    """As `check`, but what is None takes the value of an older sweep. Raises `ConfigError`."""
    return check(
        workload,
        model_list=list(before.models) if model_list is None else model_list,
        concurrency=before.concurrency if concurrency is None else concurrency,
        repeats=before.repeats if repeats is None else repeats,
        seed=before.seed if seed is None else seed,
        settings=settings,
        options={**before.given, **(options or {})},
        transport=before.transport if transport is None else transport,
    )


def stored(recorded: Mapping[str, Any]) -> Specification:
    """The specification of an older sweep from its `sweep.json`. Raises `ConfigError` if it does not hold one."""
    try:
        return check(
            recorded["workload"],
            model_list=[
                models.of_kind(model["model"], model["name"], model["options"]) for model in recorded["models"]
            ],
            concurrency=recorded["concurrency"],
            repeats=recorded["repeats"],
            seed=recorded["seed"],
            options=recorded["given"],
            transport=recorded["transport"],
        )
    except (KeyError, TypeError) as error:
        raise ConfigError(f"the stored sweep cannot be gone on with: its sweep.json lacks {error}") from None


def check_same(stored_one: Specification, asked: Specification) -> None:
    """Raises `ConfigError` if a sweep is to go on with other arguments than it began with; names the first."""
    before, now = stored_one.recorded(), asked.recorded()
    before, now = {**before, **before.pop("given")}, {**now, **now.pop("given")}
    for name in sorted({*before, *now}):
        if before.get(name) != now.get(name):
            raise ConfigError(
                f"{validate.spell('resume')}: the sweep there has another {name}; leave {validate.spell(name)} out, "
                f"or begin a new sweep with {validate.spell('out')}"
            )


def check_database(database: Any, socket: Any) -> tuple[str | None, str]:
    """The DSN (None: the embedded server) and the kind of socket of an embedded server. Raises `ConfigError`."""
    from parkbench.database.dsn import check as check_dsn

    if database is not None and not isinstance(database, str):
        raise ConfigError(f"{validate.spell('database')} takes a connection string, not {type(database).__name__}")
    dsn = database or os.environ.get("PARKBENCH_DATABASE") or None
    if dsn is not None:
        check_dsn(dsn)
    return dsn, validate.one_of("database_socket", socket, _SOCKETS)
