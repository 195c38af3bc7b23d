"""Faults in how bytes leave: joined, in pieces, late, and connections that do not last."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from infx.servers.truth.cue import Cue
from infx.servers.truth.events import data_end, is_done, split_events, tokens_of
from infx.servers.truth.http import frame
from infx.servers.truth.passing import Passing
from infx.servers.truth.reply import Outlet

Piece = tuple[bytes, int]
"""Bytes that leave in one write, and the tokens that a reader has whole with them."""


class Batch(Passing):
    """Holds events back until so many with text leave in one write, or the stream ends."""

    def __init__(self, outlet: Outlet, cue: Cue) -> None:
        super().__init__(outlet)
        self._size = int(cue.argument)
        self._events = b""
        self._texts = 0
        self._tokens = 0

    def send(self, events: bytes, tokens: int) -> None:
        """Hold the events, and send all that is held when it is enough."""
        parts = split_events(events)
        self._events += events
        self._tokens += tokens
        self._texts += sum(1 for event in parts if tokens_of(event))
        if self._texts >= self._size or any(map(is_done, parts)):
            self._flush()

    def finish(self) -> None:
        """Send what is held, and end."""
        self._flush()
        self.outlet.finish()

    def _flush(self) -> None:
        events, tokens = self._events, self._tokens
        self._events, self._texts, self._tokens = b"", 0, 0
        if events:
            self.outlet.send(events, tokens)


class Rechunked(Passing):
    """Sends chunks of the HTTP framing of so many bytes at most, wherever events end.

    The last byte of an event's data ends a chunk, so that its moment is known also where something
    behind this divides the chunks again.
    """

    def __init__(self, outlet: Outlet, cue: Cue) -> None:
        super().__init__(outlet)
        self._size = int(cue.argument)

    def send(self, events: bytes, tokens: int) -> None:
        """Send the pieces in writes of their own, at once."""
        ends = _ends(events, tokens)
        cuts = {*range(self._size, len(events), self._size), *(end for end, _ in ends)}
        for piece, carried in _divide(events, sorted(cuts - {len(events)}), ends):
            self.outlet.send(piece, carried)


class Segmented(Passing):
    """Lets each event leave in several writes, `seconds` apart and whatever follows behind them.

    `cuts` says at which offsets a framed event of a given size is cut.
    """

    def __init__(
        self, outlet: Outlet, seconds: float, cuts: Callable[[int], Iterable[int]]
    ) -> None:
        super().__init__(outlet)
        self._seconds = seconds
        self._cuts = cuts
        self._queue: deque[Callable[[], None]] = deque()
        self._pausing = False

    def send(self, events: bytes, tokens: int) -> None:
        """Queue the pieces of each event."""
        ends, start = _ends(events, tokens), 0
        for event in _whole(events):
            framed, stop = frame(event), start + len(event)
            shift = framed.index(b"\r\n") + 2 - start
            own = [(end + shift, carried) for end, carried in ends if start < end <= stop]
            self._queue_pieces(framed, own)
            start = stop

    def write(self, data: bytes, tokens: int) -> None:
        """Queue the pieces of raw bytes."""
        self._queue_pieces(data, [(len(data), tokens)])

    def finish(self) -> None:
        """Queue the end."""
        self._put(self.outlet.finish)

    def close(self) -> None:
        """Queue the close."""
        self._put(self.outlet.close)

    def abort(self) -> None:
        """Queue the reset."""
        self._put(self.outlet.abort)

    def _queue_pieces(self, data: bytes, ends: list[tuple[int, int]]) -> None:
        for piece, carried in _divide(data, self._cuts(len(data)), ends):
            self._put(partial(self.outlet.write, piece, carried))

    def _put(self, call: Callable[[], None]) -> None:
        self._queue.append(call)
        if not self._pausing:
            self._next()

    def _next(self) -> None:
        self._pausing = bool(self._queue)
        if self._queue:
            self._queue.popleft()()
            asyncio.get_running_loop().call_later(self._seconds, self._next)


def split(outlet: Outlet, cue: Cue) -> Outlet:
    """Cut each event in two at a drawn byte."""
    return Segmented(outlet, float(cue.argument), lambda size: _one_cut(cue, size))


def _one_cut(cue: Cue, size: int) -> Iterator[int]:
    yield 1 + cue.chance.below(size - 1)


def trickle(outlet: Outlet, cue: Cue) -> Outlet:
    """Let each byte leave on its own."""
    return Segmented(outlet, float(cue.argument), lambda size: range(1, size))


class KeepAliveCut(Passing):
    """Promises a connection that is kept, and closes it: at once after the answer, or idle."""

    def __init__(self, outlet: Outlet, idle_s: float | None) -> None:
        super().__init__(outlet)
        self._idle_s = idle_s

    def finish(self) -> None:
        """End the answer, then the connection."""
        self.outlet.finish()
        if self._idle_s is None:
            self.outlet.close()
        else:
            self.outlet.close_idle(self._idle_s)


def _whole(events: bytes) -> list[bytes]:
    """Return the events of a write, or the write itself where it is but a part of some."""
    parts = split_events(events)
    return parts if b"".join(parts) == events else [events]


def _ends(events: bytes, tokens: int) -> list[tuple[int, int]]:
    """Return offset and tokens of the last byte of data of each event in a write.

    A part of an event that carries tokens ends with that byte.
    """
    parts = split_events(events)
    if b"".join(parts) != events:
        return [(len(events), tokens)]
    ends, start = [], 0
    for event in parts:
        ends.append((start + data_end(event), tokens_of(event)))
        start += len(event)
    return ends


def _divide(data: bytes, cuts: Iterable[int], ends: list[tuple[int, int]]) -> Iterator[Piece]:
    """Cut the data; an event's tokens go with the piece that ends its data."""
    start = 0
    for stop in (*cuts, len(data)):
        yield data[start:stop], sum(tokens for end, tokens in ends if start < end <= stop)
        start = stop
