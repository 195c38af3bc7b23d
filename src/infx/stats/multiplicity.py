"""Many comparisons at once: how many of the differences that are named may be chance."""

from collections.abc import Sequence


def adjusted(p_values: Sequence[float]) -> list[float]:
    """Return the p values adjusted by Benjamini and Hochberg (1995), in the given order.

    Naming a difference where the adjusted value is at most q keeps the expected share of false ones
    among the named at q; where there is no difference at all, q bounds the chance to name any.

    >>> adjusted([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    count = len(p_values)
    found = [1.0] * count
    least = 1.0
    order = sorted(range(count), key=lambda place: p_values[place], reverse=True)
    for rank, place in zip(range(count, 0, -1), order, strict=True):
        least = min(least, p_values[place] * (count / rank))
        found[place] = least
    return found
