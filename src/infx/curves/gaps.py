"""Where a frontier has no points, and which concurrencies may fill it.

A reader of a curve reads between its points, so a wide step hides what nobody measured. Latencies
span decades: a step is wide when one neighbour's x is more than twice the other's.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from infx.model.frontier import Gap
from infx.model.result import Curve, CurvePoint

LIMIT = 2.0
"""The largest ratio of neighbours that is no gap."""

Range = tuple[float, float]


def covered(curves: Iterable[Curve]) -> Range | None:
    """Return the range of x in which the frontiers of curves have points, None for none."""
    xs = [point.x for curve in curves for point in _frontier(curve)]
    return (min(xs), max(xs)) if xs else None


def gaps(curve: Curve, *, limit: float = LIMIT, reach: Range | None = None) -> tuple[Gap, ...]:
    """Return the gaps of a curve's frontier in ascending order of x.

    `reach` is the range that comparable curves cover: what the frontier lacks of it counts as a gap
    too. Points without a positive x have no ratio and are left out. Raises ValueError when the
    limit is not above 1.
    """
    if limit <= 1:
        raise ValueError("neighbours always differ by a ratio of 1 or more")
    points = _frontier(curve)
    if not points:
        return ()
    found: list[Gap | None] = [_between(curve, pair, limit) for pair in pairwise(points)]
    if reach is not None:
        found = [_before(curve, points[0], reach[0]), *found, _after(curve, points[-1], reach[1])]
    return tuple(gap for gap in found if gap is not None and gap.ratio > limit)


def _frontier(curve: Curve) -> list[CurvePoint]:
    """Return the points of the frontier with a positive x, one for each x."""
    kept = {point.x: point for point in curve.points if point.on_reference_frontier}
    return [kept[x] for x in sorted(kept) if x > 0]


def _between(curve: Curve, pair: tuple[CurvePoint, CurvePoint], limit: float) -> Gap:
    low, high = pair
    ratio = high.x / low.x
    ends = min(low.concurrency, high.concurrency), max(low.concurrency, high.concurrency)
    wanted = max(0, math.ceil(round(math.log(ratio, limit), 9)) - 1)
    return Gap(
        place="between",
        start=low.x,
        end=high.x,
        ratio=ratio,
        inside=_inside(curve, low.x, high.x),
        concurrencies=() if _has_rate(pair) else _new(curve, _steps(*ends, wanted)),
    )


def _before(curve: Curve, first: CurvePoint, start: float) -> Gap | None:
    if not 0 < start < first.x:
        return None
    ratio = first.x / start
    return Gap(
        place="before",
        start=start,
        end=first.x,
        ratio=ratio,
        inside=_inside(curve, start, first.x),
        concurrencies=_new(curve, _scaled(first, (start / first.x) ** _direction(curve))),
    )


def _after(curve: Curve, last: CurvePoint, end: float) -> Gap | None:
    if end <= last.x:
        return None
    ratio = end / last.x
    return Gap(
        place="after",
        start=last.x,
        end=end,
        ratio=ratio,
        inside=_inside(curve, last.x, end),
        concurrencies=_new(curve, _scaled(last, ratio ** _direction(curve))),
    )


def _direction(curve: Curve) -> int:
    """More sessions mean more latency, and less speed for each of them."""
    return 1 if curve.x_better == "smaller" else -1


def _inside(curve: Curve, low: float, high: float) -> int:
    return sum(low < point.x < high for point in curve.points)


def _has_rate(points: Sequence[CurvePoint]) -> bool:
    return any(point.rate is not None for point in points)


def _new(curve: Curve, concurrencies: tuple[int, ...]) -> tuple[int, ...]:
    """Return those that were not measured: a dominated point fills no gap a second time."""
    measured = {point.concurrency for point in curve.points}
    return tuple(one for one in concurrencies if one not in measured)


def _steps(low: int, high: int, wanted: int) -> tuple[int, ...]:
    """Return whole numbers between two, evenly spaced by ratio."""
    steps = (low * (high / low) ** (step / (wanted + 1)) for step in range(1, wanted + 1))
    return tuple(sorted({round(step) for step in steps} - {low, high}))


def _scaled(point: CurvePoint, factor: float) -> tuple[int, ...]:
    """Return a concurrency by the law of a saturated closed loop: latency grows as it does."""
    other = max(1, round(point.concurrency * factor))
    return () if point.rate is not None or other == point.concurrency else (other,)
