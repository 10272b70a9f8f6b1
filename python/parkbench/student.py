"""Student's t, central and non-central, in plain Python: what every interval, p and power here stands on.

No scipy: each run and each sweep needs these, and scipy is an extra. The tests hold them against scipy.
"""

from __future__ import annotations

import math
from functools import lru_cache

_NORMAL_FROM = 1e5
"""From so many degrees of freedom on a normal approximation is right to ten digits of a probability of 0.01 or more."""
_STEPS = 240
"""Of Simpson's rule over the spread in `power`; 120 already agree with scipy to 1e-8."""


def two_sided(t: float, degrees: float) -> float:
    """P(|T| >= |t|) with so many degrees of freedom (any number above 0), relative error below 1e-9.

    I_x(v/2, 1/2) with x = v / (v + t^2): Abramowitz and Stegun 26.7.1 and 26.5.27. Raises ValueError for degrees <= 0.
    """
    if not degrees > 0:
        raise ValueError(f"degrees of freedom must be above 0, not {degrees}")
    if math.isinf(t):
        return 0.0
    if degrees > _NORMAL_FROM:
        # Abramowitz and Stegun 26.7.8.
        return math.erfc(abs(t) * (1 - 1 / (4 * degrees)) / math.sqrt(1 + t * t / (2 * degrees)) / math.sqrt(2))
    square = t * t
    return _incomplete_beta(degrees / (degrees + square), square / (degrees + square), degrees / 2, 0.5)


def cdf(t: float, degrees: float) -> float:
    """P(T <= t). Raises ValueError for degrees <= 0."""
    tail = two_sided(t, degrees) / 2
    return tail if t < 0 else 1 - tail


@lru_cache(maxsize=4096)
def quantile(probability: float, degrees: float) -> float:
    """The point below which T lies with this probability; relative error below 1e-9.

    Bisection, then Newton from below, where the tail is convex and no step goes too far.
    Raises ValueError unless 0 < probability < 1 and degrees > 0.
    """
    if not 0 < probability < 1:
        raise ValueError(f"a probability lies between 0 and 1, not {probability}")
    if probability < 0.5:
        return -quantile(1 - probability, degrees)
    tail = 2 * (1 - probability)
    low, high = 0.0, 1.0
    while two_sided(high, degrees) > tail:
        low, high = high, high * 2
    while high - low > 0.1 * high and high > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided(middle, degrees) > tail else (low, middle)
    for _ in range(20):
        step = (two_sided(low, degrees) - tail) / (2 * _density(low, degrees))
        low += step
        if abs(step) <= 1e-13 * low:
            break
    return low


def power(shift: float, degrees: float, significance: float = 0.05) -> float:
    """How often a two-sided t test finds, in its direction, an effect of `shift` standard errors: P(T' > t_crit).

    T' is non-central t: the normal distribution over the spread's own distribution, P = E[Phi(shift - t_crit s)] with
    v s^2 chi-squared (Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions" 2, 1995, chapter 31),
    integrated by Simpson's rule to 1e-6. Negative shifts are effects in the other direction.
    Raises ValueError unless 0 < significance < 1 and degrees > 0.
    """
    critical = quantile(1 - significance / 2, degrees)
    half = degrees / 2
    reach = 10 / math.sqrt(2 * degrees)
    low, high = max(0.0, 1 - reach), 1 + reach
    log_scale = math.log(2) + half * math.log(half) - math.lgamma(half)
    width, total = (high - low) / _STEPS, 0.0
    for step in range(_STEPS + 1):
        spread = low + step * width
        if spread <= 0:
            continue  # the density is 0 there above one degree of freedom
        density = math.exp(log_scale + (degrees - 1) * math.log(spread) - half * spread * spread)
        weight = 1 if step in (0, _STEPS) else 4 if step % 2 else 2
        total += weight * density * _normal_cdf(shift - critical * spread)
    return min(1.0, total * width / 3)


@lru_cache(maxsize=1024)
def shift_found(wanted: float, degrees: float, significance: float = 0.05) -> float:
    """The effect, in standard errors, that the test finds with this power: the inverse of `power`, by bisection.

    Raises ValueError unless 0 < wanted < 1.
    """
    if not 0 < wanted < 1:
        raise ValueError(f"a power lies between 0 and 1, not {wanted}")
    low, high = -1.0, 1.0
    while power(low, degrees, significance) > wanted:
        low *= 2
    while power(high, degrees, significance) < wanted:
        high *= 2
    while high - low > 1e-7 * max(1.0, high):
        middle = (low + high) / 2
        low, high = (middle, high) if power(middle, degrees, significance) < wanted else (low, middle)
    return (low + high) / 2


def _density(t: float, degrees: float) -> float:
    log_scale = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - math.log(degrees * math.pi) / 2
    return math.exp(log_scale - (degrees + 1) / 2 * math.log1p(t * t / degrees))


def _normal_cdf(z: float) -> float:
    return math.erfc(-z / math.sqrt(2)) / 2


def _incomplete_beta(x: float, rest: float, a: float, b: float) -> float:
    """The regularised I_x(a, b), `rest` = 1 - x; on the side where the continued fraction converges fast."""
    if x <= 0:
        return 0.0
    if rest <= 0:
        return 1.0
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest)
    if x < (a + 1) / (a + b + 2):
        return math.exp(log_front) * _fraction(x, a, b) / a
    return 1 - math.exp(log_front) * _fraction(rest, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction DLMF 8.17.22, by the modified algorithm of Lentz."""
    tiny = 1e-300
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1), tiny)
    value = d
    for m in range(1, 10_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _away_from_zero(1 + numerator * d, tiny)
            c = _away_from_zero(1 + numerator / c, tiny)
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            return value
    return value


def _away_from_zero(value: float, tiny: float) -> float:
    return tiny if abs(value) < tiny else value
