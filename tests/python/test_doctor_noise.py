"""What would disturb a sweep: each finding is told with its remedy, and silence is only kept where all is well."""

from __future__ import annotations

import pytest

from parkbench.doctor import noise
from parkbench.doctor.check import Check


def test_every_check_is_made_on_this_machine() -> None:
    found = noise.checks()
    names = ["steal", "quiet", "frequency", "turbo", "scheduling", "huge pages", "swap", "control group"]
    assert [check.name for check in found] == names
    assert all(check.state != "problem" for check in found)
    assert all(check.remedy for check in found if check.state == "note" and "cannot be read" not in check.text)


@pytest.mark.parametrize(
    ("check", "words", "remedy"),
    [
        (noise.steal({"steal_share": 0.031}), "the host took 3.1 % of the CPU time, more than 1 %", "five repeats"),
        (noise.others({"foreign_cpu_share": 0.4, "foreign_most": "hog"}), "40 % of the CPUs, most of it hog", "end"),
        (noise.governor("powersave"), "governor powersave", "cpupower frequency-set -g performance"),
        (noise.turbo(True), "a core is faster while the others idle", "no_turbo"),
        (noise.sharing(True), "by session", "sched_autogroup_enabled=0"),
        (noise.huge_pages("always"), "always on", "madvise"),
        (noise.swap({"total": 2048, "used": 100}), "100 of 2,048 MiB", "swapoff"),
        (noise.control_groups(1.5, 512.0, 0.25), "1.5 CPUs, memory 512 MiB, which held it back for 0.25 s", "cpuset"),
    ],
)
def test_what_disturbs_is_noted_with_its_remedy(check: Check, words: str, remedy: str) -> None:
    assert check.state == "note"
    assert words in check.text
    assert remedy in check.remedy


@pytest.mark.parametrize(
    "check",
    [
        noise.steal({"steal_share": 0.009}), noise.steal({}), noise.others({"foreign_cpu_share": 0.049}),
        noise.governor("performance"), noise.governor(None), noise.turbo(False), noise.turbo(None),
        noise.sharing(False), noise.huge_pages("madvise"), noise.huge_pages(None), noise.swap(None),
        noise.swap({"total": 0, "used": 0}), noise.swap({"total": 10, "used": 0}),
        noise.control_groups(None, None, 0.0), noise.control_groups(None, 512.0, None),
    ],
)  # fmt: skip
def test_what_does_not_disturb_is_fine(check: Check) -> None:
    assert check.state == "fine"
    assert not check.remedy


def test_sensors_that_cannot_be_read_are_told() -> None:
    assert noise.others({}).text == "the CPU time of other programs cannot be read"
