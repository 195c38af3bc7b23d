"""The text that stands for a block of a recorded prompt, whose tokens nobody kept.

Text comes from one long passage whose tokens are known. A block is two slices of it, at places
that are drawn from its key: the first 8 bytes of sha256 over `seed:scope:id`. So an id has the
same text wherever it stands in its scope, which is a trace, and other text in every other scope.
"""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256, shake_128
from itertools import accumulate
from struct import unpack
from typing import NamedTuple, Protocol

from infx.errors import InputError, Problem
from infx.workloads.code_text import pieces
from infx.workloads.draws import Draws, seed_key
from infx.workloads.vocabulary import Vocabulary, spaced

WORDS = 1 << 16
"""Words of the passage that is made without a tokenizer."""
TAIL_BLOCK = 64
"""Tokens of the blocks that make up a text without ids."""
ENTRIES_LEAST = 1 << 12
"""A passage needs so many places where a slice may begin, else blocks would repeat each other."""
CODE_CHARACTERS = 1 << 19
"""Length of the passage that is cut by a tokenizer: about 150,000 tokens, made in half a second."""
DRIFT_MESSAGES = 32
DRIFT_BLOCKS = 3
"""Blocks of a message that drift is measured with: no longer than the probes of calibration."""
LEAVE_OUT = "leave it out to size prompts by the server's own count"
ADVICE = "give the model's tokenizer (--tokenizer PATH)"


@dataclass(frozen=True, slots=True)
class Passage:
    """A text of known tokens.

    Token n is `text[starts[n]:starts[n + 1]]`; `starts` has one more element, the end of the text.
    Slices begin at the tokens `entries`: those that start with a space and a word, so that what
    stands before a slice does not grow together with it.
    """

    text: str
    starts: "array[int]"
    entries: "array[int]"

    def __post_init__(self) -> None:
        if len(self.entries) < ENTRIES_LEAST:
            what = f"only {len(self.entries)} tokens of the passage begin with a space and a word"
            raise InputError(
                Problem(f"{what}, {ENTRIES_LEAST} are needed", "--tokenizer", LEAVE_OUT)
            )

    def slice(self, place: int, tokens: int) -> str:
        """Return so many tokens from an entry on; the passage begins again at its end."""
        first = self.entries[place]
        last = len(self.starts) - 1
        pieces = []
        while first + tokens > last:
            pieces.append(self.text[self.starts[first] :])
            tokens -= last - first
            first = 0
        pieces.append(self.text[self.starts[first] : self.starts[first + tokens]])
        return "".join(pieces)


class Cutter(Protocol):
    """A tokenizer that says where the tokens of a text are."""

    def count(self, text: str) -> int:
        """Return how many tokens a text has, special ones not included."""

    def ends(self, text: str) -> "array[int]":
        """Return where in the text each of its tokens ends."""


class TextSource(Protocol):
    """Where the text of prompts comes from; each token begins with its own space, if it has one."""

    def blocks(self, scope: str, ids: "array[int]", *, size: int, last: int) -> str:
        """Return the text of blocks of `size` tokens; of the last one only its first `last`."""

    def loose(self, scope: str, tokens: int) -> str:
        """Return a text of so many tokens that has no ids: equal scopes, equal text."""


class PassageBlocks:
    """The text of blocks as slices of a passage."""

    def __init__(self, passage: Passage, seed: int) -> None:
        self._passage = passage
        self._seed = seed

    def blocks(self, scope: str, ids: "array[int]", *, size: int, last: int) -> str:
        """Return the text of blocks of `size` tokens; of the last one only its first `last`."""
        return self._text(scope, ids, size, last)

    def loose(self, scope: str, tokens: int) -> str:
        """Return a text of so many tokens that has no ids: equal scopes, equal text."""
        if not tokens:
            return ""
        whole, rest = divmod(tokens - 1, TAIL_BLOCK)
        return self._text(scope, range(whole + 1), TAIL_BLOCK, rest + 1)

    def _text(self, scope: str, ids: Iterable[int], size: int, last: int) -> str:
        begun = sha256(f"{self._seed}:{scope}:".encode())
        text, starts, entries = self._passage.text, self._passage.starts, self._passage.entries
        places, end = len(entries), len(starts) - 1
        half, rest = size // 2, size - size // 2
        pieces: list[str] = []
        first = second = 0
        for one in ids:
            key = begun.copy()
            key.update(b"%d" % one)
            first, second = unpack(">II", key.digest()[:8])
            first, second = first * places >> 32, second * places >> 32
            # Written out: a call of `Passage.slice` for each half would take as long again.
            a, b = entries[first], entries[second]
            if a + half > end or b + rest > end:
                pieces += (self._passage.slice(first, half), self._passage.slice(second, rest))
            else:
                pieces += (text[starts[a] : starts[a + half]], text[starts[b] : starts[b + rest]])
        if pieces and last < size:
            pieces[-2] = self._passage.slice(first, min(half, last))
            pieces[-1] = self._passage.slice(second, max(0, last - half))
        return "".join(pieces)


def word_passage(vocabulary: Vocabulary, seed: int) -> Passage:
    """Return a passage of words that are one token each, drawn from the seed.

    Raises InputError where too few such words are known.
    """
    if not vocabulary.exact:
        what = "the server counts no word of ours as one token, so no block of text is exact"
        raise InputError(Problem(what, "--workload", ADVICE))
    words = sorted(vocabulary.singles)
    drawn = unpack(f">{WORDS}I", shake_128(seed_key("passage", seed)).digest(4 * WORDS))
    count = len(words)
    chosen = [words[number * count >> 32] for number in drawn]
    starts = array("I", [0])
    end = 0
    for word in chosen:
        end += 1 + len(word)
        starts.append(end)
    return Passage(spaced(chosen), starts, array("I", range(WORDS)))


def code_passage(tokenizer: Cutter, seed: int) -> Passage:
    """Return a passage of made-up code, logs and JSON, as a tokenizer cuts it.

    Raises InputError for a tokenizer that hardly ever begins a token with a word.
    """
    written: list[str] = []
    left = CODE_CHARACTERS
    for piece in pieces(Draws(seed_key("code", seed))):
        written.append(piece)
        left -= len(piece)
        if left <= 0:
            break
    text = "".join(written)
    starts = array("I", [0, *accumulate(tokenizer.ends(text), max)])
    starts[-1] = len(text)
    entries = array("I", [n for n in range(1, len(starts) - 1) if _begins_word(text, starts[n])])
    return Passage(text, starts, entries)


def _begins_word(text: str, start: int) -> bool:
    """Whether a space and a word stand there, after something else than space."""
    around = text[start - 1 : start + 2]
    return len(around) == 3 and not around[0].isspace() and around[1] == " " and around[2].isalpha()


class Drift(NamedTuple):
    """How many tokens sample messages were made of, and how many they were counted to have."""

    messages: int
    asked_tokens: int
    counted_tokens: int


def drift(source: TextSource, tokenizer: Cutter, *, size: int = TAIL_BLOCK) -> Drift:
    """Measure a source with the tokenizer that it was cut by.

    Tokens may join where slices meet, and a message begins without the space of its first token.
    """
    counts = [
        tokenizer.count(drift_message(source, number, size=size))
        for number in range(DRIFT_MESSAGES)
    ]
    return Drift(DRIFT_MESSAGES, DRIFT_MESSAGES * DRIFT_BLOCKS * size, sum(counts))


def drift_message(source: TextSource, number: int, *, size: int = TAIL_BLOCK) -> str:
    """Return a message of `DRIFT_BLOCKS` blocks that no recorded prompt has."""
    ids = array("I", range(number * DRIFT_BLOCKS, (number + 1) * DRIFT_BLOCKS))
    return source.blocks("drift", ids, size=size, last=size).removeprefix(" ")
