"""How late the event loop may have been: the client's own share of every latency.

A timer is due every millisecond. While the loop is busy it is overdue, and so is every read
that waits; so a read at moment t, with the timer due since d, came up to t - d late. What a timer
of an idle loop is late by itself (libuv counts whole milliseconds) is not counted.

The timer may have its turn before the reads that waited as long as it, and going through many of
them makes others wait. So after a late timer the turns of the loop are watched until one is short:
what is read in a turn came after the loop looked for reads in the turn before.
"""

import asyncio
import gc
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from infx.clock import NS, Clock

PERIOD_NS = 1_000_000


class LagProbe:
    """Notes every stretch of time in which the loop was late.

    `slowest_ns` is how late a read may have been at most.
    """

    def __init__(self, clock: Clock) -> None:
        self._now: Callable[[], int] = clock.now
        self._grain_ns = clock.timer_grain_ns
        self._due_ns = 0
        self._starts = array("q")
        self._ends = array("q")
        self._waited_from = array("q")
        self._timer: asyncio.TimerHandle | None = None
        self._turned_ns: int | None = None
        self._watching = False
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
        if now > self._due_ns and not self._watching:
            self._note(self._due_ns, self._due_ns, now)
            self._watching, self._turned_ns = True, None
            asyncio.get_running_loop().call_soon(self._turn)
        self.start()

    def _turn(self) -> None:
        """See a turn of the loop begin; what it reads came after the beginning of the last one."""
        now, last = self._now(), self._turned_ns
        self._extend(now)
        if last is not None:
            self._watching = now - last > PERIOD_NS
            if self._watching:
                self._note(now, last, now)
            else:  # a timer that is still overdue held up nothing since
                self._due_ns = max(self._due_ns, now + self._grain_ns)
        self._turned_ns = now
        if self._watching:
            asyncio.get_running_loop().call_soon(self._turn)

    def _note(self, start: int, waited_from: int, end: int) -> None:
        self._starts.append(start)
        self._ends.append(end)
        self._waited_from.append(waited_from)
        self._extend(end)

    def _extend(self, end: int) -> None:
        self._ends[-1] = end
        self.slowest_ns = max(self.slowest_ns, end - self._waited_from[-1])

    def of(self, moment_ns: int) -> int:
        """Return how many ns a read at that moment may have been late; ask for none in the future.

        What is read in a late stretch may have waited from its beginning on, or from before it.
        """
        index = bisect_left(self._starts, moment_ns) - 1
        still = self._watching and index == len(self._starts) - 1
        if index >= 0 and (still or moment_ns <= self._ends[index]):
            return moment_ns - self._waited_from[index]
        overdue = self._timer is not None and not self._watching
        return max(moment_ns - self._due_ns, 0) if overdue else 0


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
