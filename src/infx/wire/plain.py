"""Reads that need no parser: whole HTTP chunks with one event each that differ in text alone.

Servers send nearly all of an answer so, a chunk in a read when they pace it, else many.
"""

from array import array

from infx.wire.mould import LINE_END, mould_of, plain_text

_EVENT_END = b"\n\n"
_CHUNK_END = b"\r\n"
_QUOTE = b'"'
_SIZES = (b"%x\r\n", b"%X\r\n")


class PlainReads:
    """Knows the plain reads of an answer by one that was parsed, and keeps their `moments`.

    It is `ready` while it knows one, and all that was read ends with a chunk and with an event.
    """

    __slots__ = ("_after", "_before", "_heads", "_known", "_line", "moments", "ready")

    def __init__(self) -> None:
        self._line = self._before = self._after = b""
        self._heads: dict[int, bytes] = {}
        self._known = 0
        self.ready = False
        self.moments = array("q")

    def learn(self, read: bytes, payload: bytes) -> None:
        """Take the last chunk of a parsed read as the model; `payload` is what the read brought.

        Where the payload ends with an event, the line end behind that in the read is HTTP's, and
        ends a chunk. And where another event or nothing stands before its last event, a size that
        stands there in the read is HTTP's.
        """
        self.ready = payload.endswith(_EVENT_END) and read.endswith(_EVENT_END + _CHUNK_END)
        piece = payload[: -len(_EVENT_END)].rpartition(_EVENT_END)[2]
        plain = plain_text(piece) if self.ready and LINE_END not in piece else None
        mould = mould_of(piece, plain[0]) if plain else None
        event = piece + _EVENT_END
        sizes = (one for one in _SIZES if read.endswith(one % len(event) + event + _CHUNK_END))
        if mould and (line := next(sizes, None)):
            before, after = mould
            self._line, self._before, self._heads = line, before[: -len(_QUOTE)], {}
            self._after = after + _EVENT_END + _CHUNK_END
        self.ready = self.ready and bool(self._after)

    def take(self, read: bytes, moment: int) -> bool:
        """Keep the moment of each chunk of a read, where all of it is plain; return whether."""
        chunks = read.split(self._after)
        if chunks.pop():
            return False
        heads = self._heads
        for chunk in chunks:
            head, _, text = chunk.rpartition(_QUOTE)
            if LINE_END in text or head != (heads.get(len(chunk)) or self._head(len(chunk))):
                return False
        self.moments.extend([moment] * len(chunks))
        return True

    def helped(self) -> bool:
        """Return whether a read was plain since this was asked last."""
        known, self._known = self._known, len(self.moments)
        return known < self._known

    def _head(self, size: int) -> bytes:
        """Return how a chunk begins that has `size` bytes up to the end of its text.

        None begins with more bytes than it has.
        """
        head = bytes(size + 1)
        for digits in range(1, 8):
            payload = size + len(self._after) - digits - 2 * len(_CHUNK_END)
            line = self._line % max(payload, 0)
            if len(line) == digits + len(_CHUNK_END):
                if len(line + self._before + _QUOTE) < size:
                    head = line + self._before
                break
        self._heads[size] = head
        return head
