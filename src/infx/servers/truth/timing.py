"""When answers go out. Here: by the script. `engine` is the other way."""

from collections.abc import Callable
from typing import Protocol

from infx.clock import NS, Clock
from infx.servers.truth.ask import Ask
from infx.servers.truth.pace import Pacer
from infx.servers.truth.reply import Reply
from infx.servers.truth.script import Script


class Timing(Protocol):
    """Admits replies and lets them emit. `kv_usage` is None where there is no KV pool."""

    @property
    def running(self) -> int:
        """How many requests are admitted and unfinished."""

    @property
    def waiting(self) -> int:
        """How many requests are in the queue."""

    @property
    def kv_usage(self) -> float | None:
        """The share of the KV pool that running requests hold."""

    def check(self, ask: Ask) -> None:
        """Raise Refusal for a request that can never be served."""

    def accept(self, reply: Reply) -> None:
        """Take charge of a reply."""

    def forget(self, reply: Reply) -> None:
        """Free what a dropped reply held."""


class Scripted:
    """Every request is admitted at once; its writes leave on absolute due moments.

    Write n (from 0) is due at `received + ttft + n * events_per_write * itl` and carries
    `events_per_write` chunks of `tokens_per_chunk` tokens. An answer that is not streamed leaves
    when its last chunk is due. Load changes nothing, and lateness does not add up.
    """

    waiting = 0
    kv_usage = None

    def __init__(self, script: Script, pacer: Pacer, clock: Clock) -> None:
        self._ttft_ns = round(script.ttft_s * NS)
        self._gap_ns = round(script.itl_s * script.events_per_write * NS)
        self._events = script.events_per_write
        self._pacer = pacer
        self._clock = clock
        self._open: set[Reply] = set()

    @property
    def running(self) -> int:
        """How many answers are unfinished."""
        return len(self._open)

    def check(self, ask: Ask) -> None:
        """Refuse nothing."""

    def accept(self, reply: Reply) -> None:
        """Admit the reply and pace its writes."""
        reply.admit(self._clock.now(), None)
        self._open.add(reply)
        due = reply.received_ns + self._ttft_ns
        self._pacer.at(due, self._steps(reply, due))

    def forget(self, reply: Reply) -> None:
        """Stop counting a dropped reply; its next step finds it ended."""
        self._open.discard(reply)

    def _steps(self, reply: Reply, first_due: int) -> Callable[[], int | None]:
        due = first_due

        def step() -> int | None:
            nonlocal due
            if not reply.emit(self._events):
                self._open.discard(reply)
                return None
            due += self._gap_ns
            return due

        return step
