"""The prefix cache of engine mode: which prompt blocks have been computed before."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from itertools import takewhile


class PrefixCache:
    """Block keys in the order of their last use; the least recently used make room.

    Of one prompt the deepest block goes first: a prefix serves more prompts than what follows it.
    """

    def __init__(self, blocks: int) -> None:
        self._capacity = blocks
        self._keys: OrderedDict[int, None] = OrderedDict()

    def hits(self, keys: Sequence[int]) -> int:
        """Return how many leading blocks are held, and mark them used."""
        held = list(takewhile(self._keys.__contains__, keys))
        self.add(held)
        return len(held)

    def add(self, keys: Iterable[int]) -> None:
        """Hold the blocks of one prompt."""
        for key in reversed(list(keys)):
            self._keys[key] = None
            self._keys.move_to_end(key)
        while len(self._keys) > self._capacity:
            self._keys.popitem(last=False)
