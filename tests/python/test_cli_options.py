"""The options of the commands come from one table, and reach the command as they were typed."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from parkbench import cli, scenario
from parkbench.cli import options
from parkbench.cli import run as cli_run
from parkbench.errors import ConfigError


def test_run_has_every_option_of_a_scenario() -> None:
    names = set(inspect.signature(cli_run.run).parameters)
    assert set(scenario.OPTIONS) <= names
    assert {"workload", "models", "transport", "set_", "json", "service"} <= names
    assert "scenario_options" not in names


def test_a_server_has_no_options_of_the_generator() -> None:
    assert not {"duration", "arrivals", "warmup", "timeout", "placement"} & set(options.of_server())
    assert {"workers", "limit", "acquire_timeout", "downstream", "faults"} <= set(options.of_server())


def test_what_was_given_reaches_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}

    def fake(workload: str, **more: Any) -> Any:
        seen.update(more, workload=workload)
        raise ConfigError("seen")

    monkeypatch.setattr("parkbench.sweeping.sweep", fake)
    arguments = ["run", "gateway", "--downstream", "http", "--circuit-breaker", "--faults", "brownout", "--workers=7"]
    assert cli.call([*arguments, "--transport", "http", "--live"]) == 2
    given = {name: seen[name] for name in ("downstream", "circuit_breaker", "faults", "workers", "transport", "live")}
    assert given == {"downstream": "http", "circuit_breaker": True, "faults": "brownout", "workers": "7",
                     "transport": "http", "live": True}  # fmt: skip
    assert "bulkhead" not in seen


@pytest.mark.parametrize("command", ["run", "serve"])
def test_help_shows_every_option_once_with_its_default(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call([command, "--help"]) == 0
    text = " ".join(capsys.readouterr().out.replace("│", " ").split())
    for name in scenario.OPTIONS if command == "run" else options.of_server():
        assert text.count(f" --{name.replace('_', '-')} ") == 1, name
    for words in ("thread_pool, queue full: reject", "default: 200.", "brownout[:from=S", "default: 10000."):
        assert words in text
