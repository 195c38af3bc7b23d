"""Percentiles, mean and spread in plain Python: the load process imports this, so no numpy."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from infx.model.result import MetricValue


def percentile(ordered: Sequence[float], p: float) -> float:
    """Return the value at rank (n-1)p/100 of ascending values, linear between two neighbours.

    Numpy's default and every public client of the field use this rule.
    Raises ValueError when there are no values or `p` is outside 0..100.

    >>> percentile([1, 2, 3, 4], 75)
    3.25
    """
    if not ordered:
        raise ValueError("no values have no percentile")
    if not 0 <= p <= 100:
        raise ValueError(f"percentile {p} is outside 0..100")
    rank = (len(ordered) - 1) * p / 100
    below = math.floor(rank)
    low = ordered[below]
    high = ordered[min(below + 1, len(ordered) - 1)]
    # Rounding may step past the upper neighbour by one unit in the last place.
    return float(min(low + (high - low) * (rank - below), high))


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean, summed exactly, so that order does not matter."""
    if not values:
        raise ValueError("no values have no mean")
    return math.fsum(values) / len(values)


def population_std(values: Sequence[float]) -> float:
    """Return the population's standard deviation: the root mean square distance to the mean."""
    centre = mean(values)
    return math.sqrt(mean([(value - centre) ** 2 for value in values]))


def describe(values: Iterable[float], unit: str) -> "MetricValue":
    """Summarise observations in `unit`, in any order; raises ValueError when there are none."""
    from infx.model.result import MetricValue  # after the load, whose progress needs percentiles

    ordered = sorted(values)
    return MetricValue(
        unit=unit,
        n=len(ordered),
        mean=mean(ordered),
        std=population_std(ordered),
        p50=percentile(ordered, 50),
        p75=percentile(ordered, 75),
        p90=percentile(ordered, 90),
        p95=percentile(ordered, 95),
        p99=percentile(ordered, 99),
    )
