"""One row per load and name; everything a reader must know stands in the title."""

from __future__ import annotations

import pytest
import run_records as records
from test_explain import Runs, article_sweep, judged, workers_sweep

from parkbench import table


def sweep() -> Runs:
    names = ("thread_pool", "virtual_threads", "reactive")
    return judged([records.starved(m, r, c) for r in range(5) for c in (400, 50) for m in names])


def test_title_says_how_requests_came() -> None:
    assert table.title(sweep()) == "pricing, direct, closed, no think time, 50 to 400 users, 5 repeats"
    assert table.title(workers_sweep(1)) == "pricing, direct, closed, no think time, 300 users, 1 repeat"
    assert table.title(article_sweep(1)) == (
        "pricing, direct, rounds, 300 at once, 1 repeat; unequal by design: thread_pool has connection_hold=request; "
        "reactive has connection_hold=statement"
    )
    assert table.title([]) == "no runs"


def test_rows_by_load_and_then_by_name() -> None:
    rows = table.rows(sweep())
    assert [(row.concurrency, row.name) for row in rows][:4] == [
        (50, "thread_pool"), (50, "virtual_threads"), (50, "reactive"), (400, "thread_pool")]  # fmt: skip
    assert all(len(row.cells) == len(table.columns(sweep())) for row in rows)
    assert "status" not in table.columns(sweep())


def test_figures_are_medians_with_their_spread() -> None:
    runs = judged([records.few_workers("thread_pool", r) for r in range(3)])
    for run, mean in zip(runs, (100.0, 110.0, 200.0), strict=True):
        run["response_mean_ms"] = mean
    assert table.rows(runs)[0].cells[3] == "110 ±82 %"


def test_what_the_data_do_not_carry_is_not_shown() -> None:
    runs = workers_sweep(3)
    for run in runs:
        run["response_p99_ms"] = None
    assert table.rows(runs)[0].cells[4] == "n/a (needs 1,000)"


def test_runs_that_are_not_ok_get_a_status() -> None:
    runs = [*sweep(), records.failed("reactive", 50, 9, "killed by signal 9")]
    runs[0]["status"] = "too_short"  # thread_pool at 400
    cells = {(row.concurrency, row.name): row.cells for row in table.rows(runs)}
    assert cells[50, "reactive"][-1] == "5 ok, 1 failed: killed by signal 9"
    assert cells[400, "thread_pool"][-1] == "1 too_short, 4 ok"
    assert cells[50, "thread_pool"][-1] == "ok"
    only = table.rows([records.failed()])[0].cells
    assert only[-1] == "failed: killed by signal 9"
    assert only[2:5] == ("", "", "")


def test_plain_where_there_is_no_terminal() -> None:
    lines = table.render(sweep(), terminal=False).splitlines()
    assert lines[0].startswith("pricing, direct")
    assert lines[1].split()[:2] == ["users", "name"]
    assert len(lines) == 2 + 6
    assert "\x1b" not in "".join(lines)


def test_colours_in_a_terminal_unless_they_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in table.render(sweep(), terminal=True, width=120)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "38;2" not in table.render(sweep(), terminal=True, width=120)


def test_brackets_in_a_reason_are_no_markup() -> None:
    text = table.render([records.failed(why="[bold]server[/] said [no]")], terminal=True, width=200)
    assert "[bold]server[/] said [no]" in text


@pytest.mark.parametrize("width", [120, 80, 50])
def test_nothing_is_cut_off_in_a_narrow_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    text = table.render(sweep(), terminal=True, width=width)
    assert "…" not in text
    assert text.count("virtual_threads") == 2
    assert text.count("connections") == 6
    assert ("±" in text) == (width != 80)


def test_whole_threads_are_whole_numbers() -> None:
    row = table.rows([records.starved("reactive")])[0]
    assert row.cells[table.columns([]).index("threads")] == "5"


def test_over_http_the_cpu_of_every_process_is_shown() -> None:
    runs = judged([records.over_http(repeat=repeat) for repeat in range(3)])
    assert table.title(runs) == "gateway, http, downstream http 50 ms, closed, no think time, 1,000 users, 3 repeats"
    headings = table.columns(runs)
    assert "cores" in headings
    assert table.rows(runs)[0].cells[headings.index("cores")] == "0.80+0.45+0.15"
    without = [{**run, "cpu": {"server_s": 1.6, "generator_s": 0.9, "downstream_s": None}} for run in runs]
    assert table.rows(without)[0].cells[headings.index("cores")] == "0.80+0.45"
    assert "cores" not in table.columns(sweep())
    failed = [{**records.failed(), "transport": "http"}]
    assert table.rows(failed)[0].cells[table.columns(failed).index("cores")] == ""


def test_title_says_what_stands_around_the_model() -> None:
    options = {"downstream": "timer", "faults": "brownout", "placement": "split", "arrivals": "poisson:rate=2500"}
    title = table.title([records.over_http(options=options)])
    assert title == (
        "gateway, http, downstream timer 50 ms, brownout, CPUs split, poisson, 2,500/s, 1,000 connections, 1 repeat"
    )


def test_closed_titles_say_closed_users_and_think_time_and_no_rate() -> None:
    for runs in (sweep(), workers_sweep(1), judged([records.record(options={"arrivals": "closed:think=0.5"})])):
        title = table.title(runs)
        assert "closed, " in title
        assert " users" in title
        assert "think time" in title
        assert "/s" not in title
        assert "rate" not in title


def test_the_open_leg_has_rows_and_a_title_of_its_own() -> None:
    runs = judged(records.both_legs(("thread_pool", "reactive")))
    assert table.title(runs) == (
        "pricing, direct, closed, no think time, 50 to 400 users, 5 repeats; then poisson 500/s, 800/s and 950/s "
        "(50, 80 and 95 % of the lowest capacity), 5 repeats"
    )
    assert table.columns(runs)[0] == "load"
    rows = table.rows(runs)
    assert [row.cells[0] for row in rows] == [
        load for load in ("50 users", "400 users", "500/s (50 %)", "800/s (80 %)", "950/s (95 %)") for _ in range(2)
    ]
    assert [row.concurrency for row in rows][-1] == 500
    lines = table.render(runs, terminal=False).splitlines()
    assert len(lines) == 2 + 10
    assert table.render(runs, terminal=True, width=140).count("thread_pool") == 5


def test_loads_that_share_their_connections_are_not_mixed() -> None:
    slow = [records.open_leg("reactive", r, 0.5, 500.0, 5.0, noise=0.0) for r in range(3)]
    fast = [records.open_leg("reactive", r, 0.95, 950.0, 50.0, noise=0.0) for r in range(3)]
    at = table.columns([*slow, *fast]).index("mean ms")
    assert [row.cells[at] for row in table.rows(judged([*slow, *fast]))] == ["5.00 ±0 %", "50.0 ±0 %"]


def test_a_run_without_steady_state_has_no_mean() -> None:
    runs = judged([records.not_steady(records.starved("reactive", repeat, 50)) for repeat in range(3)])
    cells = dict(zip(table.columns(runs), table.rows(runs)[0].cells, strict=True))
    assert (cells["answers/s"], cells["mean ms"], cells["p99 ms"]) == ("not steady",) * 3
    assert cells["MiB"] != "not steady"
    assert cells["status"] == "not steady"


def test_a_run_without_steady_state_is_left_out_of_the_medians() -> None:
    runs = judged([records.starved("reactive", repeat, 50) for repeat in range(3)])
    for run, mean in zip(runs, (100.0, 100.0, 900.0), strict=True):
        run["response_mean_ms"] = mean
    runs[2] = records.not_steady(runs[2])
    cells = dict(zip(table.columns(runs), table.rows(runs)[0].cells, strict=True))
    assert cells["mean ms"] == "100 ±0 %"
    assert cells["status"] == "2 ok, 1 not steady"


RED = "\x1b[1;31m"


def test_limits_that_differ_are_red_in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert RED not in table.render(sweep(), terminal=True, width=120)
    text = table.render(article_sweep(1), terminal=True, width=250)
    assert f"{RED}unequal by design: thread_pool has" in text  # the title is wrapped to the table's width
    assert f"{RED}pricing" not in text
    monkeypatch.setenv("NO_COLOR", "1")
    assert RED not in table.render(article_sweep(1), terminal=True, width=250)


def test_limits_that_differ_although_nobody_asked_are_red_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    runs = sweep()
    for run in runs:
        if run["name"] == "reactive":
            run["options"] = {**run["options"], "connections": 11}
    assert "unequal connections: thread_pool 10, virtual_threads 10, reactive 11, which nobody asked for" in (
        table.title(runs)
    )
    assert f"{RED}unequal connections" in table.render(runs, terminal=True, width=250)


def test_a_quantile_among_timeouts_is_at_least_the_timeout() -> None:
    runs = judged([records.few_workers("thread_pool", r) for r in range(3)])
    at = table.columns(runs).index("p99 ms")
    for run in runs[:2]:
        run["ledger"] = {**run["ledger"], "ok": 900, "timed_out": 100}
        run["options"] = {**run["options"], "timeout": 30.0}
    assert table.rows(runs)[0].cells[at] == ">= 30,000"
    runs[0]["ledger"] = {**runs[0]["ledger"], "timed_out": 0}
    assert not table.rows(runs)[0].cells[at].startswith(">=")


def test_a_spread_beyond_all_measure_is_given_by_its_end() -> None:
    runs = judged([records.few_workers("thread_pool", r) for r in range(3)])
    for run, mean in zip(runs, (1.0, 1.1, 900.0), strict=True):
        run["response_mean_ms"] = mean
    assert table.rows(runs)[0].cells[3] == "1.10 (to 900)"
