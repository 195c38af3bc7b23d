"""Host facts: read where they can be read, null where not, never invented."""

import json

import pytest

from infx.telemetry import host
from infx.telemetry.host import facts

KEYS = {
    "cpu_model",
    "logical_cores",
    "usable_cores",
    "cgroup_cpu_limit",
    "cpu_governor",
    "memory_bytes",
    "load_average",
    "kernel",
    "platform",
    "python",
}


def put(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_this_host_has_every_key_and_all_of_it_is_json():
    found = facts()
    assert found.keys() == KEYS
    assert json.loads(json.dumps(found)) == found
    assert isinstance(found["logical_cores"], int)
    assert found["python"].startswith(("CPython 3.", "PyPy 3."))


def test_cpu_memory_and_governor_come_from_the_kernels_files(tmp_path):
    put(
        tmp_path,
        {
            "proc/cpuinfo": "processor\t: 0\nmodel name\t: EPYC 9 : fast\nmodel name\t: other\n",
            "proc/meminfo": "MemFree:   10 kB\nMemTotal:       24731708 kB\n",
            "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance\n",
            "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance\n",
            "sys/devices/system/cpu/cpu10/cpufreq/scaling_governor": "powersave\n",
        },
    )
    found = facts(tmp_path)
    assert found["cpu_model"] == "EPYC 9 : fast"
    assert found["memory_bytes"] == 25_325_268_992
    assert found["cpu_governor"] == "performance, powersave"


def test_what_is_not_there_is_null(tmp_path, monkeypatch):
    """As on macOS: no proc, no affinity; and a host without load averages."""

    def no_load():
        raise OSError

    monkeypatch.delattr(host.os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(host.os, "getloadavg", no_load)
    found = facts(tmp_path)
    missing = {name for name, value in found.items() if value is None}
    assert missing == {
        "cpu_model",
        "usable_cores",
        "cgroup_cpu_limit",
        "cpu_governor",
        "load_average",
    }


CGROUPS = [
    ("no limit", {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000\n"}, None),
    (
        "in a container",
        {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "150000 100000\n"},
        1.5,
    ),
    (
        "the tightest of its ancestors",
        {
            "proc/self/cgroup": "0::/a/b\n",
            "sys/fs/cgroup/a/cpu.max": "200000 100000\n",
            "sys/fs/cgroup/a/b/cpu.max": "800000 100000\n",
        },
        2.0,
    ),
    (
        "version 1",
        {
            "proc/self/cgroup": "4:memory:/x\n3:cpu,cpuacct:/job\n",
            "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us": "50000\n",
            "sys/fs/cgroup/cpu/job/cpu.cfs_period_us": "100000\n",
            "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
            "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
        },
        0.5,
    ),
]


@pytest.mark.parametrize(
    ("files", "cores"), [row[1:] for row in CGROUPS], ids=[r[0] for r in CGROUPS]
)
def test_the_cgroup_limit_is_in_cores(tmp_path, files, cores):
    put(tmp_path, files)
    assert facts(tmp_path)["cgroup_cpu_limit"] == cores


@pytest.mark.parametrize(
    ("quota", "count"), [("max", 8), ("250000", 2), ("50000", 1), ("1600000", 8)]
)
def test_processes_get_whole_cores_within_the_quota(monkeypatch, tmp_path, quota, count):
    monkeypatch.setattr(host, "_usable_cores", lambda: 8)
    put(tmp_path, {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": f"{quota} 100000\n"})
    assert host.cores(tmp_path) == count


def test_waiting_for_a_core_is_told_where_the_kernel_counts_it(tmp_path):
    assert host.cpu_waited_us(tmp_path) is None
    some = "some avg10=0.00 avg60=1.50 avg300=2.00 total=837328525\n"
    put(tmp_path, {"proc/pressure/cpu": some + "full avg10=0.00 avg60=0.00 avg300=0.00 total=9\n"})
    assert host.cpu_waited_us(tmp_path) == 837_328_525
    put(tmp_path, {"proc/pressure/cpu": "some nothing\n"})
    assert host.cpu_waited_us(tmp_path) is None
