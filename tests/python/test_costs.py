"""What measuring costs here: from a core that is handed in, and from the real one."""

from __future__ import annotations

import pytest

from parkbench import child, costs


class Core:
    """Costs as the compiled core tells them."""

    def __init__(self, cross: float | None = 20.5) -> None:
        self.cross = cross

    def clock_cost_ns(self) -> float:
        """Of one read."""
        return 25.0

    def wake_up_cost_us(self) -> dict[str, float | None]:
        """Of one wake-up."""
        return {"same_core": 2.0, "cross_core": self.cross}


def test_the_block_holds_clock_wake_up_and_ceiling() -> None:
    assert costs.measure(Core(), lambda: 60_000.0, 1e-9) == {
        "clock_read_ns": 25.0,
        "clock_resolution_ns": 1.0,
        "wake_up_us": {"same_core": 2.0, "other_core": 20.5},
        "generator_ceiling_rps": 60_000.0,
    }


def test_what_cannot_be_measured_is_none() -> None:
    one_cpu = costs.measure(Core(None), None, 1e-9)
    assert one_cpu["wake_up_us"] == {"same_core": 2.0, "other_core": None}
    assert one_cpu["generator_ceiling_rps"] is None
    assert costs.measure(Core(), lambda: None, 1e-9)["generator_ceiling_rps"] is None


def test_one_sentence_for_the_summary() -> None:
    sweep = {"machine_costs": costs.measure(Core(), lambda: 61_234.0, 1e-9)}
    assert costs.describe(sweep) == (
        "On this machine reading the clock takes 25.0 ns (resolution 1.00 ns), waking a thread 2.00 us on its own core "
        "and 20.5 us on another one that idles, a server that does nothing answers 61,234/s over http to 64 users."
    )
    alone = costs.describe({"machine_costs": costs.measure(Core(None), None, 1e-9)})
    assert alone.endswith("waking a thread 2.00 us on its own core.")
    assert costs.describe({}) == ""


@pytest.mark.parametrize(
    ("transport", "seconds", "looks"), [("http", 15.0, True), ("http", 1.0, False), ("direct", 60.0, False)]
)
def test_the_ceiling_is_looked_for_over_http_and_where_the_sweep_is_long(
    transport: str, seconds: float, looks: bool
) -> None:
    assert costs.finds_ceiling(transport, seconds) is looks


def test_the_real_core_tells_all_but_the_ceiling() -> None:
    found = costs.measure()
    assert found["clock_read_ns"] > 0
    assert found["clock_resolution_ns"] > 0
    assert found["wake_up_us"]["same_core"] > 0


def test_the_ceiling_is_that_of_a_real_server() -> None:
    rate = costs.ceiling(child.core_path())
    assert rate is not None
    assert rate > 100


def test_a_ceiling_that_cannot_be_found_is_none() -> None:
    assert costs.ceiling("/nowhere/_core.so") is None
