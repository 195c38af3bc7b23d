"""Telling plain events apart cheaply: most of a stream's events differ in one string alone."""

import orjson

NO_MOULD = (b"\n", b"\n")
"""Fits no event: none begins with a line end."""


def plain_pieces(body: bytearray) -> list[bytes]:
    """Return the whole events at the body's start, where all line ends are LF; else none."""
    cut = body.rfind(b"\n\n")
    if cut < 0 or body.find(b"\r", 0, cut) >= 0:
        return []
    lines = bytes(body[:cut]).split(b"\n")
    if any(lines[1::2]) or len(lines) % 2 == 0:  # events of several lines, or more blank ones
        return b"\n".join(lines).split(b"\n\n")
    return lines[::2]


def plain_text(piece: bytes) -> str | None:
    """Return the text of an event that is one line of data with one piece of text, else None.

    Nearly all events of a stream are such; all others go the long way.
    """
    if not piece.startswith(b"data: {"):
        return None
    try:
        chunk = orjson.loads(piece[6:])
        choice = chunk["choices"][0]
        text = choice["delta"]["content"] if "delta" in choice else choice["text"]
    except (orjson.JSONDecodeError, LookupError, TypeError):
        return None
    odd = (
        not text
        or type(text) is not str
        or choice.get("finish_reason")
        or chunk.get("usage")
        or "error" in chunk
        or "timings" in chunk
        or len(chunk["choices"]) > 1
    )
    return None if odd else text


def mould_of(piece: bytes, text: str) -> tuple[bytes, bytes] | None:
    """Return what stands before and after the text in its event, None where that is not clear."""
    literal = orjson.dumps(text)
    if piece.count(literal) != 1:
        return None
    before, _, after = piece.partition(literal)
    return before + b'"', b'"' + after
