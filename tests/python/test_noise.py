"""The sensors around a run: on a made-up /proc every figure, on the real one a hog that is seen."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from machine_files import lay, stat

from parkbench import noise, processes
from parkbench.database import open_database

OURS, HOG, KERNEL, CHILD = 100, 200, 30, 101
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def machine(
    root: Path,
    *,
    cpu: str = "1000 0 500 8000 0 0 100 0",
    ours: int = 0,
    hog: int = 0,
    kernel: int = 0,
    child: int | None = None,
    throttled: int = 0,
    pressure: tuple[int, int] = (0, 0),
    waited_ns: int = 0,
) -> Path:
    """Files of a machine of two CPUs at one moment; times of processes in ticks, pressure in microseconds."""
    me = os.getpid()
    files = {
        "proc/stat": f"cpu  {cpu} 0 0\ncpu0 1\ncpu1 1\nintr 5\n",
        f"proc/{me}/stat": stat(me, "python3", 1, ticks=(ours, 0, 0, 0)),
        f"proc/{HOG}/stat": stat(HOG, "hog", 1, ticks=(hog, 0, 0, 0)),
        f"proc/{KERNEL}/stat": stat(KERNEL, "kworker", 2, ticks=(kernel, 0, 0, 0)),
        "proc/pressure/memory": f"some avg10=0.00 avg60=0.00 avg300=0.00 total={pressure[0]}\nfull avg10=0 total=99\n",
        "proc/pressure/cpu": f"some avg10=0.00 avg60=0.00 avg300=0.00 total={pressure[1]}\n",
        "proc/self/cgroup": "0::/\n",
        "proc/self/task/1/schedstat": f"5 {waited_ns} 9\n",
        "proc/self/task/2/schedstat": f"5 {waited_ns} 9\n",
        "sys/fs/cgroup/cpu.stat": f"usage_usec 1\nthrottled_usec {throttled}\n",
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq": "2000000\n",
        "sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq": "3000000\n",
    }
    if child is not None:
        files[f"proc/{CHILD}/stat"] = stat(CHILD, "server", me, ticks=(child, 0, 0, 0), started=2)
    return lay(root, files)


@pytest.fixture
def clock() -> Any:
    """Ten seconds between two looks: 2,000 ticks of two CPUs."""
    times = iter([100.0, 110.0, 110.0])
    return times.__next__


def seen(root: Path, clock: Any, **after: Any) -> dict[str, Any]:
    machine(root)
    with noise.watching(root=root, clock=clock) as watch:
        machine(root, **after)
        return watch.read()


def test_a_quiet_machine(tmp_path: Path, clock: Any) -> None:
    found = seen(tmp_path, clock, cpu="2000 0 700 8790 0 0 100 10", ours=900, child=290)
    assert found["watched_s"] == 10.0
    assert found["steal_share"] == pytest.approx(0.005)
    assert found["foreign_cpu_share"] == 0.0
    assert found["noisy"] is False
    assert found["text"] == "quiet: steal 0.5 %, other programs used 0 % of the CPUs"
    assert found["frequency_mhz"] == 2500.0
    assert found["throttled_s"] == 0.0
    assert found["memory_pressure_share"] == 0.0


def test_a_hog_is_foreign_and_named(tmp_path: Path, clock: Any) -> None:
    found = seen(tmp_path, clock, cpu="2000 0 500 9000 0 0 100 0", hog=1000)
    assert found["foreign_cpu_share"] == pytest.approx(0.5)
    assert found["noisy"] is True
    assert found["text"].endswith("other programs used 50 % of the CPUs (limit 5 %, most of it hog)")


def test_what_our_own_tree_and_the_kernel_use_is_not_foreign(tmp_path: Path, clock: Any) -> None:
    found = seen(tmp_path, clock, cpu="2500 0 900 8100 0 0 100 0", ours=700, child=800, kernel=400)
    assert found["foreign_cpu_share"] == 0.0
    assert found["foreign_most"] is None


def test_a_process_that_was_named_is_ours(tmp_path: Path, clock: Any) -> None:
    machine(tmp_path)
    with noise.watching(root=tmp_path, clock=clock, also=[HOG]) as watch:
        machine(tmp_path, cpu="2000 0 500 9000 0 0 100 0", hog=1000)
        assert watch.read()["foreign_cpu_share"] == 0.0


def test_cpu_time_that_no_process_shows_is_foreign_beyond_what_ticks_can_tell(tmp_path: Path, clock: Any) -> None:
    """Another container: the machine is busy, nobody here is. Three standard deviations of 2,000 ticks are 0.034."""
    found = seen(tmp_path, clock, cpu="2000 0 500 9000 0 0 100 0")
    assert found["foreign_cpu_share"] == pytest.approx(0.5 - 3 * (0.25 / 2000) ** 0.5)
    within = seen(tmp_path, iter([0.0, 10.0]).__next__, cpu="1010 0 500 9990 0 0 100 0")
    assert within["foreign_cpu_share"] == pytest.approx(0.0, abs=0.003)


def test_steal_alone_makes_a_run_noisy(tmp_path: Path, clock: Any) -> None:
    found = seen(tmp_path, clock, cpu="1000 0 500 9960 0 0 100 40")
    assert found["steal_share"] == pytest.approx(0.02)
    assert found["noisy"] is True
    assert "steal 2 % (limit 1 %)" in found["text"]


def test_a_quota_pressure_and_a_wait_in_the_run_queue(tmp_path: Path, clock: Any) -> None:
    found = seen(tmp_path, clock, cpu="1000 0 500 10000 0 0 100 0", throttled=400_000, pressure=(500_000, 2_000_000),
                 waited_ns=300_000_000)  # fmt: skip
    assert found["throttled_s"] == pytest.approx(0.4)
    assert found["memory_pressure_share"] == pytest.approx(0.05)
    assert found["cpu_pressure_share"] == pytest.approx(0.2)
    assert found["run_queue_delay_s"] == pytest.approx(0.6)
    assert found["noisy"] is False  # told, but limits of the user's own are no noise
    assert "quota held the run back for 0.4 s" in found["text"]
    assert "waited for memory 5 % of the time" in found["text"]


def test_what_the_server_counted_within_the_window_comes_first(tmp_path: Path, clock: Any) -> None:
    machine(tmp_path)
    with noise.watching(root=tmp_path, clock=clock) as watch:
        own = {"run_queue_delay_s": 0.25, "involuntary_switches": 7, "major_faults": 3, "rounds": 1}
        found = watch.read(own)
    assert (found["run_queue_delay_s"], found["involuntary_switches"], found["major_faults"]) == (0.25, 7, 3)
    assert "rounds" not in found
    assert "3 page faults had to wait for the disk" in found["text"]
    with noise.watching(root=tmp_path, clock=iter([0.0, 1.0]).__next__) as watch:
        assert watch.read({"run_queue_delay_s": None})["run_queue_delay_s"] == 0.0


def test_a_machine_that_tells_nothing_is_not_noisy(tmp_path: Path, clock: Any) -> None:
    with noise.watching(root=tmp_path, clock=clock) as watch:
        found = watch.read()
    for key in ("steal_share", "foreign_cpu_share", "memory_pressure_share", "throttled_s", "frequency_mhz"):
        assert found[key] is None, key
    assert found["noisy"] is False
    assert noise.judge({}) == {"noisy": False, "text": "no sensor could be read"}


def test_the_clock_of_a_virtual_machine_stands_in_cpuinfo(tmp_path: Path) -> None:
    lay(tmp_path, {"proc/cpuinfo": "processor : 0\ncpu MHz\t\t: 2596.1\nprocessor : 1\ncpu MHz\t\t: 2600.1\n"})
    assert noise.frequency_mhz(tmp_path) == pytest.approx(2598.1)


def test_a_real_hog_is_seen_and_a_child_of_ours_is_not() -> None:
    """The hog is started by another process, which ends: it is then nobody's child of ours."""
    spin = "import os\nwhile os.times().user < 0.5: pass"
    start = (
        "import subprocess, sys; out = subprocess.DEVNULL\n"
        f"print(subprocess.Popen([sys.executable, '-S', '-c', {spin!r}], stdout=out, stderr=out).pid)"
    )
    before = noise.look()
    started = subprocess.run([sys.executable, "-S", "-c", start], capture_output=True, text=True, check=True)
    hog = Path("/proc", started.stdout.strip())
    subprocess.run([sys.executable, "-S", "-c", spin], check=True)
    deadline = time.monotonic() + 30
    while hog.exists() and processes.read_all()[int(hog.name)].cpu_s < 0.3 and time.monotonic() < deadline:
        pass
    after = noise.look()
    found = noise.difference(before, after, [os.getpid()])
    used = found["foreign_cpu_share"] * found["watched_s"] * after.cpus
    assert used >= 0.25, found  # of the hog's half second
    everything = noise.difference(before, after, [1])
    assert everything["foreign_cpu_share"] < found["foreign_cpu_share"]


def test_the_server_behind_a_dsn_is_found() -> None:
    with open_database(None, connections=1, products=10) as database:
        assert database.server is not None
        found = noise.local_server_pid(database.dsn)
        assert found is not None
        assert Path(f"/proc/{found}/comm").read_text().strip().startswith("postgres")
        assert found == database.server.server_pid
    assert noise.local_server_pid("postgresql://nobody@127.0.0.1:1/none?sslmode=disable") is None
