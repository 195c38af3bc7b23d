"""Calls back at due moments, or one by one, for all of a server's connections.

A timer of the loop for each write costs more than the write itself at 50,000 a second.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count

from infx.clock import NS, Clock

Step = Callable[[], int | None]
"""Does what is due, and returns the next due moment if there is one."""


class Pacer:
    """Steps in the order of their due moments, on the running loop; never early.

    `grain_ns` is the resolution of the loop's timers where they round to it (uvloop: 1 ms).
    """

    def __init__(self, clock: Clock, *, grain_ns: int = 1) -> None:
        self._clock = clock
        self._grain_ns = grain_ns
        self._heap: list[tuple[int, int, Step]] = []
        self._orders = count()
        self._timer: asyncio.Handle | None = None
        self._timer_due = 0

    def at(self, due_ns: int, step: Step) -> None:
        """Call `step` when `due_ns` has come, and again at each moment that it returns."""
        heappush(self._heap, (due_ns, next(self._orders), step))
        self._arm()

    def _wake(self) -> None:
        self._timer = None
        now = self._clock.now()
        heap, due = self._heap, []
        while heap and heap[0][0] <= now:
            due.append(heappop(heap))
        # Steps that are due again at once wait for the next turn, so that the loop can read.
        for _, order, step in due:
            following = step()
            if following is not None:
                heappush(heap, (following, order, step))
        self._arm()

    def _arm(self) -> None:
        if not self._heap:
            return
        due = self._heap[0][0]
        if self._timer is not None:
            if self._timer_due <= due:
                return
            self._timer.cancel()
        self._timer_due = due
        delay = due - self._clock.now()
        loop = asyncio.get_running_loop()
        if delay <= 0:
            self._timer = loop.call_soon(self._wake)
        else:
            whole = -(-delay // self._grain_ns) * self._grain_ns
            self._timer = loop.call_later(whole / NS, self._wake)


class Turns:
    """Calls what was added, in that order and one in a turn of the running loop.

    Reading a long prompt takes longer than receiving it; what others have sent is received in
    between, so that it has its true moment.
    """

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()

    def add(self, call: Callable[[], None]) -> None:
        """Call this in a turn of its own."""
        self._waiting.append(call)
        if len(self._waiting) == 1:
            asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        try:
            self._waiting[0]()
        finally:
            self._waiting.popleft()
            if self._waiting:
                asyncio.get_running_loop().call_soon(self._next)
