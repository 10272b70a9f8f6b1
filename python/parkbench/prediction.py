"""What would change if the bottleneck were doubled, by a small queueing model, and whether the sweep bears it out.

The model is a closed network of queues, solved exactly (Buzen, "Computational algorithms for closed queueing networks
with exponential servers", CACM 16, 1973; see `parkbench.queueing`). Its demands are measured: what a request
holds of a pool is, by Little's law, places in use / throughput, what it needs of the CPUs is their busy time /
throughput, and the rest of its time is a delay that nobody shares. Workers are no station but a limit on how many
requests are inside at once (hierarchical decomposition: Lazowska, Zahorjan, Graham, Sevcik, "Quantitative System
Performance", 1984, chapter 9).

The model is asked twice, as it is and doubled, and the ratio of its answers is applied to what was measured: what it
leaves out then cancels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from parkbench.diagnosis import Facts
from parkbench.points import Point
from parkbench.record import Record, arrivals_kind, think_s
from parkbench.stats import mean
from parkbench.wording import amount, percent, plural

CITED = "closed network of queues, Buzen 1973"
NO_CHANGE = 0.02
_OF_MODEL = {"workers": "thread_pool", "carriers": "virtual_threads", "loops": "reactive"}
_IGNORED = ("seed",)


@dataclass(frozen=True)
class System:
    """A closed system: users, their think time, stations `name -> (demand s, servers)`, a delay, a limit on requests
    inside (None: none).
    """

    users: int
    think_s: float
    stations: Mapping[str, tuple[float, int]]
    delay_s: float
    places: int | None = None

    def throughput(self) -> float:
        """Requests per second."""
        if self.places is None or self.places >= self.users:
            return self._inside(self.users, self.think_s)
        low, high = 1, self.places  # the most requests inside that the users who do not think can fill
        while low < high:
            middle = (low + high + 1) // 2
            if middle <= self.users - self._inside(middle, 0.0) * self.think_s:
                low = middle
            else:
                high = middle - 1
        return self._inside(low, 0.0)

    def _inside(self, users: int, think: float) -> float:
        from parkbench.queueing import Station, predict

        stations = [Station(name, demand, servers) for name, (demand, servers) in self.stations.items()]
        return predict([*stations, Station("delay", self.delay_s, None)], users, think).throughput_rps

    def doubled(self, resource: str) -> System:
        """The same system with twice as much of one resource."""
        if resource == "workers":
            return replace(self, places=None if self.places is None else 2 * self.places)
        demand, servers = self.stations[resource]
        return replace(self, stations={**self.stations, resource: (demand, 2 * servers)})

    @property
    def fullest(self) -> str:
        """The station with the least capacity."""
        return max(self.stations, key=lambda name: self.stations[name][0] / self.stations[name][1], default="delay")


def predict_doubled(point: Point, every: Sequence[Point] = ()) -> dict[str, Any] | None:
    """The prediction for a point's bottleneck; None where it has none that could be doubled, or is no closed load.

    Keys: `resource`, `from`, `to` (its size), `throughput_rps`, `response_ms` (mean), `text`, and `checked`: where
    `every` holds the point that differs in nothing but this size, `{"name", "measured" (throughput, 1/s), "error"}`,
    the error relative to what was measured; else None.
    """
    runs = list(point.ok.values())
    if not runs or point.is_open or arrivals_kind(runs[0]) != "closed":
        return None
    resource = str(runs[0].get("bottleneck"))
    system = system_of(runs)
    size = _size(Facts(runs[0]), resource)
    if system is None or size is None or (resource != "workers" and resource not in system.stations):
        return None
    now = system.throughput()
    then = system.doubled(resource)
    measured = mean(list(point.values("throughput_rps").values()))
    throughput = measured * then.throughput() / now
    response = max(0.0, 1000 * (system.users / throughput - system.think_s))
    checked = _checked(point, every, resource, 2 * size, throughput)
    return {"resource": resource, "from": size, "to": 2 * size, "throughput_rps": throughput, "response_ms": response,
            "checked": checked,
            "text": _text(resource, size, measured, throughput, response, then.fullest, checked)}  # fmt: skip


def system_of(runs: Sequence[Record]) -> System | None:
    """The closed system that these runs (repeats of one cell) measured; None without throughput."""
    facts = [Facts(run) for run in runs]
    if not facts or not all(one.rate > 0 and one.response_ms > 0 for one in facts):
        return None
    first = facts[0]
    cpu = mean([max(0.0, one.host - (one.foreign or 0.0)) * one.cpus / one.rate for one in facts])
    stations = {"cpu": (cpu, max(1, round(first.cpus)))} if cpu > 0 else {}
    hold = mean([(one.hold_ms or 0.0) / 1000 for one in facts]) if first.uses_database else 0.0
    size = first.pool_size
    if hold > 0 and size is not None:
        stations["connections"] = (hold, int(size))
    word, threads = first.threads_word, round(first.threads)
    if word in ("carriers", "loops") and threads > 0:
        busy = mean([(one.busy or 0.0) * one.threads / one.rate for one in facts])
        if busy > 0:
            stations[word] = (busy, threads)
    waited = ("client_wait", "lateness", "queue", "connection")
    served = mean([(one.response_ms - sum(one.spent[phase] for phase in waited)) / 1000 for one in facts])
    # A station's own time is no delay; the CPU and a thread of the model are used at the same time.
    used = hold + max(cpu, stations[word][0] if word in stations else 0.0)
    places = _size(first, "workers")
    return System(int(runs[0]["concurrency"]), think_s(runs[0]), stations, max(0.0, served - used), places)


def _size(facts: Facts, resource: str) -> int | None:
    """How much of a resource a run has, where that is a number that could be doubled."""
    if resource == "cpu":
        return max(1, round(facts.cpus))
    if resource == "connections":
        size = facts.pool_size if facts.uses_database else None
        return None if size is None else int(size)
    if _OF_MODEL.get(resource) != facts.model:
        return None
    return round(facts.threads) or None


def _checked(point: Point, every: Sequence[Point], resource: str, size: int, predicted: float) -> dict[str, Any] | None:
    wanted = {**_options(point.example), resource: size}
    for other in every:
        same = other.load == point.load and other.example.get("model") == point.example.get("model")
        if same and other.ok and resource != "cpu" and _options(other.example) == wanted:
            measured = mean(list(other.values("throughput_rps").values()))
            return {"name": other.name, "measured": measured, "error": predicted / measured - 1 if measured else None}
    return None


def _options(run: Record) -> dict[str, Any]:
    return {key: value for key, value in (run.get("options") or {}).items() if key not in _IGNORED}


def _text(
    resource: str,
    size: int,
    measured: float,
    predicted: float,
    response: float,
    fullest: str,
    checked: Mapping[str, Any] | None,
) -> str:
    word = "CPU" if resource == "cpu" else resource.removesuffix("s")
    with_twice = f"With {plural(2 * size, word)} instead of {size:,}"
    if predicted / measured - 1 < NO_CHANGE:
        next_one = (
            ""
            if fullest in (resource, "delay")
            else f": {'the CPUs are' if fullest == 'cpu' else f'{fullest} are'} next"
        )
        text = f"{with_twice} the model of queues predicts no more than the {amount(measured)}/s measured{next_one}."
    else:
        text = (
            f"{with_twice} the model of queues predicts {amount(predicted)}/s instead of {amount(measured)}/s and a "
            f"mean of {amount(response)} ms ({CITED})."
        )
    if checked and checked["error"] is not None:
        sign = "+" if checked["error"] >= 0 else "-"
        off = f"{sign}{percent(abs(checked['error']))}"
        text += f" Measured so ({checked['name']}): {amount(checked['measured'])}/s; the prediction is off by {off}."
    return text
