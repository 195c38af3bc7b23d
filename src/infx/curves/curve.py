"""From the summaries of one series to a curve on two axes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from infx.curves.frontier import XY, frontier, reference_frontier
from infx.model.result import (
    Absent,
    Better,
    Curve,
    CurvePoint,
    Interval,
    MetricValue,
    PointSummary,
)

Statistic = Literal["mean", "p50", "p75", "p90", "p95", "p99"]


@dataclass(frozen=True, slots=True)
class Axis:
    """A statistic of a metric, its unit, and which direction is good."""

    metric: str
    statistic: Statistic
    better: Better
    unit: str


E2EL = Axis("e2el", "p50", "smaller", "s")
TTFT = Axis("ttft", "p50", "smaller", "s")
TPOT = Axis("tpot", "p50", "smaller", "s")
INTERACTIVITY = Axis("interactivity", "p50", "larger", "tok/s/user")
TOTAL_THROUGHPUT = Axis("total_throughput", "mean", "larger", "tok/s")
OUTPUT_THROUGHPUT = Axis("output_throughput", "mean", "larger", "tok/s")

AXES: tuple[tuple[Axis, Axis], ...] = tuple(
    (x, y) for y in (TOTAL_THROUGHPUT, OUTPUT_THROUGHPUT) for x in (E2EL, TTFT, TPOT, INTERACTIVITY)
)
"""The pairs (x, y) that we show, the headline first: total throughput against median E2EL."""

REPLAY_AXES: tuple[tuple[Axis, Axis], ...] = tuple(
    (replace(x, statistic="p90"), y) for x, y in AXES
)
"""The pairs where sessions were replayed: p90 in place of the median, as AgentX shows them."""


def axes(summaries: Sequence[PointSummary]) -> tuple[tuple[Axis, Axis], ...]:
    """Return what these points are shown on: throughput per GPU when every one of them has it."""
    replays = bool(summaries) and all(summary.replay is not None for summary in summaries)
    return tuple((x, _per_gpu(y, summaries)) for x, y in (REPLAY_AXES if replays else AXES))


def _per_gpu(axis: Axis, summaries: Sequence[PointSummary]) -> Axis:
    metric = f"{axis.metric}_per_gpu"
    if not summaries or any(metric not in summary.metrics for summary in summaries):
        return axis
    return replace(axis, metric=metric, unit=f"{axis.unit}/gpu")


def point_key(summary: PointSummary) -> str:
    """Return what names a point in `Curve.missing`: `<point-id>`, or `<point-id>-rN`."""
    return f"{summary.point_id}-r{summary.repetition}" if summary.repetition else summary.point_id


def curve(summaries: Iterable[PointSummary], x: Axis, y: Axis) -> Curve:
    """Draw the points of one series on two axes, in order of x.

    A point without a figure on an axis stands in `missing`, as `<point-id>`, or `<point-id>-rN` for
    repetition N above 0. Raises ValueError when a figure has another unit than its axis.
    """
    placed: list[tuple[XY, PointSummary]] = []
    missing: dict[str, str] = {}
    for summary in summaries:
        at_x, at_y = _figure(summary, x), _figure(summary, y)
        if isinstance(at_x, Absent) or isinstance(at_y, Absent):
            absent = (figure for figure in (at_x, at_y) if isinstance(figure, Absent))
            missing[point_key(summary)] = "; ".join(figure.reason for figure in absent)
        else:
            placed.append(((at_x, at_y), summary))
    return Curve(
        x_metric=x.metric,
        x_statistic=x.statistic,
        x_unit=x.unit,
        x_better=x.better,
        y_metric=y.metric,
        y_statistic=y.statistic,
        y_unit=y.unit,
        y_better=y.better,
        points=_points(placed, x, y),
        missing=dict(sorted(missing.items())),
    )


def _points(placed: list[tuple[XY, PointSummary]], x: Axis, y: Axis) -> tuple[CurvePoint, ...]:
    positions = [position for position, _ in placed]
    strict = set(frontier(positions, x.better, y.better))
    reference = set(reference_frontier(positions, x.better, y.better))
    # After the position only what tells equal ones apart, so that input order never shows.
    order = sorted(placed, key=lambda place: (place[0], place[1].concurrency, point_key(place[1])))
    return tuple(
        CurvePoint(
            point_id=summary.point_id,
            traits=summary.traits,
            repetition=summary.repetition,
            concurrency=summary.concurrency,
            rate=summary.rate,
            x=position[0],
            y=position[1],
            x_interval=_interval(summary, x),
            y_interval=_interval(summary, y),
            on_frontier=position in strict,
            on_reference_frontier=position in reference,
        )
        for position, summary in order
    )


def _interval(summary: PointSummary, axis: Axis) -> Interval | None:
    metric = summary.metrics.get(axis.metric)
    found = metric.intervals.get(axis.statistic) if isinstance(metric, MetricValue) else None
    return found if isinstance(found, Interval) else None


def _figure(summary: PointSummary, axis: Axis) -> float | Absent:
    metric = summary.metrics.get(axis.metric)
    if metric is None:
        return Absent(reason=f"{axis.metric} was not computed")
    if isinstance(metric, Absent):
        return Absent(reason=f"{axis.metric}: {metric.reason}")
    if metric.unit != axis.unit:
        raise ValueError(f"{axis.metric} is in {metric.unit}, and its axis in {axis.unit}")
    figure: float | None = getattr(metric, axis.statistic)
    return Absent(reason=f"{axis.metric} has no {axis.statistic}") if figure is None else figure
