"""How throughput grows with load: the universal scalability law, with intervals, and never far beyond the data.

X(n) = lambda n / (1 + sigma (n - 1) + kappa n (n - 1)): Gunther, "Guerrilla Capacity Planning", 2007; lambda is the
throughput of one user, sigma the share of the work that excludes others (contention), kappa what keeping each other up
to date costs per pair (coherency), without which there is no peak.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from parkbench import student
from parkbench.errors import ParkbenchError

LOADS_NEEDED = 6
REACH = 1.5
"""No curve beyond so many times the highest load: the law is a description, and a guess where nothing was measured."""
CONFIDENCE = 0.95
_NOTHING = 1e-6


@dataclass(frozen=True)
class Coefficient:
    """An estimate with its 95 % interval; both stay at or above 0, where the law has its meaning."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Scaling:
    """The law fitted to measured throughputs. `r2`: the share of the throughputs' variance that it explains."""

    lambda_: Coefficient
    sigma: Coefficient
    kappa: Coefficient
    r2: float
    loads: tuple[int, ...]

    @property
    def highest(self) -> float:
        """The load up to which the curve may be asked for."""
        return REACH * self.loads[-1]

    @property
    def peak_load(self) -> float | None:
        """The load with the highest throughput, sqrt((1 - sigma) / kappa); None where there is none up to `highest`."""
        sigma, kappa = self.sigma.value, self.kappa.value
        if kappa <= 0 or sigma >= 1:
            return None
        peak = math.sqrt((1 - sigma) / kappa)
        return peak if peak <= self.highest else None

    def curve(self, n: float) -> float:
        """The law's throughput at load n, in the unit of the data. Raises ValueError below 1 and beyond `highest`."""
        if not 1 <= n <= self.highest:
            raise ValueError(
                f"the curve goes from 1 to {self.highest:,.6g}, {REACH} times the highest load measured, "
                f"not to {n:,.6g}; measure there to know"
            )
        return _law(n, self.lambda_.value, self.sigma.value, self.kappa.value)

    @property
    def text(self) -> str:
        """The fit in one sentence."""
        peak = self.peak_load
        if peak is None:
            end = f"no peak up to {self.highest:,.0f}"
        else:
            end = f"peak at {peak:,.0f}" + (" (beyond what was measured)" if peak > self.loads[-1] else "")
        return (
            f"One user {_told(self.lambda_)}/s, contention {_told(self.sigma)}, coherency {_told(self.kappa)}, {end}; "
            f"the law explains {100 * self.r2:.1f} % of {len(self.loads)} loads."
        )


def fit(points: Sequence[tuple[int, float]]) -> Scaling:
    """Fits the law to (load, throughput) pairs, one per run: repeats of a load are given as they are.

    Least squares of the logarithms, because noise grows with the throughput; first without bounds, whose covariance
    s^2 (J'J)^-1 gives the intervals by Student's t (Seber and Wild, "Nonlinear Regression", 1989, 5.1), then, where
    sigma or kappa came out below 0, with them at 0. Raises ValueError for fewer than 6 different loads, a load below 1
    or a throughput that is not above 0, and ParkbenchError where scipy is not installed.
    """
    loads = sorted({int(load) for load, _ in points})
    if len(loads) < LOADS_NEEDED:
        raise ValueError(
            f"a scaling fit needs at least {LOADS_NEEDED} different loads, these are {len(loads)}; measure more of them"
        )
    if loads[0] < 1 or any(not (math.isfinite(value) and value > 0) for _, value in points):
        raise ValueError("a scaling fit takes loads from 1 on and throughputs above 0")
    optimize = _scipy_optimize()
    import numpy as np

    at = np.array([load for load, _ in points], dtype=float)
    logs = np.log([value for _, value in points])
    start = [float(max(logs - np.log(at))), 0.1, 1e-3 / loads[-1]]

    def rests(parameters: Any) -> Any:
        log_lambda, sigma, kappa = parameters
        below = 1 + sigma * (at - 1) + kappa * at * (at - 1)
        # Where the law has no value the rest is large and still slopes the right way.
        return log_lambda + np.log(at) - np.log(np.maximum(below, 1e-9)) - logs

    scale = [1.0, 1 / loads[-1], 1 / loads[-1] ** 2]
    free = optimize.least_squares(rests, start, x_scale=scale, xtol=1e-12, ftol=1e-12, gtol=1e-12, max_nfev=2000)
    # In units of `scale` the matrix is well conditioned; pinv leaves a direction that the data do not fix wide open.
    jacobian = free.jac * scale
    degrees = len(points) - 3
    covariance = np.linalg.pinv(jacobian.T @ jacobian) * (2 * free.cost / degrees)
    half = student.quantile(0.5 + CONFIDENCE / 2, degrees) * np.sqrt(np.diag(covariance)) * scale
    best = free.x
    if best[1] < 0 or best[2] < 0:
        inside = [start[0], max(best[1], 1e-6), max(best[2], 1e-12)]
        bounds = ([-np.inf, 0, 0], np.inf)
        best = optimize.least_squares(rests, inside, bounds=bounds, x_scale=scale, xtol=1e-12, max_nfev=2000).x
    # What changes no throughput by a millionth is 0: it would otherwise put a peak where the curve is flat.
    value = [math.exp(best[0])] + [float(best[i]) if best[i] > _NOTHING * scale[i] else 0.0 for i in (1, 2)]
    lambda_ = _around(value[0], math.exp(free.x[0] - half[0]), math.exp(free.x[0] + half[0]))
    sigma, kappa = (_around(value[i], float(free.x[i] - half[i]), float(free.x[i] + half[i])) for i in (1, 2))
    throughputs = np.exp(logs)
    missed = float(((throughputs - np.array([_law(n, *value) for n in at])) ** 2).sum())
    spread = float(((throughputs - throughputs.mean()) ** 2).sum())
    if spread <= _NOTHING**2 * float((throughputs**2).sum()):
        return Scaling(lambda_, sigma, kappa, float(missed <= spread), tuple(loads))
    return Scaling(lambda_, sigma, kappa, 1 - missed / spread, tuple(loads))


def _around(value: float, low: float, high: float) -> Coefficient:
    """The interval of the unbounded estimate, cut off at 0 and made to hold the value."""
    return Coefficient(value, min(value, max(0.0, low)), max(value, high))


def _law(n: float, lambda_: float, sigma: float, kappa: float) -> float:
    return lambda_ * n / (1 + sigma * (n - 1) + kappa * n * (n - 1))


def _told(coefficient: Coefficient) -> str:
    return f"{coefficient.value:.3g} ({coefficient.low:.3g} to {coefficient.high:.3g})"


def _scipy_optimize() -> Any:
    try:
        from scipy import optimize
    except ImportError as error:
        raise ParkbenchError(
            "a scaling fit needs scipy, which is not installed; run `pip install 'parkbench[stats]'`"
        ) from error
    return optimize
