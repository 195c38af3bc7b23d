"""The prefix cache of engine mode: which prompt blocks were named before."""

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

    def add(self, keys: Iterable[int]) -> list[int]:
        """Hold the blocks of one prompt; return those that were not held."""
        new = []
        for key in reversed(list(keys)):
            if key not in self._keys:
                new.append(key)
            self._keys[key] = None
            self._keys.move_to_end(key)
        while len(self._keys) > self._capacity:
            self._keys.popitem(last=False)
        return new

    def discard(self, keys: Iterable[int]) -> None:
        """Hold these blocks no longer, where they are held."""
        for key in keys:
            self._keys.pop(key, None)
