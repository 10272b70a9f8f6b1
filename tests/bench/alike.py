"""How far the tool's own words can be trusted: the same model twice, and slowdowns of a known size.

`same` is one model under two names in many short sweeps: how often a difference is said where there is none, and how
often an interval leaves out the ratio 1. `cpu` and `sleep` plant a request that takes 5 % (and 20 %) longer into sweeps
of the default length: how often that is found, beside the power that the tool printed for it. `simulated` draws sweeps
from distributions: how often the interval holds the truth. Shares are held against limits; low and high of a row are
Wilson's interval of its share.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

import parkbench as pb
from bench import rows
from bench.prepare import say
from bench.rows import Row
from parkbench import stats
from parkbench.record import is_comparable, number

METRIC = "response_mean_ms"
PAIRS = 5
FALSE_WORDS = 0.05
FOUND = 0.8
FOUND_LARGE = 0.95
APART = 0.10
SMALL, LARGE = 0.05, 0.2
_LEAST_APART = 0.005  # below this two shares are the same
_SHORT_S, _DEFAULT_S = 0.3, 2.0
_WARMUP_S = 0.1
_QUICK_S = 38.0  # of the 45 that --quick may take
_BEGAN = time.monotonic()

Figures = dict[str, dict[int, float]]
"""Of each name the figure of each repeat."""


@dataclass(frozen=True)
class Settings:
    """What a call measures and how thoroughly."""

    transport: str
    same_sweeps: int
    sweeps: int
    length_s: float = _DEFAULT_S
    keep: Path | None = None
    deadline: float = math.inf  # monotonic, s; no sweep begins after it, except the first of a group

    def key(self, group: str, seconds: float) -> str:
        """What sweeps may be counted together."""
        return f"{group} {self.transport} {seconds:g}"


@dataclass(frozen=True)
class Planted:
    """A workload whose request takes a known share longer under another name; `users` at once."""

    workload: str
    option: str
    base: float
    users: int
    slower: tuple[float, ...]
    every: int = 1  # of so many sweeps asked for it makes one: what hardly varies needs fewer

    def models(self) -> list[pb.VirtualThreads]:
        """The model as it is and one for each slowdown, named after it."""
        lengths: dict[str, float] = {"as it is": self.base, **{_name(by): self.base * (1 + by) for by in self.slower}}
        options: Callable[[float], Any] = lambda length: {self.option: length}  # noqa: E731
        return [pb.VirtualThreads(name=name, **options(length)) for name, length in lengths.items()]


def _name(slower: float) -> str:
    return f"{slower:.0%} slower".replace("%", " percent")


PLANTED = {
    "cpu": Planted("cpu", "cpu_us", 1000.0, 1, (SMALL, LARGE)),
    "sleep": Planted("sleep", "sleep_ms", 20.0, 10, (SMALL,), every=2),
}


def figures(result: Any) -> Figures:
    """The mean response time of each repeat of each name, of the runs that may be compared."""
    found: Figures = {}
    for run in result.runs:
        value = number(run, METRIC)
        if is_comparable(run) and value is not None:
            found.setdefault(str(run["name"]), {})[int(run["repeat"])] = value
    return found


def swept(settings: Settings, group: str, count: int, seconds: float, sweep: Callable[[int], Any]) -> Iterator[Figures]:
    """The figures of so many sweeps, each kept as it ends; those that were kept before are not made again."""
    key, kept = settings.key(group, seconds), []
    if settings.keep is not None and settings.keep.exists():
        lines = [json.loads(line) for line in settings.keep.read_text().splitlines()]
        kept = [line["figures"] for line in lines if line["key"] == key]
    for index in range(count):
        if index and time.monotonic() > settings.deadline:
            return
        if index < len(kept):
            yield {name: {int(repeat): value for repeat, value in of.items()} for name, of in kept[index].items()}
            continue
        found = figures(sweep(index))
        if settings.keep is not None:
            with settings.keep.open("a") as file:
                file.write(json.dumps({"key": key, "figures": found}) + "\n")
        yield found


def same(settings: Settings) -> list[Row]:
    """The same model twice, in many short sweeps."""
    words, excluded, counted, made, spreads = 0, 0, 0, 0, []
    models = [pb.VirtualThreads(name=name, cpu_us=200) for name in ("first", "second")]
    sweep = partial(_sweep, settings, "cpu", models, 2, _SHORT_S)
    for found in swept(settings, "same", settings.same_sweeps, _SHORT_S, sweep):
        made += 1
        ratio = stats.paired_ratio(found.get("first", {}), found.get("second", {}))
        if ratio is None or ratio.low is None or ratio.high is None or ratio.pairs < PAIRS:
            continue
        counted += 1
        words += ratio.verdict() in ("larger", "smaller")
        excluded += not ratio.low <= 1 <= ratio.high
        spreads.append(ratio.detectable or math.nan)
    note = f"{counted} of {made} sweeps had all {PAIRS} pairs"
    if counted:
        note += f"; the difference that such a sweep finds: median {np.median(spreads):.1%}"
    what = f"same model twice, {PAIRS} pairs of {_SHORT_S} s, {settings.transport}: "
    return [
        share_row(f"{what}sweeps without a false word", counted - words, counted, 1 - FALSE_WORDS, 1.0, note),
        share_row(f"{what}intervals that hold 1", counted - excluded, counted, 0.95, None,
                  f"{excluded} of {counted} leave 1 out; 5 in 100 are what 95 % means"),
    ]  # fmt: skip


def planted(settings: Settings, group: str) -> list[Row]:
    """A slowdown of a known size at the default length: how often it is found, and what power was printed."""
    plant = PLANTED[group]
    found: dict[float, list[stats.Ratio]] = {by: [] for by in plant.slower}
    sweep = partial(_sweep, settings, plant.workload, plant.models(), plant.users, settings.length_s)
    count = max(1, settings.sweeps // plant.every)
    for figures_ in swept(settings, group, count, settings.length_s, sweep):
        for by in plant.slower:
            ratio = stats.paired_ratio(figures_.get("as it is", {}), figures_.get(_name(by), {}))
            if ratio is not None and ratio.power_of(by) is not None:
                found[by].append(ratio)
    measured = []
    for by, ratios in found.items():
        what = f"{group} {by:.0%} slower, {PAIRS} pairs of {settings.length_s:g} s, {settings.transport}"
        measured += found_rows(what, by, ratios, judged=settings.length_s >= _DEFAULT_S)
    return measured


def found_rows(what: str, by: float, ratios: Sequence[stats.Ratio], *, judged: bool = True) -> list[Row]:
    """The row of what was found and, for the small slowdown, that of the printed power. One of them carries the goal.

    Where noise forbids the power asked for, the tool must have said so: the printed power then agrees with the rate.
    Not `judged`: runs shorter than the default have no goal.
    """
    goal = 1.0 if judged else None
    hits = sum(ratio.verdict() == "larger" for ratio in ratios)
    powers = [power for ratio in ratios if (power := ratio.power_of(by)) is not None]
    if not powers:
        return [rows.missing(f"{what}: found", "share", "limit", goal, "no sweep had enough runs")]
    printed, rate = float(np.mean(powers)), hits / len(ratios)
    measured = float(np.median([ratio.ratio for ratio in ratios])) - 1
    note = f"measured {measured:+.1%}; printed power {printed:.0%} on average"
    if by >= LARGE:
        return [share_row(f"{what}: found", hits, len(ratios), FOUND_LARGE, goal, note)]
    enough = rate >= FOUND
    if not enough and judged:
        note += "; noise forbids the power asked for, so the printed one must be right"
    return [
        share_row(f"{what}: found", hits, len(ratios), FOUND, goal if enough else None, note),
        apart_row(
            f"{what}: printed power less rate found", printed, hits, len(ratios), APART, None if enough else goal
        ),
    ]


def simulated(settings: Settings) -> list[Row]:
    """Coverage of the interval on drawn sweeps, whose processes spread by 5 % log-normally or with heavy tails."""
    rng = np.random.default_rng(20_261_201)
    count = 1_000 if settings.same_sweeps < 50 else 4_000
    measured = []
    for shape, draw in (("log-normal", rng.normal), ("heavy tails", lambda _m, _s, size: rng.standard_t(5, size))):
        for pairs in (5, 10, 20):
            hits = 0
            for a, b in np.exp(0.05 * draw(0.0, 1.0, (count, 2, pairs))):
                ratio = stats.paired_ratio(dict(enumerate(a.tolist())), dict(enumerate((1.1 * b).tolist())))
                hits += ratio is not None and (ratio.low or 0.0) <= 1.1 <= (ratio.high or 0.0)
            what = f"simulated, {shape}, {pairs} pairs: coverage less 95 %"
            measured.append(apart_row(what, 0.95, hits, count, 0.02, 1.0))
    return measured


def share_row(what: str, hits: int, count: int, limit: float, goal: float | None, note: str = "") -> Row:
    """A share that should be at least `limit`."""
    if count == 0:
        return rows.missing(what, "share", "limit", goal, note or "nothing was measured")
    share = hits / count
    low, high = wilson(hits, count)
    return Row(what, "share", share, "limit", limit, share / limit, low / limit, high / limit, goal, count, note)


def apart_row(what: str, wanted: float, hits: int, count: int, limit: float, goal: float | None) -> Row:
    """How far a share lies from what it should be, which should be at most `limit`."""
    share = hits / count
    low, high = wilson(hits, count)
    apart = abs(share - wanted)
    nearest = 0.0 if low <= wanted <= high else min(abs(low - wanted), abs(high - wanted))
    farthest = max(abs(low - wanted), abs(high - wanted))
    ratios = [limit / max(value, _LEAST_APART) for value in (apart, farthest, nearest)]
    note = f"{share:.1%} against {wanted:.1%}"
    return Row(what, "share", apart, "limit", limit, ratios[0], ratios[1], ratios[2], goal, count, note)


def wilson(hits: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson, "Probable inference, the law of succession", 1927)."""
    z = NormalDist().inv_cdf(0.975)
    share, weight = hits / count, z * z / count
    centre = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(share * (1 - share) / count + weight / (4 * count))
    return max(0.0, centre - half), min(1.0, centre + half)


def _sweep(
    settings: Settings, workload: str, models: Sequence[pb.VirtualThreads], users: int, seconds: float, seed: int
) -> Any:
    return pb.sweep(
        workload, models=list(models), concurrency=users, repeats=PAIRS, duration=seconds, warmup=_WARMUP_S,
        transport=settings.transport, seed=seed, quiet=True,
    )  # fmt: skip


GROUPS: Mapping[str, Callable[[Settings], list[Row]]] = {
    "simulated": simulated,
    "same": same,
    "cpu": partial(planted, group="cpu"),
    "sleep": partial(planted, group="sleep"),
}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="./dev bench alike", description=__doc__)
    parser.add_argument("--prepare", action="store_true", help="nothing to prepare: there is no peer")
    parser.add_argument("--quick", action="store_true", help="at most 45 s: few and short sweeps")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--only", default=",".join(GROUPS), help="of %(default)s, those named, comma-separated")
    parser.add_argument("--transport", choices=("direct", "http"), default="direct")
    parser.add_argument("--same-sweeps", type=int, default=200, help="sweeps of the same model twice (%(default)s)")
    parser.add_argument("--sweeps", type=int, default=20, help="sweeps of each planted slowdown (%(default)s)")
    parser.add_argument("--keep", type=Path, help="a file that gets each sweep as it ends; begun ones go on from it")
    asked = parser.parse_args()
    names = [name.strip() for name in asked.only.split(",")]
    if unknown := [name for name in names if name not in GROUPS]:
        parser.error(f"--only knows {', '.join(GROUPS)}, not {unknown[0]!r}")
    if asked.prepare:
        return
    settings = Settings(asked.transport, asked.same_sweeps, asked.sweeps, keep=asked.keep)
    measured: list[Row] = []
    for left, name in zip(range(len(names), 0, -1), names, strict=True):
        began = time.monotonic()
        if asked.quick and began - _BEGAN > _QUICK_S * 0.8:
            measured.append(rows.missing(name, "share", "limit", None, "no time left: the machine is busy"))
            continue
        if asked.quick:
            end = began + (_QUICK_S - (began - _BEGAN)) / left / 2  # the sweep that begins last takes as long again
            settings = Settings(asked.transport, 3, 3, _SHORT_S, deadline=end)
        measured += GROUPS[name](settings)
        say(f"{name}: {time.monotonic() - began:.0f} s")
    print(rows.to_json("alike", measured) if asked.json else rows.to_text(measured))


if __name__ == "__main__":
    main()
