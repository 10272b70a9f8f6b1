from __future__ import annotations

from pathlib import Path

import pytest
from machine_files import lay

from parkbench import control_group

V2 = {
    "proc/self/cgroup": "0::/outer/inner\n",
    "sys/fs/cgroup/cpu.stat": "usage_usec 9\n",
    "sys/fs/cgroup/outer/cpu.stat": "usage_usec 5\nnr_throttled 7\nthrottled_usec 1500000\n",
    "sys/fs/cgroup/outer/inner/cpu.stat": "usage_usec 5\nthrottled_usec 20\n",
    "sys/fs/cgroup/outer/cpu.max": "150000 100000\n",
    "sys/fs/cgroup/outer/inner/cpu.max": "max 100000\n",
    "sys/fs/cgroup/outer/memory.max": "536870912\n",
    "sys/fs/cgroup/outer/inner/memory.max": "max\n",
}
V1 = {
    "proc/self/cgroup": "4:memory:/box\n2:cpuacct:/\n1:cpu,cpuacct:/box\n0::/\n",
    "sys/fs/cgroup/cpu/box/cpu.stat": "nr_periods 10\nnr_throttled 2\nthrottled_time 2500000000\n",
    "sys/fs/cgroup/cpu/cpu.stat": "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n",
    "sys/fs/cgroup/cpu/box/cpu.cfs_quota_us": "50000\n",
    "sys/fs/cgroup/cpu/box/cpu.cfs_period_us": "100000\n",
    "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
    "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
    "sys/fs/cgroup/memory/box/memory.limit_in_bytes": "268435456\n",
    "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
}


def test_version_2_whose_limit_stands_one_level_up(tmp_path: Path) -> None:
    root = lay(tmp_path, V2)
    assert control_group.throttled_s(root) == pytest.approx(1.5)
    assert control_group.cpu_quota(root) == pytest.approx(1.5)
    assert control_group.memory_limit_mib(root) == 512.0


def test_version_1(tmp_path: Path) -> None:
    root = lay(tmp_path, V1)
    assert control_group.throttled_s(root) == pytest.approx(2.5)
    assert control_group.cpu_quota(root) == pytest.approx(0.5)
    assert control_group.memory_limit_mib(root) == 256.0


def test_no_limit(tmp_path: Path) -> None:
    root = lay(tmp_path, {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.stat": "usage_usec 9\nthrottled_usec 0\n"})
    assert control_group.throttled_s(root) == 0.0
    assert control_group.cpu_quota(root) is None
    assert control_group.memory_limit_mib(root) is None


def test_a_machine_that_tells_nothing(tmp_path: Path) -> None:
    assert control_group.throttled_s(tmp_path) is None
    assert control_group.cpu_quota(tmp_path) is None
    assert control_group.memory_limit_mib(tmp_path) is None


def test_the_group_of_this_very_process_can_be_read() -> None:
    assert (control_group.throttled_s() or 0.0) >= 0.0
    assert (control_group.cpu_quota() or 1.0) > 0.0
    assert (control_group.memory_limit_mib() or 1.0) > 0.0
