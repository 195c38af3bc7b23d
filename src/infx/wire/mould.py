"""Telling plain events apart cheaply: most of a stream's events differ in one string alone."""

import orjson

NO_MOULD = (b"\n", b"\n")
"""Fits no event: none begins with a line end."""
QUOTE, LINE_END = b'"\n'
"""What a JSON string holds neither of: where one begins before a mould's text and one ends behind
it, and the text holds none of these, it is the inside of one string.
"""
_TEXTS = (("content", True), ("text", True), ("reasoning_content", False), ("reasoning", False))
"""The members of a choice or its delta that hold text, and whether that is output."""


def plain_pieces(body: bytearray) -> list[bytes]:
    """Return the whole events at the body's start, where all line ends are LF; else none."""
    cut = body.rfind(b"\n\n")
    if cut < 0 or body.find(b"\r", 0, cut) >= 0:
        return []
    lines = bytes(body[:cut]).split(b"\n")
    if any(lines[1::2]) or len(lines) % 2 == 0:  # events of several lines, or more blank ones
        return b"\n".join(lines).split(b"\n\n")
    return lines[::2]


def plain_text(piece: bytes) -> tuple[str, bool] | None:
    """Return the text of an event that is one line of data with one piece of text, else None.

    And whether the text is output, not reasoning. Nearly all events of a stream are such; all
    others go the long way.
    """
    if not piece.startswith(b"data: {"):
        return None
    try:
        chunk = orjson.loads(piece[6:])
        choice = chunk["choices"][0]
        delta = choice.get("delta", choice)
        said = [(delta[name], output) for name, output in _TEXTS if delta.get(name)]
        calls = delta.get("tool_calls")
    except (orjson.JSONDecodeError, LookupError, TypeError, AttributeError):
        return None
    odd = (
        len(said) != 1
        or type(said[0][0]) is not str
        or calls
        or choice.get("finish_reason")
        or chunk.get("usage")
        or "error" in chunk
        or "timings" in chunk
        or len(chunk["choices"]) > 1
    )
    return None if odd else said[0]


def mould_of(piece: bytes, text: str) -> tuple[bytes, bytes] | None:
    """Return what stands before and after the text in its event, None where that is not clear."""
    literal = orjson.dumps(text)
    if piece.count(literal) != 1:
        return None
    before, _, after = piece.partition(literal)
    return before + b'"', b'"' + after
