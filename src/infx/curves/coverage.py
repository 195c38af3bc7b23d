"""How many points the frontier of a curve has, by the rule of the public benchmark.

The rule's name is `upper_right`: x is a latency and better when smaller, y a throughput and better
when larger, and plateaus are kept. Fewer than five points warn; so does any point that is no
evidence.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from infx.curves.frontier import XY, reference_frontier
from infx.errors import InputError, Problem
from infx.model.frontier import Coverage, Position

LEAST = 5
"""Points that a frontier should have."""

FLAG = "isOnNormalizedInteractivityFrontier"
"""A point's mark that it is on the frontier against normalised interactivity too."""


def upper_right(points: Iterable[XY]) -> list[XY]:
    """Return the frontier by the public rule, each point once, in ascending order of x.

    >>> upper_right([(1, 100), (2, 90), (2, 120), (3, 120), (3, 120), (4, 110), (5, 130)])
    [(1, 100), (2, 120), (3, 120), (5, 130)]
    """
    return reference_frontier(points, "smaller", "larger")


def coverage(key: str, points: Sequence[JsonValue], *, least: int = LEAST) -> Coverage:
    """Count the frontier of one curve; points are as they were handed in: `{"x": 1, "y": 2}`.

    When any point has the flag, the whole frontier is built first and those with it are kept, so
    that a dominated point is never promoted.
    """
    valid: dict[XY, bool] = {}
    for point in points:
        position = _position(point)
        if position is not None:
            valid[position] = valid.get(position, False) or _flag(point)
    kept = upper_right(valid)
    if any(isinstance(point, Mapping) and FLAG in point for point in points):
        kept = [position for position in kept if valid[position]]
    invalid = sum(_position(point) is None for point in points)
    return Coverage(
        key=key,
        status="WARN" if invalid or len(kept) < least else "PASS",
        frontier_points=len(kept),
        measured_points=len(valid),
        invalid_points=invalid,
        frontier=tuple(Position(x=x, y=y) for x, y in kept),
    )


def coverages(curves: JsonValue, *, least: int = LEAST) -> tuple[Coverage, ...]:
    """Count every curve of a list `[{"key": ..., "points": [...]}]`.

    Raises InputError with every problem: no list, an empty one, a curve without a key or points, a
    key that stands twice.
    """
    if not isinstance(curves, list) or not curves:
        raise InputError(Problem("no curves", "stdin", 'write [{"key": ..., "points": [...]}]'))
    problems: list[Problem] = []
    found: dict[str, list[JsonValue]] = {}
    for number, curve in enumerate(curves):
        where = f"stdin: curve {number}"
        key = curve.get("key") if isinstance(curve, dict) else None
        points = curve.get("points") if isinstance(curve, dict) else None
        if not isinstance(key, str) or not key:
            problems.append(Problem("its key is no text", where))
        elif key in found:
            problems.append(Problem(f"the key {key!r} stands twice", where, "pool its points"))
        elif not isinstance(points, list) or not points:
            problems.append(Problem(f"{key!r} has no list of points", where))
        else:
            found[key] = points
    if problems:
        raise InputError(*problems)
    return tuple(coverage(key, points, least=least) for key, points in found.items())


def _position(point: JsonValue) -> XY | None:
    """Return where a point stands, None when it is no evidence."""
    if not isinstance(point, Mapping):
        return None
    x, y = _number(point.get("x")), _number(point.get("y"))
    return None if x is None or y is None else (x, y)


def _number(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:  # a whole number may be larger than any float
        return None
    return number if math.isfinite(number) and number > 0 else None


def _flag(point: JsonValue) -> bool:
    return isinstance(point, Mapping) and point.get(FLAG) is True
