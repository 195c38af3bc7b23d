"""Wildcards without backtracking: hostile patterns cost length times length, never more."""

from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def fits(
    pattern: Sequence[Item],
    items: Sequence[Item],
    *,
    star: Item,
    same: Callable[[Item, Item], bool],
) -> bool:
    """Return whether `pattern` covers all `items`; `star` in it stands for any number of them.

    >>> fits("a*c", "abbc", star="*", same=str.__eq__)
    True
    """
    at = here = 0
    last: tuple[int, int] | None = None
    while here < len(items):
        if at < len(pattern) and pattern[at] == star:
            last = (at, here)
            at += 1
        elif at < len(pattern) and same(pattern[at], items[here]):
            at += 1
            here += 1
        elif last is not None:
            # Only the last star has to give: what earlier ones took is never needed again.
            last = (last[0], last[1] + 1)
            at, here = last[0] + 1, last[1]
        else:
            return False
    return all(part == star for part in pattern[at:])
