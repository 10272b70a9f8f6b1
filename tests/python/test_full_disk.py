"""No room on disk in the middle of a sweep: one sentence, exit code 1, no half file, and it goes on when there is room.

A limit of the file size makes a write fail in the middle of a line anywhere; a small file system makes the disk full.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import parkbench as pb
from parkbench import child
from parkbench.store import RunStore

SOURCES = str(Path(child.__file__).parents[1])

PROGRAM = """
import resource, sys
sys.path.insert(0, sys.argv[1])
from parkbench import cli
if int(sys.argv[2]):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
cli.main(sys.argv[3:])
"""
SWEEP = ["run", "sleep", "--models", "reactive", "--concurrency", "20", "--sleep-ms", "1", "--duration", "0.05",
         "--warmup", "0", "--transport", "direct", "--repeats", "4", "--seed", "3", "--quiet"]  # fmt: skip


def run(limit: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, SOURCES, str(limit), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def files(directory: Path) -> set[str]:
    return {str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()}


def check_interrupted(done: subprocess.CompletedProcess[str], out: Path) -> int:
    """What must hold after the disk was full; returns how many runs were kept."""
    assert done.returncode == 1, done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert f"in {out}: " in done.stderr
    assert f"make room, then go on with --resume {out}" in done.stderr
    store = RunStore.read(out)
    good = [record for record in store.runs if record["status"] == "ok"]
    assert f"{len(good)} run" in done.stderr
    assert {record["status"] for record in store.runs[len(good) :]} <= {"incomplete"}
    for name in ("runs.jsonl", "timeline.jsonl"):
        assert (out / name).read_text().endswith("\n")
        assert [json.loads(line) for line in (out / name).read_text().splitlines()]
    assert {row["run"] for row in store.timeline} == set(range(len(good)))
    expected = {"sweep.json", "runs.jsonl", "timeline.jsonl"} | {f"histograms/{n}.hlog" for n in range(len(good))}
    assert files(out) == expected
    return len(good)


def check_gone_on(out: Path) -> None:
    done = run(0, "run", "sleep", "--resume", str(out), "--quiet", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [record["status"] for record in found["runs"]] == ["ok"] * 4
    assert RunStore.read(out).is_complete
    assert pb.load(out).to_json() == found


def test_a_file_that_may_not_grow_ends_the_sweep_and_it_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run(22_000, *SWEEP, "--out", str(out))  # two or three lines
    kept = check_interrupted(done, out)
    assert 1 <= kept <= 3
    assert f"cannot save run {kept + 1} in {out}: file too large; {kept} run" in done.stderr
    check_gone_on(out)


def test_a_disk_that_is_full_ends_the_sweep_and_it_goes_on(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    # In a mount name space of its own, so that nothing is left mounted; what was on the disk is copied out at the end.
    script = """
        mount -t tmpfs -o size=84k none "$1" || exit 99
        shift
        "$@"
        code=$?
        cp -a "$DISK/out" "$COPY"
        exit $code
    """
    program = [sys.executable, "-c", PROGRAM, SOURCES, "0", *SWEEP, "--repeats", "30", "--out", str(disk / "out")]
    command = ["unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh", str(disk), *program]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DISK": str(disk), "COPY": str(tmp_path / "out")},
    )  # fmt: skip
    if done.returncode == 99 or "unshare" in done.stderr:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    shown = done.stderr.replace(str(disk / "out"), str(tmp_path / "out"))
    done = subprocess.CompletedProcess(done.args, done.returncode, done.stdout, shown)
    kept = check_interrupted(done, tmp_path / "out")
    assert kept >= 1
    assert "no space left on device" in done.stderr


def test_nothing_can_be_begun_on_a_full_disk(tmp_path: Path) -> None:
    done = run(100, *SWEEP, "--out", str(tmp_path / "out"))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "cannot write to" in done.stderr


def test_charts_that_do_not_fit_are_not_left_half(tmp_path: Path) -> None:
    """The runs fit, the picture does not."""
    done = run(40_000, *SWEEP[:-5], "--repeats", "2", "--quiet", "--out", str(tmp_path / "out"))
    assert done.returncode == 1
    assert done.stderr == f"parkbench: cannot draw into {tmp_path / 'out'}: File too large; every run in it is kept\n"
    assert RunStore.read(tmp_path / "out").is_complete
    assert not (tmp_path / "out" / "charts.png").exists()
