import os
from typing import Any

import pytest

from parkbench import scenario
from parkbench.errors import ConfigError

CORE_KEYS = set(
    "workload model concurrency arrivals duration_s max_duration_s warmup_s requests_per_user timeout_s "
    "acquire_timeout_s connections workers queue rejection stack_kib carriers loops limit stealing "
    "query_delay_ms connection_hold app_wait_ms app_wait_at cpu_us alloc_kib sleep_ms products seed dsn plant "
    "transport server_fd server_port downstream_fd downstream_port server_cpus generator_cpus brownout downstream "
    "downstream_ms downstream_jitter_ms downstream_timeout_s downstream_connections filter_lock aggregate "
    "aggregate_order bulkhead circuit_breaker gateway_token rate_limit file_kib rows row_every_ms mixed_fast_ms "
    "mixed_slow_ms mixed_slow_share".split()
)


def test_the_core_gets_every_key_with_the_defaults_of_the_design() -> None:
    core = scenario.to_core("noop", "reactive", 7, scenario.complete({}), seed=3, dsn=None)
    assert set(core) == CORE_KEYS
    cpus = len(os.sched_getaffinity(0))
    expected = {
        "duration_s": 2.0, "max_duration_s": 60.0, "warmup_s": 0.5, "requests_per_user": None, "timeout_s": 30.0,
        "acquire_timeout_s": 30.0, "connections": 10, "workers": 200, "queue": 10_000, "rejection": "reject",
        "stack_kib": 1024, "carriers": cpus, "loops": cpus, "limit": None, "stealing": "started", "query_delay_ms": 0,
        "connection_hold": "statement", "app_wait_ms": 0, "app_wait_at": "between", "cpu_us": 0, "alloc_kib": 0,
        "sleep_ms": 300, "products": 10_000, "plant": {}, "arrivals": {"kind": "closed", "think_s": 0.0},
    }  # fmt: skip
    assert {key: core[key] for key in expected} == expected
    assert (core["concurrency"], core["seed"], core["dsn"]) == (7, 3, None)


def test_given_values_are_taken_in_the_unit_of_the_option() -> None:
    given = scenario.checked({"duration": "500ms", "query_delay_ms": "0.05s", "limit": "none", "workers": "300"})
    assert given == {"duration": 0.5, "query_delay_ms": 50.0, "limit": None, "workers": 300}


def test_a_longer_duration_takes_the_maximum_with_it_but_not_against_the_users_word() -> None:
    assert scenario.complete({"duration": 90.0})["max_duration"] == 90.0
    with pytest.raises(ConfigError, match="duration 90 s is longer than max_duration 80 s"):
        scenario.complete({"duration": 90.0, "max_duration": 80.0})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"wokers": 3}, r"unknown option wokers; did you mean workers\?"),
        ({"zzz": 3}, "unknown option zzz; the options are acquire_timeout, aggregate"),
        ({"duration": 0}, "duration must be more than 0 s"),
        ({"connections": 0}, "connections must be at least 1"),
        ({"rejection": "drop"}, "rejection knows no drop; it takes reject, caller_runs and block"),
        ({"connection_hold": "requests"}, r"did you mean request\?"),
        ({"transport": "http"}, "transport holds for the whole sweep"),
        ({"transport": "http", "wokers": 5}, "transport holds for the whole sweep"),
        ({"driver": "blocking"}, "driver is not in this release"),
        ({"pipeline": 5}, "pipeline is not in this release"),
        ({"pipeline": True}, "pipeline is not in this release"),
        ({"downstream": "grpc"}, "it takes timer and http"),
        ({"service": "a=http://x"}, "this release compares thread_pool, virtual_threads and reactive"),
        ({"faults": "stall"}, "faults stall is not in this release; faults takes brownout"),
        ({"circuit_breaker": "maybe"}, "circuit_breaker takes true or false, not maybe"),
        ({"gateway_token": "a b"}, "gateway_token takes up to 256 letters"),
        ({"mixed_slow_share": 1.5}, "mixed_slow_share must be at most 1"),
        ({"rate_limit": 0}, "rate_limit must be more than 0"),
        ({"placement": "left"}, "placement knows no left; it takes none and split"),
        ({"live": True}, "progress bar"),
    ],
)
def test_refusals(options: Any, words: Any) -> None:
    with pytest.raises(ConfigError, match=words):
        scenario.checked(options)


def test_what_holds_today_is_accepted_from_options_of_later_releases() -> None:
    assert scenario.checked({"driver": "async", "pipeline": "1", "live": False}) == {}


@pytest.mark.parametrize("word", scenario.LATER_WORKLOADS)
def test_workloads_of_later_releases_are_named_as_such(word: Any) -> None:
    with pytest.raises(
        ConfigError, match=f"the workload {word} is not in this release; there are pricing, sleep, noop, gateway"
    ):
        scenario.check_workload(word)


def test_an_unknown_workload_names_the_known_ones() -> None:
    with pytest.raises(
        ConfigError, match=r"unknown workload pricin; did you mean pricing\? there are pricing, sleep, noop, gateway"
    ):
        scenario.check_workload("pricin")
    with pytest.raises(ConfigError, match="unknown workload None"):
        scenario.check_workload(None)


def test_an_option_without_effect_is_refused() -> None:
    with pytest.raises(ConfigError, match="query_delay_ms belongs to the pricing workload; noop would not notice it"):
        scenario.check_effect("noop", {"query_delay_ms": 50.0})
    with pytest.raises(ConfigError, match="cpu_us belongs to the pricing and cpu workloads"):
        scenario.check_effect("noop", {"cpu_us": 5.0})
    scenario.check_effect("cpu", {"cpu_us": 5.0, "alloc_kib": 64})
    with pytest.raises(ConfigError, match="placement split needs transport http"):
        scenario.check_effect("noop", {"placement": "split"}, transport="direct")
    with pytest.raises(ConfigError, match="big.sleep_ms belongs to the sleep workload"):
        scenario.check_effect("pricing", {"sleep_ms": 5.0}, "big")
    scenario.check_effect("noop", {"query_delay_ms": 0.0, "workers": 3})


def test_options_of_the_whole_sweep_cannot_be_set_for_one_model() -> None:
    with pytest.raises(ConfigError, match="concurrency holds for the whole sweep and cannot be set for big alone"):
        scenario.checked({"concurrency": 5}, model="reactive", owner="big")
    with pytest.raises(ConfigError, match="one database serves all models"):
        scenario.checked({"products": 5}, model="reactive", owner="big")


def test_a_workload_has_defaults_of_its_own() -> None:
    assert scenario.complete({}, "cpu")["cpu_us"] == 1000.0
    assert scenario.complete({}, "pricing")["cpu_us"] == 0.0
    assert scenario.complete({"cpu_us": 5.0}, "cpu")["cpu_us"] == 5.0


def test_the_transport_is_http_unless_said() -> None:
    assert scenario.check_transport(None) == "http"
    assert scenario.check_transport("direct") == "direct"


def test_a_brownout_reaches_the_core_with_both_ends() -> None:
    values = scenario.complete(scenario.checked({"faults": "brownout", "duration": 3}), "gateway")
    core = scenario.to_core("gateway", "reactive", 5, values, seed=1, dsn=None, transport="http")
    assert core["brownout"] == {"from_s": 1.0, "until_s": 2.0, "delay_ms": 5000.0}
    assert core["transport"] == "http"
    assert scenario.to_core("noop", "reactive", 5, scenario.complete({}), seed=1, dsn=None)["brownout"] is None


def test_split_cpus_halve_carriers_and_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 4, 5, 6})
    values = scenario.complete({"placement": "split"})
    assert (values["carriers"], values["loops"]) == (2, 2)
    core = scenario.to_core("noop", "reactive", 5, values, seed=1, dsn=None, transport="http")
    assert (core["server_cpus"], core["generator_cpus"]) == ([0, 1], [4, 5, 6])
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3})
    with pytest.raises(ConfigError, match="placement split needs two CPUs, but this process may use one"):
        scenario.check_effect("noop", {"placement": "split"})


def test_a_server_behind_the_gateway_is_needed_for_http_only() -> None:
    assert scenario.needs_downstream("gateway", {"downstream": "http"})
    assert not scenario.needs_downstream("gateway", {"downstream": "timer"})
    assert not scenario.needs_downstream("noop", {"downstream": "http"})
