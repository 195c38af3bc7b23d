"""Telling plain events apart cheaply: most of a stream's events differ in one string alone."""

import orjson

NO_MOULD = (b"\n", b"\n")
"""Fits no event: none begins with a line end."""


def plain_pieces(body: bytearray) -> list[bytes]:
    """Return the whole events at the body's start, where all line ends are LF; else none."""
    cut = body.rfind(b"\n\n")
    if cut < 0 or body.find(b"\r", 0, cut) >= 0:
        return []
    return bytes(body[:cut]).split(b"\n\n")


def mould_of(piece: bytes, text: str) -> tuple[bytes, bytes] | None:
    """Return what stands before and after the text in its event, None where that is not clear."""
    literal = orjson.dumps(text)
    if piece.count(literal) != 1:
        return None
    before, _, after = piece.partition(literal)
    return before + b'"', b'"' + after
