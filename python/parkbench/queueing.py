"""What a closed system of queues does under so many users: the model behind "if that resource were doubled".

N users go round: they think, then visit stations (workers, connections, CPUs, a downstream), each with a number of
servers and one queue. The solution is exact for product-form networks (Baskett, Chandy, Muntz and Palacios, 1975). It
is computed by convolution (Buzen, "Computational algorithms for closed queueing networks with exponential servers",
1973; with many servers: Bruell and Balbo, 1980), which gives what the exact mean value analysis of Reiser and Lavenberg
(1980) gives, and does not lose its digits where a station with many servers is saturated, as that one does.

First come first served is product form only with exponential service times; where service hardly varies (a timer, a
fixed query), real queues are shorter near the knee. Far from the knee, and in which station binds, there is no
difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MOST_EXACT = 20_000
"""Up to so many users the solution is exact; above, the open network whose queues hold N users on average is taken."""
_NEGLIGIBLE = 1e-60


@dataclass(frozen=True)
class Station:
    """A resource. `demand_s`: how long a request holds one server, all visits together. `servers` None: no queue."""

    name: str
    demand_s: float
    servers: int | None = 1


@dataclass(frozen=True)
class Prediction:
    """The steady state. `response_s` is without thinking; `waiting_s` per station without being served.

    `utilisation`: busy servers as a share, per station with a queue. `exact`: False above 20,000 users.
    """

    throughput_rps: float
    response_s: float
    waiting_s: dict[str, float]
    utilisation: dict[str, float]
    exact: bool


def predict(stations: Sequence[Station], users: int, think_s: float = 0.0) -> Prediction:
    """The throughput and response time of so many users who think so long between an answer and the next request.

    Raises ValueError for no users, a negative or infinite time, fewer than one server, two stations of one name, or a
    network in which nothing takes time.
    """
    _check(stations, users, think_s)
    queues = [station for station in stations if station.servers is not None and station.demand_s > 0]
    delay = think_s + sum(station.demand_s for station in stations if station.servers is None)
    guess = _open_throughput(queues, delay, users)
    if users > MOST_EXACT:
        throughput = guess
        lengths = {one.name: _open_length(guess * one.demand_s, one.servers or 1, users) for one in queues}
    else:
        throughput, lengths = _convolved(queues, delay, users, guess)
    waiting = dict.fromkeys((station.name for station in stations), 0.0)
    for station in queues:
        waiting[station.name] = max(0.0, lengths[station.name] / throughput - station.demand_s)
    used = {one.name: throughput * one.demand_s / one.servers for one in stations if one.servers is not None}
    response = sum(station.demand_s for station in stations) + math.fsum(waiting.values())
    return Prediction(throughput, response, waiting, used, users <= MOST_EXACT)


def bounds(stations: Sequence[Station], users: int, think_s: float = 0.0) -> float:
    """The throughput that no such system exceeds: min(N / (R0 + Z), servers / demand of each station).

    Asymptotic bounds: Denning and Buzen, "The operational analysis of queueing network models", 1978.
    """
    _check(stations, users, think_s)
    least = think_s + sum(station.demand_s for station in stations)
    limits = [one.servers / one.demand_s for one in stations if one.servers is not None and one.demand_s > 0]
    return min([users / least, *limits])


def _check(stations: Sequence[Station], users: int, think_s: float) -> None:
    if users < 1:
        raise ValueError(f"a closed network needs at least one user, not {users}")
    times = {"think time": think_s, **{f"demand of {station.name}": station.demand_s for station in stations}}
    for what, value in times.items():
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"the {what} is a number of seconds from 0 on, not {value}")
    for station in stations:
        if station.servers is not None and station.servers < 1:
            raise ValueError(f"{station.name} needs at least one server, not {station.servers}")
    if len({station.name for station in stations}) < len(stations):
        raise ValueError("two stations have the same name")
    if sum(times.values()) <= 0:
        raise ValueError("nothing in this network takes time, so its throughput has no limit")


def _open_throughput(queues: Sequence[Station], delay: float, users: int) -> float:
    """The arrival rate at which the open network holds so many users on average, by bisection.

    It scales the convolution so that no number over- or underflows, and stands in for it above MOST_EXACT.
    """
    capacity = min(((one.servers or 1) / one.demand_s for one in queues), default=math.inf)
    low, high = 0.0, min(capacity, users / (delay + sum(station.demand_s for station in queues)))
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        held = middle * delay + sum(_open_length(middle * one.demand_s, one.servers or 1, users) for one in queues)
        low, high = (middle, high) if held < users else (low, middle)
    return (low + high) / 2


def _open_length(load: float, servers: int, users: int) -> float:
    """Mean number of users at M/M/m offered this load in servers: load + C rho / (1 - rho), Erlang's C from his B."""
    if servers >= users:
        return load  # nobody ever waits
    used = load / servers
    if used >= 1:
        return math.inf
    blocked = 1.0
    for count in range(1, servers + 1):
        blocked = load * blocked / (count + load * blocked)
    waits = blocked / (1 - used * (1 - blocked))
    return load + waits * used / (1 - used)


@dataclass(frozen=True)
class _Weights:
    """Numbers proportional to the weight of j users, for j from `first` on; all others are negligible."""

    first: int
    values: Floats


def _convolved(queues: Sequence[Station], delay: float, users: int, rate: float) -> tuple[float, dict[str, float]]:
    """Throughput and mean number of users at each queue, exactly.

    With weights f_k(j) = (rate D)^j / prod min(i, m) of each station, g = f_1 * f_2 * ... at N and N - 1 gives
    X = rate g(N - 1) / g(N), and with g without station k the distribution of its users: f_k(j) g_k(N - j) / g(N).
    """
    parts = [_weights(rate * one.demand_s, one.servers or 1, users) for one in queues]
    parts.append(_weights(rate * delay, users, users))
    before, after = [_one()], [_one()]
    for part in parts[:-1]:
        before.append(_times(before[-1], part, users))
    for part in reversed(parts[1:]):
        after.append(_times(after[-1], part, users))
    whole = _times(before[-1], parts[-1], users)
    throughput = rate * _at(whole, users - 1) / _at(whole, users)
    lengths = {}
    for index, (station, part) in enumerate(zip(queues, parts, strict=False)):
        others = _times(before[index], after[len(parts) - 1 - index], users)
        lengths[station.name] = _mean_held(part, others, users)
    return throughput, lengths


def _weights(load: float, servers: int, users: int) -> _Weights:
    """load^j / (1 2 ... m m m ...) for j = 0 .. users, the largest 1."""
    import numpy as np

    if load <= 0:
        return _one()
    logs = np.concatenate(([0.0], np.cumsum(math.log(load) - np.log(np.minimum(np.arange(1.0, users + 1), servers)))))
    return _trimmed(0, np.exp(logs - logs.max()))


def _trimmed(first: int, values: Floats) -> _Weights:
    import numpy as np

    kept = np.flatnonzero(values > _NEGLIGIBLE * values.max())
    return _Weights(first + int(kept[0]), values[kept[0] : kept[-1] + 1])


def _times(a: _Weights, b: _Weights, users: int) -> _Weights:
    """The weights of two groups of stations together, up to so many users, the largest 1."""
    import numpy as np

    first = a.first + b.first
    values = np.convolve(a.values, b.values)[: max(0, users - first) + 1]
    return _trimmed(first, values / values.max())


def _one() -> _Weights:
    import numpy as np

    return _Weights(0, np.ones(1))


def _at(weights: _Weights, users: int) -> float:
    place = users - weights.first
    return float(weights.values[place]) if 0 <= place < len(weights.values) else 0.0


def _mean_held(part: _Weights, others: _Weights, users: int) -> float:
    """The mean of j under f(j) g(users - j)."""
    import numpy as np

    first = max(part.first, users - others.first - len(others.values) + 1)
    last = min(part.first + len(part.values) - 1, users - others.first)
    held = np.arange(first, last + 1)
    likely = part.values[held - part.first] * others.values[users - held - others.first]
    return float((held * likely).sum() / likely.sum())
