import os
import resource
from pathlib import Path
from typing import Any

import pytest

from parkbench import models, plan, resources, scenario, validate
from parkbench.errors import ConfigError


def cell(users: Any = 10, which: Any = "virtual_threads", **given: Any) -> Any:
    return plan.cells("pricing", models.resolve(which), [users], scenario.checked(given))[0]


def test_memory_is_counted_by_what_a_model_touches() -> None:
    base = resources.needed_mib(cell(1, "reactive"), backends=False)
    assert resources.needed_mib(cell(1 + 2048, "reactive"), backends=False) - base == pytest.approx(1.0)
    virtual = resources.needed_mib(cell(1_000_000), backends=False)
    assert virtual == pytest.approx(64 + 1_000_000 * 8.5 / 1024)
    assert resources.needed_mib(cell(1_000_000, limit=1000), backends=False) < virtual / 10
    assert resources.needed_mib(cell(1, "thread_pool", workers=1024), backends=False) == pytest.approx(96, abs=0.1)
    assert resources.needed_mib(cell(1, "thread_pool", connections=100), backends=True) > 600


def test_a_concurrency_that_does_not_fit_says_what_it_needs() -> None:
    with pytest.raises(
        ConfigError,
        match=r"concurrency 1000000 needs about 8,\d\d\d MiB for virtual_threads, "
        "but only 1,000 MiB are available; lower concurrency",
    ):
        resources.check_memory(cell(1_000_000), 1000.0, backends=False)
    resources.check_memory(cell(1_000_000), 9000.0, backends=False)


def test_what_does_not_fit_for_one_user_blames_the_other_options() -> None:
    with pytest.raises(ConfigError, match="even for one user.*lower workers, connections"):
        resources.check_memory(cell(5, "thread_pool", workers=100_000), 1000.0, backends=False)


def test_the_real_machine_refuses_a_billion_users() -> None:
    with pytest.raises(ConfigError, match="concurrency 1000000000000 needs about"):
        resources.check([cell(10**12)], database=False, embedded=False)
    resources.check([cell(10)], database=True, embedded=True)


def test_descriptors_name_the_limit_and_the_command() -> None:
    with pytest.raises(
        ConfigError,
        match=r"connections 2000 needs 4,064 file descriptors, but the limit of open files \(ulimit -n\) is 1,024; "
        "run `ulimit -n 4064` first, or lower connections to 480",
    ):
        resources.check_descriptors(cell(connections=2000), (1024, 1_048_576))
    with pytest.raises(ConfigError, match="hard limit is 1,024"):
        resources.check_descriptors(cell(connections=2000), (1024, 1024))
    resources.check_descriptors(cell(connections=2000), (4096, 4096))
    resources.check_descriptors(cell(connections=2000), (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def test_threads() -> None:
    with pytest.raises(ConfigError, match="workers 5000 needs 5,032 threads, but pids.max is 100"):
        resources.check_threads(cell(which="thread_pool", workers=5000), ("pids.max", 100))
    resources.check_threads(cell(workers=5000), ("pids.max", 100))
    resources.check_threads(cell(which="thread_pool"), None)
    limit = resources._thread_limit()
    assert limit is not None
    with pytest.raises(ConfigError, match="raise it or lower workers"):
        resources.check_threads(cell(which="thread_pool", workers=min(1_000_000, limit[1])), limit)


def test_out_is_missing_or_empty_and_nothing_is_created(tmp_path: Path) -> None:
    assert resources.check_out(tmp_path) == tmp_path
    assert resources.check_out(tmp_path / "a" / "b") == tmp_path / "a" / "b"
    assert not (tmp_path / "a").exists()


def test_out_that_is_not_empty_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("x")
    with (
        validate.spelled_for_cli(),
        pytest.raises(ConfigError, match="--out .* is not empty; .* go on in it with --resume"),
    ):
        resources.check_out(tmp_path)
    with pytest.raises(ConfigError, match="is a file"):
        resources.check_out(tmp_path / "old.txt")
    with pytest.raises(ConfigError, match="cannot be written"):
        resources.check_out(tmp_path / "old.txt" / "below")
    with pytest.raises(ConfigError, match="zero byte"):
        resources.check_out("a\0b")


def test_out_without_permission() -> None:
    where = "/proc/parkbench-out" if os.geteuid() == 0 else "/parkbench-out"
    with pytest.raises(ConfigError, match="cannot be written"):
        resources.check_out(where)


def test_sockets_of_a_server_name_their_sum_and_the_remedy() -> None:
    gateway = plan.cells("gateway", models.resolve("reactive"), [3000], scenario.checked({"aggregate": 2}))[0]
    with pytest.raises(
        ConfigError,
        match=r"concurrency 3000 needs 9,064 file descriptors in the server's process \(3,000 connections of the "
        r"generator and 6,000 to the downstream\), but the limit of open files \(ulimit -n\) is 1,024; "
        "run `ulimit -n 9064` first, or lower concurrency",
    ):
        resources.check_sockets(gateway, (1024, 1_048_576), database=False, downstream=True)
    resources.check_sockets(gateway, (9064, 9064), database=False, downstream=True)
    resources.check_sockets(gateway, (resource.RLIM_INFINITY, resource.RLIM_INFINITY), database=False, downstream=True)
    with pytest.raises(ConfigError, match="needs 1,084 .* 20 for the database.* the hard limit is 1,024: raise it"):
        resources.check_sockets(cell(1000), (1024, 1024), database=True, downstream=False)


def test_few_connections_to_the_downstream_need_few_descriptors() -> None:
    given = scenario.checked({"downstream_connections": 100, "aggregate": 5})
    gateway = plan.cells("gateway", models.resolve("reactive"), [800], given)[0]
    resources.check_sockets(gateway, (1024, 1024), database=False, downstream=True)
    one_by_one = scenario.checked({"aggregate": 5, "aggregate_order": "sequential", "limit": 100})
    gateway = plan.cells("gateway", models.resolve("reactive"), [800], one_by_one)[0]
    resources.check_sockets(gateway, (1024, 1024), database=False, downstream=True)


def test_memory_over_http_counts_the_connections() -> None:
    direct = resources.needed_mib(cell(4096, "reactive"), backends=False)
    http = resources.needed_mib(cell(4096, "reactive"), backends=False, http=True)
    assert http - direct == pytest.approx(64 + 96)
