from __future__ import annotations

import json
import os
import platform

import pytest

from parkbench import environment


def test_everything_a_reader_needs_is_disclosed() -> None:
    found = environment.describe({"provider": "system", "version": "18.3", "settings": {"fsync": "off"}}, ["parkbench"])
    needed = {
        "machine", "cpu_model", "cpus", "cpus_usable", "cpu_governor", "cpu_shared_by_session",
        "memory_mib", "kernel", "system", "mitigations",
        "python", "python_implementation", "parkbench", "build", "postgres", "limits", "command",
    }  # fmt: skip
    assert set(found) == needed
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
