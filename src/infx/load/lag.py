"""How late the event loop may have been: the client's own share of every latency.

A timer is due every millisecond. While the loop is busy it is overdue, and so is every read
that waits; so a read at moment t, with the timer due since d, came up to t - d late. What a timer
of an idle loop is late by itself (libuv counts whole milliseconds) is not counted.
"""

import asyncio
import gc
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from infx.clock import NS, Clock

PERIOD_NS = 1_000_000


class LagProbe:
    """Notes every stretch of time in which the loop was late. `slowest_ns` is the longest."""

    def __init__(self, clock: Clock) -> None:
        self._now: Callable[[], int] = clock.now
        self._grain_ns = clock.timer_grain_ns
        self._due_ns = 0
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._timer: asyncio.TimerHandle | None = None
        self.slowest_ns = 0

    def start(self) -> None:
        """Begin to watch the running loop; virtual time, which has no grain, is never late."""
        if not self._grain_ns:
            return
        loop = asyncio.get_running_loop()
        self._due_ns = self._now() + PERIOD_NS + self._grain_ns
        self._timer = loop.call_later(PERIOD_NS / NS, self._check)

    def stop(self) -> None:
        """Stop watching; what was noted stays."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check(self) -> None:
        now = self._now()
        if now > self._due_ns:
            self._starts.append(self._due_ns)
            self._ends.append(now)
            self.slowest_ns = max(self.slowest_ns, now - self._due_ns)
        self.start()

    def of(self, moment_ns: int) -> int:
        """Return how many ns a read at that moment may have been late; ask for none in the future.

        Reads up to a grain after a late stretch were waiting in it.
        """
        if self._timer is not None and moment_ns > self._due_ns:
            return moment_ns - self._due_ns
        index = bisect_right(self._starts, moment_ns) - 1
        if index < 0 or moment_ns > self._ends[index] + max(self._grain_ns, 1):
            return 0
        return min(moment_ns, self._ends[index]) - self._starts[index]


@contextmanager
def no_collection() -> Iterator[None]:
    """Leave garbage alone: collecting the oldest objects stops the reads for tens of ms."""
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()
