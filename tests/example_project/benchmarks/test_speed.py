"""Three benchmarks: against the baseline in a file, against other settings in the same sweep, and of memory."""

from __future__ import annotations

from typing import Any

import pytest

import parkbench as pb


@pytest.mark.parametrize("model", ["thread_pool", "virtual_threads", "reactive"])
def test_a_request_is_not_slower_than_it_was(parkbench: Any, short: dict[str, Any], model: str) -> None:
    parkbench.sweep("cpu", models=model, concurrency=4, cpu_us=200, **short)
    parkbench.assert_no_regression()


def test_twenty_workers_do_as_well_as_two_hundred(parkbench: Any, short: dict[str, Any]) -> None:
    parkbench.against({"workers": 200}).sweep(
        "sleep", models=pb.ThreadPool(workers=20), concurrency=10, sleep_ms=5, **short
    )
    parkbench.assert_no_regression(threshold="10%")


@pytest.mark.parkbench(figure="rss_peak_mib", threshold="20%")
def test_users_who_wait_need_no_more_memory(parkbench: Any, short: dict[str, Any]) -> None:
    parkbench.sweep("sleep", models="reactive", concurrency=200, sleep_ms=50, **short)
    parkbench.assert_no_regression()
