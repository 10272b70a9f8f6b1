"""Folders of sweeps that died together with their watcher are removed; nothing else is."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from database_support import ACCOUNTS, Traces, alive, eventually, start_owner
from test_database_watcher import finish, where

from parkbench.database import watcher
from parkbench.database.server import EmbeddedServer
from parkbench.database.stale import remove_stale


@pytest.fixture
def base() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="t", dir="/tmp"))  # short enough for a socket
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def make_folder(base: Path, name: str = "parkbench-left", marker: dict[str, object] | None = None) -> Path:
    """A folder as a sweep leaves it: by default the sweep is dead."""
    folder = base / name
    (folder / "server" / "data").mkdir(parents=True)
    content = {
        "owner_pid": os.getpid(),
        "owner_start": "1",  # this process was not started at boot, so the owner is another one
        "pid_namespace": str(Path("/proc/self/ns/pid").readlink()),
        "watcher_pid": 1,
        "uid": None,
    }
    (folder / "owner").write_text(json.dumps(content | (marker or {})), encoding="utf-8")
    return folder


@pytest.mark.parametrize("account", ACCOUNTS)
def test_the_next_start_removes_what_a_dead_sweep_left(
    account: str, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(base))
    monkeypatch.setattr(tempfile, "tempdir", None)
    owner = start_owner(account)
    folder, server_pid, watcher_pid, _ = where(owner)
    traces = Traces.of(folder)
    os.kill(server_pid, 9)  # a crash: the server leaves its segment, the watcher its folder
    eventually("the server's other processes have ended", lambda: not watcher.processes_in(folder))
    os.kill(watcher_pid, 9)
    owner.kill()
    finish(owner)
    assert f"folder {folder}" in traces.left()
    with EmbeddedServer(root_mode=None if account == "user" else account) as server:
        assert server.folder is not None
        assert server.folder.parent == base
        assert traces.left() == []


def test_owner_and_watcher_killed_takes_the_server_along(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(base))
    owner = start_owner(ACCOUNTS[0])
    folder, server_pid, watcher_pid, _ = where(owner)
    traces = Traces.of(folder)
    os.kill(watcher_pid, 9)
    owner.kill()
    eventually("the server has ended", lambda: not alive(server_pid))
    eventually("only the folder is left", lambda: traces.left() == [f"folder {folder}"])
    assert remove_stale(str(base)) == [folder]
    assert traces.left() == []
    finish(owner)


def test_a_dead_owners_folder_is_removed(base: Path) -> None:
    folder = make_folder(base)
    assert remove_stale(str(base)) == [str(folder)]
    assert not folder.exists()


@pytest.mark.parametrize(
    "marker",
    [
        pytest.param({"owner_start": watcher.process_fields(os.getpid())[19]}, id="owner alive"),
        pytest.param({"pid_namespace": "pid:[1]"}, id="another container"),
    ],
)
def test_a_living_sweeps_folder_stays(base: Path, marker: dict[str, object]) -> None:
    folder = make_folder(base, marker=marker)
    assert remove_stale(str(base)) == []
    assert folder.exists()


def test_a_folder_whose_watcher_lives_stays(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(base))
    with EmbeddedServer(root_mode=None if ACCOUNTS[0] == "user" else ACCOUNTS[0]) as server:
        assert server.folder is not None
        marker = server.folder / "owner"
        content = json.loads(marker.read_text(encoding="utf-8"))
        with marker.open("r+", encoding="utf-8") as file:  # the same file, so the same lock
            file.write(json.dumps(content | {"owner_start": "1"}).ljust(len(marker.read_bytes())))
        assert remove_stale(str(base)) == []
        assert server.folder.exists()


def test_what_is_not_ours_stays(base: Path, tmp_path: Path) -> None:
    make_folder(base, name="other-left")
    (base / "parkbench-file").write_text("x", encoding="utf-8")
    (base / "parkbench-empty").mkdir()
    (base / "parkbench-link").symlink_to(make_folder(tmp_path))
    (make_folder(base, name="parkbench-odd") / "owner").write_text("not JSON", encoding="utf-8")
    (make_folder(base, name="parkbench-list") / "owner").write_text("[1]", encoding="utf-8")
    linked = make_folder(base, name="parkbench-linked") / "owner"
    linked.rename(tmp_path / "owner")
    linked.symlink_to(tmp_path / "owner")
    before = sorted(base.rglob("*"))
    assert remove_stale(str(base)) == []
    assert sorted(base.rglob("*")) == before
    assert (tmp_path / "parkbench-left").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a folder away")
def test_another_accounts_folder_stays(base: Path) -> None:
    folder = make_folder(base)
    os.chown(folder, 12345, 12345)
    assert remove_stale(str(base)) == []
    assert folder.exists()
