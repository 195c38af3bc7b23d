"""What kept answers look like: empty, one piece over and over, or no text."""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import Literal

from infx.model.record import EndState, Phase, RequestRecord

Look = Literal["empty", "unreadable", "repeated", "text"]

READ = 8_192
"""Characters of an answer that are looked at."""
SHORTEST = 16
"""Fewer characters are never called repeated: `no, no, no.` is an answer."""
PIECES = 4
"""How often a piece has to stand in a row."""
TAIL = 0.9
"""The share of the answer that the pieces have to fill, from its end."""
UNREADABLE = 0.1
"""The share of unreadable characters that an answer may have."""

_PLAIN = frozenset("\t\n\r")
_NO_TEXT = frozenset({"Cc", "Cn", "Co", "Cs"})


def look(text: str) -> Look:
    """Say what an answer looks like; the first of these that holds.

    It is empty when it has nothing but white space. It is unreadable when more than a tenth of its
    characters, or all, are replacements of bytes that were no UTF-8, controls, or of no or private
    use; one among others is left to an answer that was cut inside it. It is repeated when, white
    space made alike, it has 16 characters or more and nine tenths of them or more, up to its end,
    are one piece, four times or more in a row; the first may be cut. A server that is told to go
    on past the end of its answer repeats itself in the end: so the piece has to begin near the
    start.

    >>> [look(text) for text in (" ", "!!!!!!!!!!!!!!!!", "Nine, as three threes are nine.")]
    ['empty', 'repeated', 'text']
    """
    text = text[:READ]
    bare = " ".join(text.split())
    if not bare:
        return "empty"
    unreadable = sum(map(_is_unreadable, text))
    if unreadable == len(text) or unreadable > max(1, UNREADABLE * len(text)):
        return "unreadable"
    return "repeated" if _is_repeated(bare) else "text"


def looks(records: Iterable[RequestRecord]) -> Counter[Look]:
    """Count what the kept answers of the profiling phase look like.

    An answer that ended without a token is empty. Those that only reasoned or only called a tool
    have no text of their own, and do not count.
    """
    return Counter(look(record.text or "") for record in records if _counts(record))


def _counts(record: RequestRecord) -> bool:
    if record.text is None or record.phase is not Phase.PROFILING:
        return False
    return bool(record.text) if record.state is EndState.OK else record.reason == "empty"


def _is_unreadable(char: str) -> bool:
    return char == "\ufffd" or (char not in _PLAIN and unicodedata.category(char) in _NO_TEXT)


def _is_repeated(text: str) -> bool:
    """Say whether a long enough end of a text has a short enough period.

    The border table of Knuth, Morris and Pratt over the reversed text gives the least period of
    each of its ends in one pass.
    """
    turned = text[::-1]
    borders = [0] * len(turned)
    for place in range(1, len(turned)):
        border = borders[place - 1]
        while border and turned[place] != turned[border]:
            border = borders[border - 1]
        borders[place] = border + (turned[place] == turned[border])
    least = max(SHORTEST, TAIL * len(turned))
    return any(
        size >= least and size >= PIECES * (size - borders[size - 1])
        for size in range(1, len(turned) + 1)
    )
