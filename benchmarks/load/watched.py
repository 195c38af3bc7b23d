"""Runs a client and watches its process tree from outside: CPU time and memory by moment."""

import os
import signal
import subprocess
import time
from bisect import bisect_left
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from loads import on_core

EVERY_S = 0.05
MEMORY_EVERY = 10
"""Memory is read at each tenth moment: the kernel walks all pages for it."""
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


@dataclass
class Watched:
    """What a client's process tree used. Moments are monotonic nanoseconds."""

    started_ns: int
    code: int = 0
    stdout: str = ""
    stderr: str = ""
    cpu: list[tuple[int, float]] = field(default_factory=list)
    memory: list[tuple[int, int]] = field(default_factory=list)
    killed_after_s: float | None = None

    def failure(self) -> str:
        """Return how it failed: killed, or its exit code and the last line that it said."""
        if self.killed_after_s is not None:
            return f"did not end within {self.killed_after_s:g} s"
        last = [line for line in (self.stderr or self.stdout).splitlines() if line.strip()]
        return f"exit code {self.code}: {last[-1][:200] if last else 'it said nothing'}"

    def cpu_between(self, start_ns: int, end_ns: int) -> float:
        """Return CPU seconds between two moments, linear between two readings."""
        return self._cpu_at(end_ns) - self._cpu_at(start_ns)

    def _cpu_at(self, moment_ns: int) -> float:
        index = bisect_left(self.cpu, (moment_ns, 0.0))
        if index == 0:
            return self.cpu[0][1]
        if index == len(self.cpu):
            return self.cpu[-1][1]
        (t0, c0), (t1, c1) = self.cpu[index - 1], self.cpu[index]
        return c0 + (c1 - c0) * (moment_ns - t0) / (t1 - t0)

    def memory_between(self, start_ns: int, end_ns: int) -> int | None:
        """Return the most memory (bytes, sum of PSS) that was read between two moments."""
        inside = [size for moment, size in self.memory if start_ns <= moment <= end_ns]
        return max(inside, default=None)


def watch(argv: Sequence[str], folder: Path, *, limit_s: float) -> Watched:
    """Run a client on the last core until it ends; kill it and its children after `limit_s`."""
    with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
        seen = Watched(time.monotonic_ns())
        with on_core(-1):
            process = subprocess.Popen(argv, stdout=out, stderr=err, cwd=folder)
        count = 0
        while process.poll() is None:
            tree = _tree(process.pid)
            seen.cpu.append((time.monotonic_ns(), sum(map(_cpu, tree))))
            if count % MEMORY_EVERY == 0:
                seen.memory.append((time.monotonic_ns(), sum(map(_pss, tree))))
            count += 1
            if time.monotonic_ns() - seen.started_ns > limit_s * 1e9:
                seen.killed_after_s = limit_s
                for one in _tree(process.pid, of_threads=True):
                    with suppress(ProcessLookupError):
                        os.kill(one, signal.SIGKILL)
            time.sleep(EVERY_S)
        seen.code = process.wait()
    seen.stdout = (folder / "stdout").read_text(errors="replace")
    seen.stderr = (folder / "stderr").read_text(errors="replace")
    return seen


def _tree(pid: int, *, of_threads: bool = False) -> list[int]:
    """Return a process and its descendants.

    Those that threads other than the first one started need a read for each thread; they are found
    with `of_threads`.
    """
    found = [pid]
    for one in found:
        tasks = Path(f"/proc/{one}/task")
        with suppress(OSError):
            for task in tasks.iterdir() if of_threads else (tasks / str(one),):
                found += map(int, (task / "children").read_text().split())
    return found


def _cpu(pid: int) -> float:
    """Return the CPU seconds of a process and of its children that have ended."""
    try:
        rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, rest[11:15])) * TICK_S


def _pss(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
