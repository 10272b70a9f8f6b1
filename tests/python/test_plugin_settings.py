"""The plugin's options: what is taken, and that bad values end pytest with one sentence and exit code 4."""

from __future__ import annotations

from typing import Any

import pytest
from plugin_support import Sessions, a_test, arguments

from parkbench.errors import ConfigError
from parkbench.plugin import settings
from parkbench.plugin.settings import Limit

pytest_plugins = ["pytester"]


def test_limits() -> None:
    assert settings.limits("o", ["response_mean_ms:10%, throughput_rps:5%", "rss_peak_mib : 2.5 %"]) == [
        Limit("response_mean_ms", 0.10), Limit("throughput_rps", 0.05), Limit("rss_peak_mib", 0.025),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "takes FIGURE:N% such as response_mean_ms:10%, not an empty text"),
        ("response_mean_ms", "takes FIGURE:N%"),
        ("response_mean_ms:10", "takes FIGURE:N%"),
        ("response_mean_ms:-10%", "takes FIGURE:N%"),
        ("response_mean_ms:0%", "above 0"),
        ("response_mean:10%", "knows no figure response_mean; did you mean response_mean_ms?"),
        ("offered_rps:10%", "knows no figure offered_rps"),
        ("cpu_s:1%,cpu_s:2%", "names cpu_s twice"),
    ],
)
def test_bad_limits(text: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        settings.limits("--parkbench-compare-fail", [text])
    assert str(caught.value).startswith("--parkbench-compare-fail ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("value", "share"), [("5%", 0.05), ("0.05", 0.05), (0.05, 0.05), (1, 1.0), (" 2.5 % ", 0.025)])
def test_thresholds(value: object, share: float) -> None:
    assert settings.threshold("threshold", value) == pytest.approx(share)


@pytest.mark.parametrize("value", [0, -0.1, "5 percent", True, None, 11, float("nan")])
def test_bad_thresholds(value: object) -> None:
    with pytest.raises(ConfigError, match="threshold takes a share such as 0.05 or 5%"):
        settings.threshold("threshold", value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--parkbench-only", "--parkbench-skip"], "leave no test to run"),
        (["--parkbench-save=../x"], "--parkbench-save takes a name of up to 64 letters"),
        (["--parkbench-save=latest"], "other than latest"),
        (["--parkbench-save", "test_speeds.py"], "write --parkbench-save behind the tests"),
        (["--parkbench-compare=a/b"], "--parkbench-compare takes a name"),
        (["--parkbench-compare-fail=speed:10%"], "knows no figure speed"),
        (["--parkbench-json=none/there.json"], "--parkbench-json takes a file in a folder that exists"),
        (["--parkbench-json=."], "--parkbench-json takes a file"),
        (["--parkbench-storage=test_speeds.py"], "is no directory"),
        (["-o", "parkbench_threshold=none"], "parkbench_threshold takes a share"),
        (["-o", "parkbench_figure=none"], "parkbench_figure knows no figure none"),
    ],
)
def test_bad_options_are_one_sentence_and_exit_4(pytester: pytest.Pytester, options: list[str], words: str) -> None:
    result = Sessions(pytester).run(a_test(), *options)
    assert result.ret == 4
    lines = [line for line in result.errlines if line.startswith("ERROR: ")]
    assert len(lines) == 1 and words in lines[0]


def test_a_folder_behind_save_is_not_its_name(pytester: pytest.Pytester) -> None:
    result = Sessions(pytester).run(a_test(), "--parkbench-save", "./tests/")
    assert result.ret == 4
    assert "write --parkbench-save behind the tests, or --parkbench-save=NAME" in result.stderr.str()


def test_the_marker() -> None:
    assert settings.of_mark((), {"threshold": "10%", "figure": "cpu_s", "confirm": False}) == {
        "threshold": 0.1, "figure": "cpu_s", "confirm": False,
    }  # fmt: skip
    wrong: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
        ((5,), {}, "takes figure, threshold and confirm by name, not 5"),
        ((), {"margin": 5}, "knows no margin"),
        ((), {"figure": "x"}, "figure of the marker parkbench knows no figure x"),
        ((), {"confirm": 3}, "takes true or false"),
    ]
    for given, named, words in wrong:
        with pytest.raises(ConfigError, match=words):
            settings.of_mark(given, named)


def test_ini_values_count_and_options_win(pytester: pytest.Pytester) -> None:
    pytester.makeini(
        "[pytest]\nparkbench_storage = kept\nparkbench_compare = main\nparkbench_strict = true\n"
        "parkbench_compare_fail =\n    cpu_s:10%\n    rss_peak_mib:5%\nparkbench_threshold = 8%\n"
    )
    found = settings.read(pytester.parseconfigure(*arguments()))
    assert found.storage == pytester.path / "kept"
    assert (found.compare, found.strict, found.threshold) == ("main", True, 0.08)
    assert [limit.figure for limit in found.fail] == ["cpu_s", "rss_peak_mib"]
    found = settings.read(
        pytester.parseconfigure(*arguments(), "--parkbench-compare", "--parkbench-compare-fail=threads_peak:1%")
    )
    assert found.compare == "latest"
    assert found.fail == (Limit("threads_peak", 0.01),)
    assert found.compares
