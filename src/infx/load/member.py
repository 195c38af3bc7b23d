"""One shard as its crew knows it."""

import asyncio

from infx.load.orders import Done, Failed, Order, Ready, order_line
from infx.load.progress import Progress
from infx.load.rules import Failures
from infx.process import Worker


class Member:
    """A shard: its process, what it told last, and what is expected of it.

    `failure` is why nothing more comes from it.
    """

    def __init__(self, index: int, worker: Worker) -> None:
        self.index = index
        self.worker = worker
        self.listener: asyncio.Task[None] | None = None
        self.writer: asyncio.StreamWriter | None = None
        self.ready: asyncio.Future[Ready | Failed]
        self.done: asyncio.Future[Done | Failed]
        self.progress: Progress | None = None
        self.failures = Failures()
        self.failure: Failed | None = None
        self.begin()

    def begin(self) -> None:
        """Expect reports of a new run."""
        loop = asyncio.get_running_loop()
        self.ready, self.done = loop.create_future(), loop.create_future()
        self.progress = None
        if self.failure is not None:
            self.fail(self.failure)

    def tell(self, order: Order) -> None:
        """Send an order; one that is gone does not hear it."""
        if self.writer is not None and self.failure is None:
            self.writer.write(order_line(order))

    def leave(self) -> None:
        """Hear nothing more, and tell the shard to end."""
        if self.listener is not None:
            self.listener.cancel()
        self.worker.leave()
        if self.writer is not None:
            self.writer.transport.abort()

    def fail(self, failure: Failed) -> None:
        """Take a failure for the answer to everything that is still expected."""
        self.failure = self.failure or failure
        for expected in (self.ready, self.done):
            if not expected.done():
                expected.set_result(failure)
