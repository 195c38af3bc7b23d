"""Reads that need no parser: one whole HTTP chunk with one event that differs in its text alone.

A server that paces its streams sends nearly all of an answer in such reads.
"""

from array import array
from collections.abc import Sequence

from infx.wire.mould import LINE_END, QUOTE, mould_of, plain_text

_EVENT_END = b"\n\n"
_CHUNK_END = b"\r\n"
_FRAMES = (b"%x\r\n%b\r\n", b"%X\r\n%b\r\n")


class PlainReads:
    """Knows the plain reads of an answer by one that was parsed, and keeps their `moments`.

    While it is `aligned`, what was read so far ends with a chunk and with an event.
    """

    __slots__ = ("_after", "_before", "_frame", "_heads", "aligned", "moments")

    def __init__(self) -> None:
        self._frame = self._before = self._after = b""
        self._heads: dict[int, bytes] = {}
        self.aligned = False
        self.moments = array("q")

    def align(self, read: bytes, body: bytearray) -> None:
        """Hear of a read that was parsed, and of the body with it.

        Where the body ends with an event, the line end behind that is HTTP's, and ends a chunk.
        """
        self.aligned = read.endswith(_EVENT_END + _CHUNK_END) and body.endswith(_EVENT_END)

    def learn(self, read: bytes, payload: bytes) -> None:
        """Take a parsed read and what it brought of the body as the model of those to come."""
        frame = next((one for one in _FRAMES if one % (len(payload), payload) == read), None)
        piece = payload.removesuffix(_EVENT_END)
        plain = plain_text(piece) if frame and b"\n" not in piece else None
        mould = mould_of(piece, plain[0]) if plain else None
        if frame is not None and mould is not None:
            self._frame, self._heads = frame.partition(b"%b")[0], {}
            self._before, self._after = mould[0], mould[1] + _EVENT_END + _CHUNK_END

    def count(self, reads: Sequence[bytes], start: int) -> int:
        """Return how many reads from `start` on are plain, up to the first that is not.

        Such a read is a chunk of the size that it names, with an event of the model's mould.
        """
        heads, after = self._heads, self._after
        if not after:
            return 0
        back = -len(after)
        for position in range(start, len(reads)):
            read = reads[position]
            size = len(read)
            head = heads.get(size) or self._head(size)
            text = read[len(head) : back]
            if (
                QUOTE in text
                or LINE_END in text
                or not read.startswith(head)
                or not read.endswith(after)
            ):
                return position - start
        return len(reads) - start

    def _head(self, size: int) -> bytes:
        """Return how a plain read of so many bytes begins; none begins with more than its own."""
        head = bytes(size + 1)
        for digits in range(1, 8):
            payload = size - digits - 2 * len(_CHUNK_END)
            line = self._frame % max(payload, 0)
            if len(line) == digits + len(_CHUNK_END) and payload > len(self._before + self._after):
                head = line + self._before
        self._heads[size] = head
        return head
