"""The fixed words for what holds a run back, and what is said with one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

CAUSES = (
    "few_workers", "few_connections", "held_connections", "slow_query", "slow_downstream", "few_downstream_connections",
    "pinned_carriers", "stalled_loop", "cpu", "generator", "lock", "memory", "noisy_neighbour", "accept_queue",
    "full_queue", "rate_limit", "bulkhead", "admission_limit", "failing_downstream", "own_wait", "none",
)  # fmt: skip


@dataclass(frozen=True)
class Cause:
    """What holds a run back: one of CAUSES, a sentence with the reason, and the figures that decided.

    `certain`: the evidence leaves no other of CAUSES. Otherwise it is the best guess.
    """

    name: str
    certain: bool
    text: str
    evidence: Mapping[str, float] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """As a run's `details.cause` holds it."""
        return {"name": self.name, "certain": self.certain, "text": self.text, "evidence": dict(self.evidence)}
