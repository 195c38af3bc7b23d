"""Virtual time as coarse as a real loop's."""

import asyncio
from typing import Any

from infx.clock import VirtualTimeLoop


class CoarseLoop(VirtualTimeLoop):
    """Its timers count whole milliseconds and come up early, as uvloop's may; looking costs 1 us.

    So its time goes on while something is called turn by turn.
    """

    timer_grain_ns = 1_000_000

    def now(self) -> int:
        self._virtual_now += 1000
        return super().now()

    def call_later(self, delay: float, *args: Any, **more: Any) -> asyncio.TimerHandle:
        return super().call_later(int(delay * 1000) / 1000, *args, **more)
