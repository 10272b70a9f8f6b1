"""A sweep as it was asked for: every argument checked, nothing started yet."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parkbench import models, plan, scenario, stopping, validate
from parkbench.errors import ConfigError
from parkbench.legs import CHOICES, SHARES

CONCURRENCY = (10, 50, 200, 400)
MOST_RUNS = 100_000
_SOCKETS = ("unix", "tcp")
NEED_A_DATABASE = ("pricing",)


@dataclass(frozen=True)
class Specification:
    """The arguments of a sweep. `given` holds the options of all models that were given, checked.

    `rule` says how many repeats there are, `legs` whether an open leg follows the closed one.
    """

    workload: str
    models: tuple[models.Model, ...]
    concurrency: tuple[int, ...]
    rule: stopping.Rule
    seed: int
    given: Mapping[str, Any]
    transport: str = scenario.TRANSPORTS[0]
    legs: str = CHOICES[0]

    def cells(self) -> list[plan.Cell]:
        """Every model at every number of users. Raises `ConfigError` if options do not fit together."""
        return plan.cells(self.workload, self.models, self.concurrency, self.given, self.transport)

    @property
    def most_runs(self) -> int:
        """How many runs the sweep has at most."""
        open_cells = len(self.models) * len(SHARES) if self.legs == "both" else 0
        return (len(self.models) * len(self.concurrency) + open_cells) * self.rule.repeats

    @property
    def least_measured_s(self) -> float:
        """For how long the sweep measures at least, all its windows together; 0 where requests are counted instead."""
        options = scenario.complete(self.given, self.workload)
        if options["requests_per_user"] is not None:
            return 0.0
        repeats = self.rule.repeats if self.rule.until is None else stopping.FEWEST
        return self.most_runs // self.rule.repeats * repeats * float(options["duration"])

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
            **self.rule.recorded(),
            "seed": self.seed,
            "transport": self.transport,
            "legs": self.legs,
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
    legs: Any = None,
    until: Any = None,
    max_repeats: Any = None,
) -> Specification:
    """The arguments as the user gave them, checked; None takes the default. Raises `ConfigError`."""
    name = scenario.check_workload(workload)
    found = models.with_options(models.resolve(model_list), settings or {})
    specification = Specification(
        workload=name,
        models=tuple(found),
        concurrency=tuple(validate.concurrency(CONCURRENCY if concurrency is None else concurrency)),
        rule=stopping.check(repeats, until, max_repeats),
        seed=secrets.randbits(32) if seed is None else validate.whole("seed", seed, low=0, high=2**63 - 1),
        given=scenario.checked(options or {}),
        transport=scenario.check_transport(transport),
        legs=CHOICES[0] if legs is None else validate.one_of("legs", legs, CHOICES),
    )
    cells = specification.cells()
    if specification.legs == "both":
        _check_closed(cells)
    if specification.most_runs > MOST_RUNS:
        lower = "repeats" if specification.rule.until is None else "max_repeats"
        raise ConfigError(
            f"the sweep would have {specification.most_runs:,} runs; lower {validate.spell(lower)} or name fewer users"
        )
    return specification


def _check_closed(cells: Sequence[plan.Cell]) -> None:
    """Raises `ConfigError` where the first leg would not be closed: it is where capacities are found."""
    for cell in cells:
        kind = cell.options["arrivals"]["kind"]
        if kind != "closed":
            raise ConfigError(
                f"{validate.spell('legs')} both finds capacities with closed users and then offers rates itself; "
                f"leave {validate.spell('arrivals')} {kind} out ({cell.name} has it) or {validate.spell('legs')} both"
            )


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
    legs: Any = None,
    until: Any = None,
    max_repeats: Any = None,
) -> Specification:
    """As `check`, but what is None takes the value of an older sweep. Raises `ConfigError`."""
    rule = {"repeats": repeats, "until": until, "max_repeats": max_repeats}
    if repeats is None and until is None:
        asked = {} if max_repeats is None else {"max_repeats": max_repeats}
        rule = {**before.rule.recorded(), **asked}
    return check(
        workload,
        model_list=list(before.models) if model_list is None else model_list,
        concurrency=before.concurrency if concurrency is None else concurrency,
        **rule,
        seed=before.seed if seed is None else seed,
        settings=settings,
        options={**before.given, **(options or {})},
        transport=before.transport if transport is None else transport,
        legs=before.legs if legs is None else legs,
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
            until=recorded.get("until"),
            max_repeats=recorded.get("max_repeats"),
            legs=recorded.get("legs"),
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
