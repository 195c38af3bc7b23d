"""Chance that every machine draws alike.

Python's `random` promises stability only for part of its methods, so the streams here rest on
sha256 alone: equal fields give equal draws on any machine, in any Python.
"""

import struct
from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

from infx.model.identity import canonical

T = TypeVar("T")


def seed_key(*fields: str | float | None) -> bytes:
    """Return the key of a stream: sha256 over the canonical JSON of what it depends on."""
    return sha256(canonical(fields)).digest()


def derive(key: bytes, label: str) -> bytes:
    """Return the key of a stream inside another one; cheaper than naming all fields again."""
    return sha256(key + label.encode()).digest()


class Draws:
    """The draws of one key: sha256 in counter mode, read as 64-bit integers."""

    __slots__ = ("_block", "_key", "_ready")

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._block = 0
        self._ready: list[int] = []

    def below(self, bound: int) -> int:
        """Draw an integer of [0, bound); its bias is below bound / 2**64."""
        if not self._ready:
            block = sha256(self._key + self._block.to_bytes(8, "big")).digest()
            self._ready = list(struct.unpack(">4Q", block))
            self._block += 1
        return (self._ready.pop() * bound) >> 64

    def pick(self, items: Sequence[T]) -> T:
        """Draw one of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in a drawn order (Fisher-Yates)."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order
