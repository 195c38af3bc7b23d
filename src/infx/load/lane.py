"""One of the slots that always hold a live session."""

import asyncio
from collections.abc import Iterator

from infx.wire.connection import Connection


class Lane:
    """A lane's connection, the rest of its session, and the turn that it sent last.

    `due_ns` is when the plan wants its next turn sent; `timer` waits for that moment.
    """

    __slots__ = ("connection", "due_ns", "index", "number", "timer", "turns")

    def __init__(self, index: int) -> None:
        self.index = index
        self.connection: Connection | None = None
        self.turns: Iterator[int] = iter(())
        self.number = 0
        self.due_ns = 0
        self.timer: asyncio.TimerHandle | None = None
