"""The one place that owns time.

All moments are integer nanoseconds of one monotonic clock, the same for every process of a host;
one anchor ties them to the wall clock. `VirtualTimeLoop` runs an hour of load in seconds: its time
jumps to the next timer whenever nothing is ready.
"""

import asyncio
import selectors
import time
from collections.abc import Callable
from typing import Any, Protocol

NS = 1_000_000_000


class Clock(Protocol):
    """A source of moments. Timers of its loop may be late by `timer_grain_ns` when it is idle."""

    timer_grain_ns: int

    def now(self) -> int:
        """Monotonic nanoseconds, the same clock for every process of the host."""

    def wall(self) -> int:
        """Nanoseconds since the Unix epoch."""


class SystemClock:
    """The host's CLOCK_MONOTONIC and CLOCK_REALTIME."""

    timer_grain_ns = 1_000_000
    now = staticmethod(time.monotonic_ns)
    wall = staticmethod(time.time_ns)


def cpu_ns() -> int:
    """Return how long all threads of this process have kept a core busy so far."""
    return time.process_time_ns()


def event_loop() -> asyncio.AbstractEventLoop:
    """Return a new event loop: uvloop's, or asyncio's own where uvloop is not built."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
    return loop


class _JumpingSelector(selectors.DefaultSelector):
    """Polls without waiting, and moves the loop's time instead."""

    def __init__(self, jump: Callable[[float], None]) -> None:
        super().__init__()
        self._jump = jump

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout is None:
            raise RuntimeError("virtual time stands still: nothing is scheduled")
        if not ready and timeout:
            self._jump(timeout)
        return ready


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop and clock whose time moves only by jumping to the next timer."""

    timer_grain_ns = 0

    def __init__(self, wall_start: int = 1_800_000_000 * NS) -> None:
        self._virtual_now = NS
        self._wall_start = wall_start
        super().__init__(_JumpingSelector(self._advance))
        # A timer runs in the turn of its own moment, never early with a neighbour's.
        self._clock_resolution: Any = 1e-9

    def _advance(self, seconds: float) -> None:
        self._virtual_now += max(1, round(seconds * NS))

    def time(self) -> float:
        """Seconds of virtual time, as asyncio's timers expect them."""
        return self._virtual_now / NS

    def now(self) -> int:
        """Virtual monotonic nanoseconds."""
        return self._virtual_now

    def wall(self) -> int:
        """Virtual nanoseconds since the Unix epoch."""
        return self._wall_start + self._virtual_now
