"""Server-sent events, read out of a growing buffer.

Line ends are LF or CRLF. A lone CR ends no line here: no inference server sends one, and accepting
it would make the end of a line depend on the byte after it.
"""

from typing import NamedTuple


class Event(NamedTuple):
    """One event: its type (`message` when unnamed), its data, and where its data ended.

    `end` is the offset just past the last byte of its last data line, before the line end;
    `next` is the offset at which the following event begins.
    """

    kind: bytes
    data: bytes
    end: int
    next: int


def next_event(buffer: bytearray, start: int, *, closed: bool = False) -> Event | None:
    """Return the first event at or after `start` that carries data, or None if none is whole yet.

    Comments and events without data are passed over. With `closed` the buffer will not grow: what
    stands there is taken as whole even where its last line ends or its blank line are missing.
    """
    kind = b"message"
    data: bytes | None = None
    end = start
    position = start
    while True:
        line_end = buffer.find(b"\n", position)
        if line_end < 0:
            if not closed or position >= len(buffer):
                break
            line_end = len(buffer)
        stop = line_end - 1 if buffer[line_end - 1 : line_end] == b"\r" else line_end
        if stop <= position:
            position = line_end + 1
            if data is not None:
                return Event(kind, data, end, position)
            kind = b"message"
            continue
        if buffer.startswith(b"data:", position):
            first = position + 6 if buffer[position + 5 : position + 6] == b" " else position + 5
            part = bytes(buffer[first:stop])
            data = part if data is None else data + b"\n" + part
            end = stop
        elif buffer.startswith(b"event:", position):
            kind = bytes(buffer[position + 6 : stop]).strip()
        position = line_end + 1
    if closed and data is not None:
        return Event(kind, data, end, len(buffer))
    return None
