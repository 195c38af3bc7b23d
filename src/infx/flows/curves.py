"""The curves that a run is shown as."""

from infx.curves.curve import axes, curve
from infx.model.result import Curve, RunResult


def curves_of(result: RunResult) -> tuple[Curve, ...]:
    """Return a run's points on every pair of axes that we show, the headline first."""
    return tuple(curve(result.points, x, y) for x, y in axes(result.points))


def headline(result: RunResult) -> Curve:
    """Return total throughput against end-to-end latency: the median, or p90 of replays."""
    return curves_of(result)[0]
