"""Facts of the host that a number depends on. What cannot be read is null."""

import os
import platform
import sys
from pathlib import Path, PurePosixPath

from pydantic import JsonValue


def facts(root: Path = Path("/")) -> dict[str, JsonValue]:
    """Return the facts of this host; `root` is where `proc` and `sys` are mounted.

    `usable_cores` are those that this process may run on, `cgroup_cpu_limit` is in cores,
    `memory_bytes` is all memory, `load_average` is over 1, 5 and 15 minutes,
    `cpu_governor` lists each one in use.
    """
    machine = os.uname()
    return {
        "cpu_model": _cpu_model(root),
        "logical_cores": os.cpu_count(),
        "usable_cores": _usable_cores(),
        "cgroup_cpu_limit": _cgroup_cpu_limit(root),
        "cpu_governor": _governor(root),
        "memory_bytes": _memory(root),
        "load_average": _load_average(),
        "kernel": machine.release,
        "platform": f"{sys.platform}-{machine.machine}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }


def cores(root: Path = Path("/")) -> int:
    """Return how many processes can keep a core busy here: usable ones, within the quota."""
    usable = _usable_cores() or os.cpu_count() or 1
    limit = _cgroup_cpu_limit(root)
    return max(1, usable if limit is None else min(usable, int(limit)))


def cpu_waited_us(root: Path = Path("/")) -> int | None:
    """Return for how many microseconds since the boot any task of this host waited for a core.

    None where the kernel does not count it (Linux before 4.20, or without PSI).
    """
    for line in (_read(root / "proc/pressure/cpu") or "").splitlines():
        kind, _, rest = line.partition(" ")
        figure = rest.rpartition("total=")[2]
        if kind == "some" and figure.isdecimal():
            return int(figure)
    return None


def _read(path: Path) -> str | None:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return None


def _field(text: str | None, name: str) -> str | None:
    """Return the value of the first `name : value` line."""
    for line in (text or "").splitlines():
        key, colon, value = line.partition(":")
        if colon and key.strip() == name:
            return value.strip() or None
    return None


def _cpu_model(root: Path) -> str | None:
    return _field(_read(root / "proc/cpuinfo"), "model name")


def _usable_cores() -> int | None:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else None


def _memory(root: Path) -> int | None:
    stated = _field(_read(root / "proc/meminfo"), "MemTotal")
    if stated is not None and stated.endswith(" kB"):
        return int(stated.removesuffix(" kB")) * 1024
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return None


def _load_average() -> list[JsonValue] | None:
    try:
        return list(os.getloadavg())
    except OSError:
        return None


def _governor(root: Path) -> str | None:
    files = (root / "sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor")
    found = {text for text in map(_read, files) if text}
    return ", ".join(sorted(found)) or None


def _cgroup_cpu_limit(root: Path) -> float | None:
    """Return the tightest quota on the way from this process's group up to the root, in cores."""
    limits: list[float] = []
    for line in (_read(root / "proc/self/cgroup") or "").splitlines():
        _, controllers, group = line.split(":", 2)
        if controllers == "":
            limits += _limits(root / "sys/fs/cgroup", group, version=2)
        elif "cpu" in controllers.split(","):
            limits += _limits(root / "sys/fs/cgroup/cpu", group, version=1)
    return min(limits, default=None)


def _limits(mount: Path, group: str, *, version: int) -> list[float]:
    found = []
    path = PurePosixPath("/", group)
    for level in (path, *path.parents):
        folder = mount / str(level).lstrip("/")
        if version == 2:
            words = (_read(folder / "cpu.max") or "").split()
        else:
            names = ("cpu.cfs_quota_us", "cpu.cfs_period_us")
            words = [text for name in names if (text := _read(folder / name))]
        if len(words) == 2 and words[0] not in ("max", "-1"):
            found.append(int(words[0]) / int(words[1]))
    return found
