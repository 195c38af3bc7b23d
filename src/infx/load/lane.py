"""One of the slots that always hold a live session."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from infx.model.record import Phase
from infx.wire.connection import Connection


@dataclass(frozen=True, slots=True)
class Manner:
    """How a turn of a session tree is asked: what the plan leaves to the play.

    `asked_output` stands in the place of the plan's own. `marker` and `headers` are bytes as
    `Target.payload` takes them, `answers` the answers of its play so far as `Plan.prompt` does.
    """

    phase: Phase
    play: int
    asked_output: int | None = None
    marker: bytes = b""
    headers: bytes = b""
    answers: Mapping[int, bytes] = field(default_factory=dict)


class Lane:
    """A lane's connection, the rest of its session, and the turn that it sent last.

    `due_ns` is when the plan wants its next turn sent; `timer` waits for that moment. `manner` is
    None where the turn is asked as the plan says.
    """

    __slots__ = ("connection", "due_ns", "index", "manner", "number", "timer", "turns")

    def __init__(self, index: int) -> None:
        self.index = index
        self.connection: Connection | None = None
        self.turns: Iterator[int] = iter(())
        self.number = 0
        self.manner: Manner | None = None
        self.due_ns = 0
        self.timer: asyncio.TimerHandle | None = None
