"""Reads that need no parser: whole HTTP chunks with one event each that differ in text alone.

Servers send nearly all of an answer so, a chunk in a read when they pace it, else many.
"""

from array import array
from collections.abc import Sequence

from infx.wire.mould import LINE_END, mould_of, plain_text

_EVENT_END = b"\n\n"
_CHUNK_END = b"\r\n"
_QUOTE = b'"'
_SIZES = (b"%x\r\n", b"%X\r\n")


class PlainReads:
    """Knows the plain reads of an answer by one that was parsed, and keeps their `moments`.

    While it is `aligned`, what was read so far ends with a chunk and with an event.
    """

    __slots__ = ("_after", "_before", "_heads", "_line", "aligned", "moments")

    def __init__(self) -> None:
        self._line = self._before = self._after = b""
        self._heads: dict[int, bytes] = {}
        self.aligned = False
        self.moments = array("q")

    def align(self, read: bytes, body: bytearray) -> None:
        """Hear of a read that was parsed, and of the body with it.

        Where the body ends with an event, the line end behind that is HTTP's, and ends a chunk.
        """
        self.aligned = read.endswith(_EVENT_END + _CHUNK_END) and body.endswith(_EVENT_END)

    def learn(self, read: bytes, payload: bytes) -> None:
        """Take the last chunk of a parsed read as the model; `payload` is what the read brought.

        In the body, another event or nothing stands before an event; so a size there was HTTP's.
        """
        piece = payload.removesuffix(_EVENT_END).rpartition(_EVENT_END)[2]
        plain = plain_text(piece) if LINE_END not in piece else None
        mould = mould_of(piece, plain[0]) if plain else None
        rest = piece + _EVENT_END + _CHUNK_END
        size = len(rest) - len(_CHUNK_END)
        line = next((one for one in _SIZES if read.endswith(one % size + rest)), None)
        if mould and line:
            before, after = mould
            self._line, self._before, self._heads = line, before[: -len(_QUOTE)], {}
            self._after = after + _EVENT_END + _CHUNK_END

    def take(self, reads: Sequence[bytes], start: int, times: "array[int]") -> int:
        """Keep the moments of plain reads, from `start` to the first read that is none.

        Return the position of that one. `times` are the moments of all reads.
        """
        heads, after, moments = self._heads, self._after, self.moments
        if not after:
            return start
        for position in range(start, len(reads)):
            known, moment = len(moments), times[position]
            chunks = reads[position].split(after)
            if chunks.pop():
                return position
            for chunk in chunks:
                head, _, text = chunk.rpartition(_QUOTE)
                if LINE_END in text or head != (heads.get(len(chunk)) or self._head(len(chunk))):
                    del moments[known:]
                    return position
                moments.append(moment)
        return len(reads)

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
