"""Decodes answers beside the load: in slices, so that no socket read waits long for it."""

import asyncio
from collections import deque
from collections.abc import Callable

from infx.model.record import Issue, RequestRecord
from infx.wire.answer import AnswerDecoder
from infx.wire.connection import Exchange

SLICE_NS = 200_000


class Decoding:
    """The exchanges that are open, and those of them that wait to be decoded.

    `keep` gets the record of each exchange once it has ended and all of it is decoded; `on_rest` is
    called whenever nothing waits any more. `late_ns` tells how late a read may have been. `said`
    has the messages that were kept, by request, until someone takes them; `keep` may.
    """

    def __init__(
        self,
        now: Callable[[], int],
        keep: Callable[[RequestRecord], None],
        on_rest: Callable[[], None],
        late_ns: Callable[[int], int],
    ) -> None:
        self._now = now
        self._keep = keep
        self._on_rest = on_rest
        self._late_ns = late_ns
        self._open: dict[Exchange, tuple[Issue, AnswerDecoder]] = {}
        self._waiting: deque[Exchange] = deque()
        self._slice_due = False
        self.said: dict[int, bytes] = {}

    def __len__(self) -> int:
        """How many exchanges have no record yet."""
        return len(self._open)

    def begin(
        self, exchange: Exchange, issue: Issue, *, keep_text: bool, keep_message: bool = False
    ) -> None:
        """Take an exchange in."""
        decoder = AnswerDecoder(exchange, keep_text=keep_text, keep_message=keep_message)
        self._open[exchange] = (issue, decoder)

    def forget(self, exchange: Exchange) -> Issue:
        """Let go of an exchange that gets no record, and return what it was issued for."""
        issue, _ = self._open.pop(exchange)
        return issue

    def soon(self, exchange: Exchange) -> None:
        """Decode what an exchange holds, in one of the next turns of the loop."""
        self._waiting.append(exchange)
        self._schedule()

    def _schedule(self) -> None:
        if not self._slice_due:
            self._slice_due = True
            asyncio.get_running_loop().call_soon(self._slice)

    def _slice(self) -> None:
        self._slice_due = False
        deadline = self._now() + SLICE_NS
        while self._waiting:
            if self._decode(self._waiting[0], deadline):
                self._waiting.popleft()
            if self._waiting and self._now() >= deadline:
                self._schedule()
                return
        self._on_rest()

    def _decode(self, exchange: Exchange, deadline_ns: int) -> bool:
        opened = self._open.get(exchange)
        if opened is None:  # asked for as large and as ended; the first of the two did it all
            return True
        issue, decoder = opened
        if not decoder.step(self._now, deadline_ns):
            return False
        if exchange.end_ns is not None:
            del self._open[exchange]
            if decoder.keep_message:
                self.said[issue.request] = decoder.message()
            self._keep(decoder.record(issue, self._late_ns))
        return True
