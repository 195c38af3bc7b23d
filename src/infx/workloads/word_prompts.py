"""Prompts of a wanted token length, made of words.

A prompt is a head of eight words that no other prompt of its point has, then long pieces of text
that many prompts share (each is one string object, encoded once), then a few words to fill up.
The servers' prefix caches compare from the start, so a shared piece behind an own head never hits
them; that keeps 8,192-token prompts as cheap to make as short ones.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from infx.errors import InputError, Problem
from infx.model.workload import FixedWorkload, Message
from infx.workloads.draws import Draws, derive, seed_key
from infx.workloads.prompts import Prompt, role_of
from infx.workloads.vocabulary import Vocabulary, spaced

HEAD_WORDS = 8
PIECE_WORDS = 16
"""Words of the shortest shared piece; each further level doubles them."""
LEVELS = 9
"""Levels of shared pieces: 16, 32, ... 4,096 words."""
VARIANTS = 16
"""Different pieces of each level."""
STRIDE = 2**61 - 1
"""A prime above every list of words, so its multiples visit all arrangements of a list."""


def arrangement(words: Sequence[str], length: int, *, key: bytes, ordinal: int) -> list[str]:
    """Return ordered words of a list, different for each ordinal.

    The ordinals walk through all n!/(n-length)! arrangements with a stride that shares no factor
    with their number, so none comes twice before all came; n successive first words differ.
    """
    total = math.perm(len(words), length)
    rank = (int.from_bytes(key, "big") + ordinal * STRIDE) % total
    left = list(words)
    chosen = []
    for _ in range(length):
        rank, place = divmod(rank, len(left))
        chosen.append(left.pop(place))
    return chosen


@dataclass(frozen=True, slots=True)
class _Piece:
    """Text and its tokens."""

    text: str
    tokens: int


class WordPrompts:
    """Prompts from a vocabulary whose token counts are known.

    Lengths are exact when the vocabulary is; otherwise off by at most half a filler word.
    """

    def __init__(self, vocabulary: Vocabulary, workload: FixedWorkload) -> None:
        self._vocabulary = vocabulary
        self._seed = workload.seed
        self._role = role_of(workload.api)
        self._pools: dict[int, tuple[_Piece, ...]] = {}

    @property
    def smallest(self) -> int:
        """One word where single words are known, else the smallest group; plus the overhead."""
        vocabulary = self._vocabulary
        return vocabulary.overhead + (1 if vocabulary.exact else vocabulary.groups[0].tokens)

    def prompt(self, tokens: int | None, *, point: bytes, ordinal: int) -> Prompt:
        """Return the prompt of that many tokens; raises InputError below `smallest`."""
        if tokens is None:
            problem = Problem("no input length is stated", "--isl", "state one, or a dataset")
            raise InputError(problem)
        if tokens < self.smallest:
            overhead = self._vocabulary.overhead
            what = f"no prompt of {tokens} tokens can be made: the server adds {overhead} itself"
            raise InputError(Problem(what, "--isl", f"ask for at least {self.smallest}"))
        budget = tokens - self._vocabulary.overhead
        parts = self.parts(budget, point=point, ordinal=ordinal)
        return Prompt((Message(self._role, parts),))

    def parts(self, budget: int, *, point: bytes, ordinal: int) -> tuple[str, ...]:
        """Return the text of that many tokens, overhead not included, as fragments."""
        head = self._head(budget, point, ordinal)
        parts = [head.text]
        left = budget - head.tokens
        draws = Draws(derive(point, f"body {ordinal}"))
        for level in reversed(range(self._reach(left))):
            pool = self._pool(level)
            piece = draws.pick(pool)
            while piece.tokens <= left:
                parts.append(piece.text)
                left -= piece.tokens
                piece = draws.pick(pool)
        parts.append(self.filling(left, draws))
        return tuple(filter(None, parts))

    def filling(self, tokens: int, draws: Draws) -> str:
        """Return words of that many tokens in all, or the nearest number of filler words."""
        if self._vocabulary.exact:
            return spaced([draws.pick(self._vocabulary.singles) for _ in range(tokens)])
        filler = self._vocabulary.filler
        assert filler is not None
        return filler.text * ((2 * tokens + filler.tokens) // (2 * filler.tokens))

    def _head(self, budget: int, point: bytes, ordinal: int) -> _Piece:
        vocabulary, key = self._vocabulary, derive(point, "head")
        if vocabulary.exact:
            length = min(HEAD_WORDS, budget)
            words = arrangement(vocabulary.singles, length, key=key, ordinal=ordinal)
            return _Piece(" ".join(words), length)
        group = vocabulary.groups[0]
        words = arrangement(group.words, HEAD_WORDS, key=key, ordinal=ordinal)
        rest = [word for word in group.words if word not in words]
        return _Piece(" ".join(words + rest), group.tokens)

    def _reach(self, tokens: int) -> int:
        """Return how many levels of pieces may fit into that many tokens."""
        if not self._vocabulary.exact:
            return len(self._vocabulary.groups)
        return min(LEVELS, (tokens // PIECE_WORDS).bit_length())

    def _pool(self, level: int) -> tuple[_Piece, ...]:
        if level not in self._pools:
            keys = (seed_key("piece", self._seed, level, variant) for variant in range(VARIANTS))
            self._pools[level] = tuple(self._piece(level, Draws(key)) for key in keys)
        return self._pools[level]

    def _piece(self, level: int, draws: Draws) -> _Piece:
        if self._vocabulary.exact:
            count = PIECE_WORDS << level
            words = [draws.pick(self._vocabulary.singles) for _ in range(count)]
            return _Piece(spaced(words), count)
        group = self._vocabulary.groups[level]
        return _Piece(spaced(draws.shuffled(group.words)), group.tokens)
