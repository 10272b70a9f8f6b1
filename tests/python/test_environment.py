from __future__ import annotations

import json
import os
import platform
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from parkbench import environment
from parkbench.errors import ConfigError

FIT = {"version": "0.1.0", "build_type": "Release", "sanitizer": "none", "assertions": False}


def test_everything_a_reader_needs_is_disclosed() -> None:
    found = environment.describe({"provider": "system", "version": "18.3", "settings": {"fsync": "off"}}, ["parkbench"])
    needed = {path.split(".")[1] for path in environment.REQUIRED if path.startswith("environment.")}
    assert set(found) == needed - {"placement"} | {"postgres"}  # where processes ran is the sweep's to say
    assert found["kernel"] == os.uname().release
    assert found["python"] == platform.python_version()
    assert found["postgres"]["settings"] == {"fsync": "off"}
    assert found["limits"]["open_files"]["soft"] > 0
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "--database", "postgresql://me:s3c/re@t@host/db"],
        ["run", "--database=postgresql://me:s3c/re@t@host/db"],
        ["run", "--database", "host=x password='s3c re@t'"],
    ],
)
def test_the_command_line_shows_no_password(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["parkbench", *arguments])
    shown = " ".join(environment.command_line())
    assert "s3c" not in shown
    assert "re@t" not in shown
    assert "***" in shown


def test_the_machine_tells_what_it_can() -> None:
    assert environment.huge_pages() in (None, "always", "madvise", "never")
    assert environment.aslr() in (None, 0, 1, 2)
    assert environment.turbo() in (None, True, False)
    swap = environment.swap_mib()
    assert swap is None or 0 <= swap["used"] <= swap["total"]
    assert environment.clock_source() != ""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sanitizer": "thread"}, "a build with the sanitizer thread"),
        ({"build_type": "Debug"}, "a debug build"),
        ({"assertions": True}, "a build with assertions"),
    ],
)
def test_a_build_that_is_not_for_use_is_refused(change: dict[str, Any], words: str) -> None:
    environment.check_build(FIT, {})
    with pytest.raises(ConfigError) as error:
        environment.check_build({**FIT, **change}, {})
    assert words in str(error.value)
    assert "PARKBENCH_ALLOW_DEBUG=1" in str(error.value)
    environment.check_build({**FIT, **change}, {"PARKBENCH_ALLOW_DEBUG": "1"})
    with pytest.raises(ConfigError):
        environment.check_build({**FIT, **change}, {"PARKBENCH_ALLOW_DEBUG": "0"})


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(folder), *identity, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_commit_of_a_checkout_and_of_nobody_elses(tmp_path: Path) -> None:
    package = tmp_path / "python" / "parkbench"
    package.mkdir(parents=True)
    git(tmp_path, "init", "-q")
    (tmp_path / "a").write_text("1")
    git(tmp_path, "add", "a")
    git(tmp_path, "commit", "-q", "-m", "first")
    assert environment.commit(package) is None  # a project that merely holds parkbench
    (package / "_version.py").write_text("")
    head = git(tmp_path, "rev-parse", "HEAD")
    assert environment.commit(package) == head
    (tmp_path / "a").write_text("2")
    assert environment.commit(package) == head + "+changes"
    assert environment.commit(tmp_path / "lib" / "site-packages" / "parkbench") is None
    own = environment.commit()
    assert own is None or re.fullmatch(r"[0-9a-f]{40}(\+changes)?", own)


def test_what_can_sway_a_result_is_told() -> None:
    quiet = {"cpu_shared_by_session": True, "cpu_governor": None, "swap_mib": {"total": 5, "used": 0}}
    assert environment.cautions(quiet) == []
    assert "sched_autogroup_enabled=0" in environment.cautions(quiet, own_server=True)[0]
    assert environment.cautions({"cpu_governor": "performance", "swap_mib": None}) == []
    loud = {"cpu_governor": "powersave", "swap_mib": {"total": 5, "used": 4}, "cpu_quota": 1.5}
    told = environment.cautions(loud)
    assert len(told) == 3
    assert "governor powersave" in told[0]
    assert "4 MiB are swapped out" in told[1]
    assert "1.5 CPUs" in told[2]
