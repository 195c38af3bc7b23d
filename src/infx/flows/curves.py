"""The curves that a run is shown as."""

from infx.curves.curve import axes, curve
from infx.model.identity import canonical
from infx.model.result import PointSummary, RunResult
from infx.model.traits import curve_traits
from infx.report.content import Series
from infx.report.names import told_apart


def series_of(result: RunResult) -> tuple[Series, ...]:
    """Return the points of each curve key on every pair of axes that we show, the headline first.

    The headline is total throughput against end-to-end latency: the median, or p90 of replays,
    which never share a curve with independent requests. Series are in the order of their points,
    each named by what tells it apart from the others.
    """
    groups: dict[bytes, list[PointSummary]] = {}
    for point in result.points:
        key = canonical([point.replay is not None, point.curve_key])
        groups.setdefault(key, []).append(point)
    members = list(groups.values())
    names = told_apart([curve_traits(points[0].curve_key) for points in members])
    return tuple(
        Series(name, tuple(points), tuple(curve(points, x, y) for x, y in axes(points)))
        for name, points in zip(names, members, strict=True)
    )
