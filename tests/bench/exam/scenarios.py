"""What the exam plants: twenty causes, each the one hidden cause of its runs, at three strengths; and healthy runs.

Written from the meaning of each cause alone, without a look at how the diagnosis tells them apart. Sizes are chosen so
that a run carries its figures within about a second (1,000 answers, 10 mean response times), and so that the machine's
CPUs are not used up by anything but the planted cause.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from parkbench.scenario import MODELS

STRENGTHS = ("weak", "medium", "strong")
POOL, VIRTUAL, REACTIVE = MODELS
SPREAD = 0.1
"""A planted amount is drawn from this share around what stands here, so that no figure can be learnt by heart."""

Three = tuple[Any, Any, Any]
"""A value for each strength."""


@dataclass(frozen=True)
class Scenario:
    """One way to plant one cause.

    `planted`: the options that plant it, a value for each strength; blanked before the diagnosis is asked. `plant`:
    what the core plants, likewise; no option of a user. `neighbours`: processes beside the run that burn CPU. `base`:
    what every strength has, `varied` what differs by strength without being the cause; neither is blanked.
    """

    name: str
    cause: str
    workload: str
    users: int | Three
    models: tuple[str, ...] = MODELS
    transport: str = "direct"
    planted: Mapping[str, Three] = field(default_factory=dict)
    plant: Mapping[str, Three] = field(default_factory=dict)
    neighbours: Three = (0, 0, 0)
    base: Mapping[str, Any] = field(default_factory=dict)
    varied: Mapping[str, Three] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One run of the exam, with every amount drawn."""

    scenario: Scenario
    strength: str
    model: str
    users: int
    options: Mapping[str, Any]
    plant: Mapping[str, Any]
    neighbours: int
    seed: int

    @property
    def planted(self) -> frozenset[str]:
        """The options to blank."""
        return frozenset(self.scenario.planted)


LENGTH = {"duration": 0.6, "max_duration": 2.5, "warmup": 0.2, "timeout": 5.0}
"""Of every run, in seconds; a scenario's own options come on top."""
_STEADY = "poisson:rate=2000"

SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        "few_workers", "few_workers", "gateway", 100, (POOL,),
        planted={"workers": (60, 30, 16)}, base={"downstream_ms": 20},
    ),
    Scenario(
        "few_connections", "few_connections", "pricing", 100,
        planted={"connections": (30, 15, 7)}, base={"query_delay_ms": 3},
    ),
    Scenario(
        "held_connections", "held_connections", "pricing", (60, 60, 90),
        planted={"connection_hold": ("request", "transaction", "request"), "app_wait_ms": (6.0, 12.0, 20.0)},
        base={"connections": 20},
    ),
    Scenario(
        "slow_query", "slow_query", "pricing", (20, 40, 80),
        planted={"query_delay_ms": (4.0, 14.0, 36.0)}, varied={"connections": (20, 40, 80)},
    ),
    Scenario(
        "slow_downstream", "slow_downstream", "gateway", (20, 60, 90), planted={"downstream_ms": (10.0, 35.0, 80.0)},
    ),
    Scenario(
        "few_downstream_connections", "few_downstream_connections", "gateway", 60,
        planted={"downstream_connections": (30, 16, 10)}, base={"downstream": "http", "downstream_ms": 10},
    ),
    Scenario(
        "pinned_carriers", "pinned_carriers", "gateway", 40, (VIRTUAL,),
        plant={"pin_ms": (1.0, 2.0, 3.5)}, base={"carriers": 4, "downstream_ms": 5},
    ),
    Scenario(
        "stalled_loop", "stalled_loop", "gateway", 40, (REACTIVE,),
        plant={"loop_stall_ms": (8.0, 12.0, 20.0), "loop_stall_every": (20, 14, 10)}, base={"downstream_ms": 5},
    ),
    Scenario("cpu", "cpu", "cpu", (8, 30, 60), planted={"cpu_us": (300.0, 900.0, 1600.0)}),
    Scenario(
        "generator", "generator", "sleep", (40, 40, 50), transport="http",
        plant={"generator_us": (300.0, 500.0, 900.0)}, base={"sleep_ms": 5},
    ),
    Scenario(
        "lock", "lock", "gateway", (10, 30, 60),
        planted={"filter_lock": ("parking",) * 3, "downstream_ms": (0.4, 0.6, 0.9)},
    ),
    Scenario(  # on the others a lock of the kernel also pins the carrier or stalls the loop: two right answers
        "kernel_lock", "lock", "gateway", (20, 40, 60), (POOL,),
        plant={"lock_us": (300.0, 600.0, 900.0)}, base={"downstream_ms": 2},
    ),
    Scenario(
        "memory", "memory", "pricing", 200,
        planted={"alloc_kib": (256, 256, 256)}, plant={"memory_mib": (3.5, 2.0, 0.75)},
        base={"query_delay_ms": 3, "connections": 60, "arrivals": _STEADY},
    ),
    Scenario(
        "noisy_neighbour", "noisy_neighbour", "cpu", 20,
        neighbours=(2, 4, 8), base={"cpu_us": 200, "arrivals": "closed:think=10ms"},
    ),
    Scenario(
        "accept_queue", "accept_queue", "noop", 64, transport="http",
        plant={"accept_delay_ms": (0.5, 0.8, 1.2), "backlog": (200, 200, 200)},
    ),
    Scenario(
        "full_queue", "full_queue", "sleep", 100, (POOL,),
        planted={"queue": (45, 25, 6)}, base={"sleep_ms": 5, "workers": 40, "arrivals": "rounds:every=50ms"},
    ),
    Scenario(
        "rate_limit", "rate_limit", "gateway", 200,
        planted={"rate_limit": (1600.0, 1000.0, 300.0)}, base={"downstream_ms": 5, "arrivals": _STEADY},
    ),
    Scenario(
        "bulkhead", "bulkhead", "gateway", 200,
        planted={"bulkhead": (34, 20, 6)}, base={"downstream_ms": 20, "arrivals": _STEADY},
    ),
    Scenario(
        "admission_limit", "admission_limit", "sleep", 200,
        planted={"limit": (34, 20, 6)}, base={"sleep_ms": 20, "arrivals": _STEADY},
    ),
    Scenario(
        "failing_downstream", "failing_downstream", "gateway", 200,
        planted={"downstream_jitter_ms": (19.0, 30.0, 100.0), "downstream_timeout": (0.02, 0.02, 0.02)},
        base={"downstream_ms": 5, "arrivals": _STEADY},
    ),
    Scenario(
        "own_wait", "own_wait", "pricing", (20, 40, 80),
        planted={"app_wait_ms": (6.0, 20.0, 60.0)}, base={"connections": 50},
    ),
    Scenario(
        "healthy", "none", "pricing", (20, 40, 80), base={"connections": 50, "arrivals": "closed:think=20ms"},
    ),
    Scenario(
        "healthy_http", "none", "noop", 64, transport="http",
        varied={"arrivals": ("constant:rate=1000", "poisson:rate=2000", "poisson:rate=4000")},
    ),
)  # fmt: skip


def case(scenario: Scenario, strength: str, model: str, seed: int) -> Case:
    """The run of a scenario: the same arguments draw the same amounts. Raises ValueError for no such strength."""
    at = STRENGTHS.index(strength)
    draw = random.Random(f"{seed} {scenario.name} {strength} {model}")
    planted = {name: _drawn(values[at], draw) for name, values in scenario.planted.items()}
    plant = {name: _drawn(values[at], draw) for name, values in scenario.plant.items()}
    varied = {name: values[at] for name, values in scenario.varied.items()}
    users = scenario.users if isinstance(scenario.users, int) else int(scenario.users[at])
    options = {**LENGTH, **scenario.base, **varied, **planted}
    return Case(
        scenario, strength, model, users, options, plant, int(scenario.neighbours[at]), draw.getrandbits(31)
    )  # fmt: skip


def cases(scenarios: tuple[Scenario, ...], seed: int, *, quick: bool = False) -> list[Case]:
    """The runs in a random order of the seed: all strengths and models; `quick`: each scenario once, at medium."""
    found = [
        case(scenario, strength, model, seed)
        for number, scenario in enumerate(scenarios)
        for strength in (STRENGTHS[1:2] if quick else STRENGTHS)
        for model in ([scenario.models[number % len(scenario.models)]] if quick else scenario.models)
    ]
    random.Random(f"{seed} order").shuffle(found)
    return found


def _drawn(value: Any, draw: random.Random) -> Any:
    """An amount within SPREAD of the value, of its type; words and truths stay as they are."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    amount = value * draw.uniform(1 - SPREAD, 1 + SPREAD)
    return max(1, round(amount)) if isinstance(value, int) else amount
