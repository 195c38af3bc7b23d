"""Runs a flow on the fast event loop, and turns signals into the brake."""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from typing import TypeVar

from infx.clock import event_loop
from infx.errors import Interrupted
from infx.flows.point import Brake

T = TypeVar("T")


def run(flow: Callable[[Brake], Coroutine[object, object, T]], talk: Callable[[str], None]) -> T:
    """Run a flow to its end. SIGINT or SIGTERM drain it, a second one cancels it.

    Raises Interrupted when the flow was cancelled before it had anything to drain.
    """
    brake = Brake()

    async def braked() -> T:
        loop = asyncio.get_running_loop()
        task = loop.create_task(flow(brake))

        def press() -> None:
            brake.press()
            if not brake.holding or brake.presses > 2:
                task.cancel()
            elif brake.presses == 1:
                talk("draining: no new requests; press Ctrl-C again to cancel what is open")
            else:
                talk("cancelling open requests")

        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, press)
        return await task

    with asyncio.Runner(loop_factory=event_loop) as runner:
        try:
            return runner.run(braked())
        except asyncio.CancelledError:
            raise Interrupted("interrupted") from None
