"""The distances between the chunks of an answer, packed: a run has tens of millions of them."""

from array import array
from collections.abc import Iterator, Sequence
from typing import overload


class Gaps(Sequence[int]):
    """Nanoseconds, in 4 bytes each where all of an answer fit into them, else in 8.

    A tuple takes ten times as much. It equals any sequence of the same numbers. Raises ValueError
    for a number of more than 63 bits. `packed` is for who counts over many, and is not changed.
    """

    __slots__ = ("_least", "_total", "packed")

    def __init__(self, values: Sequence[int] = ()) -> None:
        self.packed = _packed(values)
        self._total: int | None = None
        self._least: int | None = None

    @property
    def total(self) -> int:
        """Their sum."""
        if self._total is None:
            self._total = sum(self.packed)
        return self._total

    @property
    def least(self) -> int:
        """The least of them, 0 where there are none."""
        if self._least is None:
            self._least = min(self.packed, default=0)
        return self._least

    @overload
    def __getitem__(self, index: int) -> int: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...

    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        return self.packed[index]

    def __len__(self) -> int:
        return len(self.packed)

    def __iter__(self) -> Iterator[int]:
        return iter(self.packed)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self.packed))

    def __repr__(self) -> str:
        return f"Gaps({tuple(self.packed)})"


def _packed(values: Sequence[int]) -> "array[int]":
    for width in ("I", "q"):
        try:
            return array(width, values)
        except OverflowError:
            continue
    raise ValueError("a distance of more than 63 bits")
