"""The tables and claims of three published articles, audited: `python -m parkbench.articles > python/docs/articles.md`.

The published figures stand here as data, with their sources; every other figure of the page is calculated.
"""

from __future__ import annotations

import math
import sys
import textwrap
from typing import Any

from parkbench.stats import MIN_REPEATS_FOR_INTERVAL, MIN_REPEATS_FOR_WORDS
from parkbench.table_audit import LIMIT, audit_table, rows_of

GATEWAY: list[dict[str, Any]] = [
    {"service": service, "concurrency": users, "throughput_rps": rps, "response_mean_ms": mean}
    for service, rows in {
        "WebFlux (Netty)": [(200, 3950, None), (1000, 18_500, None), (3000, 22_100, 54), (5000, 24_800, None)],
        "MVC, virtual threads": [(200, 3910, None), (1000, 17_900, None), (3000, 19_500, 61), (5000, 16_200, None)],
    }.items()
    for users, rps, mean in rows
]
"""Throughput by users of the gateway article, and its means, which it gives for 3,000 users only."""
GATEWAY_CLAIM = 0.15
"""What it says is given up by virtual threads."""

SLEEP_USERS, SLEEP_MS, SLEEP_THREADS, SLEEP_CLAIM = 500, 300.0, 200, 2.0
"""The guide's test: users, the wait in each answer, Tomcat's default of threads, and the ratio it tells."""

ROUND, ROUND_THREADS, ROUND_CONNECTIONS = 400, 300, 10
"""The pricing article: rounds of 200 to 400 requests, 300 threads; 10 connections are the default of the pools."""
BLOCKING_MS, REACTIVE_MS = 7724.0, 321.0
"""Its mean response times, MVC and WebFlux."""

SPRING_WAIT_MS, SPRING_NOT_HELD_MS, SPRING_HELD_MS = 300.0, (348.0, 347.0), (4836.0, 4849.0)
"""Our replay on Spring Boot 4.0.7, 2 cores, both services with 10 connections, closed rounds of 200 to 400 requests
that wait in the application; mean response of MVC with 300 threads and of WebFlux, ms."""

OURS_MS = {"thread_pool": (5117.0, 448.0), "reactive": (4833.0, 397.0)}
"""The same with our models, by the page's command: mean response of the model that holds its connection and of the
other, ms. One run each over HTTP, on 2 cores that had other work."""

_COMMAND = (
    "parkbench run pricing --models thread_pool,reactive --arrivals rounds --concurrency 300 --workers 300 \\",
    "    --connections 10 --app-wait-ms 300 --set thread_pool.connection_hold=request",
)
_WIDTH = 118


def rounds_mean_ms(requests: int, servers: int, hold_ms: float) -> float:
    """Mean response of `requests` that come at once to `servers`, each of which one request holds for `hold_ms`, ms.

    They leave in waves: the first `servers` after one holding time, the next after two, and so on.
    """
    waves = [min(servers, requests - begun) for begun in range(0, requests, servers)]
    return hold_ms * sum(count * (wave + 1) for wave, count in enumerate(waves)) / requests


def sleep_rows() -> list[dict[str, Any]]:
    """What the guide's settings allow: as many answers at once as there are threads, or users, each after the wait."""
    rows = []
    for service, at_once in ((f"{SLEEP_THREADS} threads", SLEEP_THREADS), ("virtual threads", SLEEP_USERS)):
        throughput = at_once / (SLEEP_MS / 1000)
        row = {"concurrency": SLEEP_USERS, "throughput_rps": throughput}
        rows.append({"service": service, **row, "response_mean_ms": SLEEP_USERS / throughput * 1000})
    return rows


def page() -> str:
    """The page, as Markdown."""
    return "\n".join([*_head(), *_pricing(), *_sleep(), *_gateway(), *_your_own()])


def _head() -> list[str]:
    return [
        "# Three articles, audited",
        "",
        *_text(
            "parkbench began with three articles that compare thread pools, virtual threads and reactive services. "
            "This page asks of their figures what `pb.audit_table` and the audit of a run ask of ours: do they belong "
            "together, and do they carry the conclusion? It is made by `python -m parkbench.articles`; published "
            "figures are quoted, all others calculated."
        ),
        *_text(
            "A closed test keeps every user busy: users = throughput x (mean response + think time), by Little's law. "
            f"A row that is more than {LIMIT:.0%} from that cannot be. A row without a response time cannot be "
            "checked; only the mean that its users and throughput imply is shown."
        ),
    ]


def _pricing() -> list[str]:
    by_threads = rounds_mean_ms(ROUND, ROUND_THREADS, REACTIVE_MS)
    by_connections = rounds_mean_ms(ROUND, ROUND_CONNECTIONS, REACTIVE_MS)
    hold = BLOCKING_MS / rounds_mean_ms(ROUND, ROUND_CONNECTIONS, 1.0)
    waves = rounds_mean_ms(300, ROUND_CONNECTIONS, SPRING_WAIT_MS)
    few = rounds_mean_ms(15, ROUND_CONNECTIONS, SPRING_WAIT_MS)
    free, held = SPRING_NOT_HELD_MS, SPRING_HELD_MS
    return [
        f"## {BLOCKING_MS:,.0f} against {REACTIVE_MS:,.0f} ms",
        "",
        *_text(
            'V. Belyi (Sinimex), "Reactive Java: when it speeds a system up, and when it only makes life harder", '
            f"part 1, in Russian. Spring MVC with {ROUND_THREADS} threads and WebFlux, two queries and a price, rounds "
            f"of 200 to {ROUND} requests: a mean of {BLOCKING_MS:,.0f} ms against {REACTIVE_MS:,.0f} ms, put down to "
            "waiting for threads."
        ),
        *_point(
            f"**It comes from holding one of {ROUND_CONNECTIONS} connections while the application waits, not from the "
            "model.** That is what follows from the figures below, and what our replay shows; the article's source "
            "was not seen."
        ),
        *_point(
            f"Threads cannot be the cause. If each of {ROUND} requests takes {REACTIVE_MS:,.0f} ms and there are "
            f"{ROUND_THREADS} threads, the last {ROUND - ROUND_THREADS} wait for one turn: a mean of {by_threads:,.0f} "
            "ms."
        ),
        *_point(
            f"Ten connections can. If a request holds one of {ROUND_CONNECTIONS} for those {REACTIVE_MS:,.0f} ms, "
            f"{ROUND} of them leave in {math.ceil(ROUND / ROUND_CONNECTIONS)} waves: a mean of {by_connections:,.0f} "
            f"ms. {BLOCKING_MS:,.0f} ms is what a hold of {hold:,.0f} ms gives."
        ),
        *_point(
            f"On Spring Boot 4.0.7, with equal pools of {ROUND_CONNECTIONS} and {SPRING_WAIT_MS:,.0f} ms of waiting in "
            f"the application, MVC and WebFlux took {free[0]:,.0f} and {free[1]:,.0f} ms when the wait lay outside the "
            f"connection, {held[0]:,.0f} and {held[1]:,.0f} ms when the connection was held (waves of ten: "
            f"{waves:,.0f} ms for a round of 300). Each time the two models are alike."
        ),
        *_point(
            "Our own models, by the command below, one run each: "
            + "; ".join(
                f"{held:,.0f} ms when `{holder}` holds its connection, {other:,.0f} ms for the other"
                for holder, (held, other) in OURS_MS.items()
            )
            + "."
        ),
        *_point(
            "At 10 to 20 requests a round the article finds the two practically alike. There a held connection costs "
            f"little: 15 requests are two waves, {few:,.0f} ms instead of {SPRING_WAIT_MS:,.0f}."
        ),
        "",
        "The contrast in one command; whichever model holds its connection loses:",
        "",
        "```sh",
        *_COMMAND,
        "```",
        "",
    ]


def _sleep() -> list[str]:
    rows = rows_of(audit_table(sleep_rows()))
    ratio = rows[1]["throughput_rps"] / rows[0]["throughput_rps"]
    return [
        f"## {SLEEP_CLAIM:.0f} times at {SLEEP_MS:.0f} ms",
        "",
        *_text(
            'CodCraft, "Spring Boot guide: how to enable virtual threads", in Russian. '
            f"{SLEEP_USERS} users at once, each answer sleeps {SLEEP_MS:.0f} ms; virtual threads in place of Tomcat's "
            f"pool make a difference of about {SLEEP_CLAIM:.0f} times, called statistically significant."
        ),
        "What follows from these settings, before anything is measured:",
        "",
        *_table(rows, ("service", "concurrency", "throughput_rps", "response_mean_ms", "in_flight", "ok")),
        "",
        *_point(
            f"The ratio is {ratio:.3g} by arithmetic: as many answers at once as there are threads, divided by the "
            f"wait. It tells the number of threads, not the speed of a model: {SLEEP_USERS / SLEEP_CLAIM:,.0f} threads "
            f"make it {SLEEP_CLAIM:.0f}, {SLEEP_USERS} make it 1."
        ),
        *_point(
            f"About {SLEEP_CLAIM:.0f} lies within what the settings allow, so it adds up as far as it can be checked."
        ),
        *_point(
            "The text has one ratio, without throughput, response time or repeats. No interval can be given, so "
            f"nothing of it is significant: parkbench gives none below {MIN_REPEATS_FOR_INTERVAL} repeats, and says "
            f"*faster* only from {MIN_REPEATS_FOR_WORDS}."
        ),
        "",
    ]


def _gateway() -> list[str]:
    rows = rows_of(audit_table(GATEWAY))
    flagged = [row for row in rows if row["ok"] is False]
    losses = {
        a["concurrency"]: 1 - b["throughput_rps"] / a["throughput_rps"] for a, b in zip(rows[:4], rows[4:], strict=True)
    }
    growth = rows[3]["implied_mean_ms"] / rows[1]["implied_mean_ms"]
    keys = ("service", "concurrency", "throughput_rps", "response_mean_ms", "in_flight", "implied_mean_ms", "ok")
    return [
        "## WebFlux or virtual threads in a gateway",
        "",
        *_text(
            'Arch Kuangxiangqu, "WebFlux or virtual threads? A load test of a microservice gateway and how to choose", '
            "in Chinese. Two gateways before a service that takes 50 ms, 200 to 5,000 users."
        ),
        *_table(rows, keys),
        "",
        *_point(
            f"**{flagged[0]['concurrency']:,} users cannot be, for either service.** Throughput and mean make "
            f"{' and '.join(format(row['in_flight'], ',.0f') for row in flagged)} requests in flight; with "
            f"{flagged[0]['concurrency']:,} users the means would have to be "
            f"{' and '.join(format(row['implied_mean_ms'], ',.0f') for row in flagged)} ms. Either most users idled, "
            "or the means leave waiting out, or the generator was the bottleneck."
        ),
        *_point(
            "**200, 1,000 and 5,000 users are not checkable:** no response times are given there. If all users were "
            f"busy, the means were the implied ones. For WebFlux they grow {growth:.1f} times from 1,000 to 5,000 "
            "users while the service behind it still takes 50 ms: a queue, whatever the model."
        ),
        *_point(
            f"**{GATEWAY_CLAIM:.0%} is no figure of this table.** Virtual threads lose "
            f"{', '.join(f'{loss:.0%} at {users:,}' for users, loss in losses.items())}. Above 1,000 users, where the "
            f"conclusion is drawn, that is {losses[3000]:.0%} and {losses[5000]:.0%}."
        ),
        *_point(
            "No repeats and no intervals. Connection timeouts are told of at 5,000 users and not counted, so requests "
            "that failed and requests that were answered are compared."
        ),
        "",
    ]


def _your_own() -> list[str]:
    return [
        "## Ask the same of a table of yours",
        "",
        "```python",
        "import parkbench as pb",
        "",
        "pb.audit_table(",
        "    [",
        '        {"concurrency": 3000, "throughput_rps": 22_100, "response_mean_ms": 54},',
        '        {"concurrency": 5000, "throughput_rps": 24_800, "response_mean_ms": None},',
        "    ]",
        ")",
        "```",
        "",
    ]


_HEADS = {
    "service": "service",
    "concurrency": "users",
    "throughput_rps": "throughput, 1/s",
    "response_mean_ms": "mean, ms",
    "in_flight": "in flight",
    "implied_mean_ms": "implied mean, ms",
    "ok": "adds up",
}
_OK = {True: "yes", False: "**no**", None: "not checkable"}


def _text(sentences: str) -> list[str]:
    return [*textwrap.wrap(sentences, _WIDTH, break_long_words=False, break_on_hyphens=False), ""]


def _point(sentences: str) -> list[str]:
    return textwrap.wrap(
        "- " + sentences, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def _table(rows: list[dict[str, Any]], keys: tuple[str, ...]) -> list[str]:
    line = " | ".join("---" if key in ("service", "ok") else "---:" for key in keys)
    head = " | ".join(_HEADS[key] for key in keys)
    body = [" | ".join(_cell(key, row[key]) for key in keys) for row in rows]
    return [f"| {cells} |" for cells in (head, line, *body)]


def _cell(key: str, value: Any) -> str:
    if key == "ok":
        return _OK[value]
    if value is None:
        return ""
    if key == "implied_mean_ms":
        return f"{value:,.1f}"
    return value if isinstance(value, str) else f"{value:,.0f}"


if __name__ == "__main__":
    sys.stdout.write(page())
