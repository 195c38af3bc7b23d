"""The frontier of points on two axes, each better when smaller or when larger."""

import math
from collections.abc import Iterable

from infx.model.result import Better

XY = tuple[float, float]


def frontier(points: Iterable[XY], x_better: Better, y_better: Better) -> list[XY]:
    """Return the points that no other dominates, each once, in ascending order of x.

    One point dominates another when it is at least as good on both axes and better on one.
    Raises ValueError when a coordinate is not finite.

    >>> frontier([(1, 100), (2, 90), (2, 120), (3, 120)], "smaller", "larger")
    [(1, 100), (2, 120)]
    """
    kept: list[XY] = []
    best = -math.inf
    for height, point in _best_first(points, x_better, y_better):
        if height > best:
            kept.append(point)
            best = height
    return sorted(kept)


def reference_frontier(points: Iterable[XY], x_better: Better, y_better: Better) -> list[XY]:
    """Return the frontier by the public reference's rule: plateaus are kept.

    A point with the best y so far stays although its x is worse, so it may be dominated
    (the Pareto coverage rule of InferenceX). Each point once, in ascending order of x.
    Raises ValueError when a coordinate is not finite.

    >>> reference_frontier([(1, 100), (2, 90), (2, 120), (3, 120)], "smaller", "larger")
    [(1, 100), (2, 120), (3, 120)]
    """
    kept: list[XY] = []
    best = -math.inf
    for height, point in _best_first(points, x_better, y_better):
        if height >= best:
            kept.append(point)
            best = height
    return sorted(kept)


def _best_first(points: Iterable[XY], x_better: Better, y_better: Better) -> list[tuple[float, XY]]:
    """Order distinct points by x, then y, the best first, each with its y as larger-is-better."""
    distinct = set(points)
    if not all(math.isfinite(x) and math.isfinite(y) for x, y in distinct):
        raise ValueError("a point on a curve has finite coordinates")
    x_sign = 1 if x_better == "smaller" else -1
    y_sign = 1 if y_better == "larger" else -1
    order = sorted(distinct, key=lambda point: (x_sign * point[0], -y_sign * point[1]))
    return [(y_sign * point[1], point) for point in order]
