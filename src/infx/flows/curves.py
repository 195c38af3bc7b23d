"""The curves that a run is shown as."""

from collections.abc import Iterable

from infx.curves.curve import axes, curve, point_key
from infx.model.result import Curve, PointSummary, RunResult


def curves_of(result: RunResult) -> tuple[Curve, ...]:
    """Return a run's points on every pair of axes that we show, the headline first.

    Replays and independent requests are no one series: a run with both is shown by what it asked
    first, and the rest stands in `missing`.
    """
    first = result.points[0].replay is None if result.points else True
    series = [point for point in result.points if (point.replay is None) is first]
    others = _others((point for point in result.points if point not in series), replays=first)
    drawn = (curve(series, x, y) for x, y in axes(series))
    return tuple(one.model_copy(update={"missing": {**one.missing, **others}}) for one in drawn)


def _others(points: Iterable[PointSummary], *, replays: bool) -> dict[str, str]:
    what = "it replays sessions" if replays else "it asks independent requests"
    return {point_key(point): f"{what}, and has its row in the table" for point in points}


def headline(result: RunResult) -> Curve:
    """Return total throughput against end-to-end latency: the median, or p90 of replays."""
    return curves_of(result)[0]
