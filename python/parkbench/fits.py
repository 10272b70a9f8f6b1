"""The scaling of each name of a sweep: the universal scalability law, where there are loads enough to fit it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parkbench.record import LEGS, Record, arrivals_kind, is_comparable, load_key, names, number

if TYPE_CHECKING:
    from parkbench.scaling import Scaling


class Scalings(dict[str, "Scaling"]):
    """One fit by name. `refused` says of each other name why it has none."""

    def __init__(self, fits: dict[str, Scaling], refused: dict[str, str]) -> None:
        super().__init__(fits)
        self.refused = refused

    def lines(self) -> list[str]:
        """One sentence for each name."""
        return [*(f"{name}: {fit.text}" for name, fit in self.items()),
                *(f"{name}: no scaling fit, {why}" for name, why in self.refused.items())]  # fmt: skip

    def __str__(self) -> str:
        return "\n".join(self.lines())

    __repr__ = __str__


def scalings(runs: Sequence[Record]) -> Scalings:
    """Fit throughput against users of every name, each comparable closed run a point (see `parkbench.scaling.fit`).

    A name with fewer than 6 numbers of users is refused with a sentence: a curve through few points is a guess.
    """
    from parkbench.scaling import fit

    fits, refused = {}, {}
    for name in names(runs):
        points = [
            (int(run["concurrency"]), throughput)
            for run in runs
            if run["name"] == name and load_key(run)[0] == LEGS[0] and arrivals_kind(run) == "closed"
            if is_comparable(run) and (throughput := number(run, "throughput_rps"))
        ]
        try:
            fits[name] = fit(points)
        except ValueError as error:
            refused[name] = str(error)
    return Scalings(fits, refused)
