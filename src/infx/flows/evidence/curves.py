"""Measured figures of affected entries as curves, pooled as readers see them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from infx.curves.coverage import coverage, upper_right
from infx.curves.gaps import gaps
from infx.model import run_facts
from infx.model.result import Curve, CurvePoint
from infx.model.verdict import Cite

AGENTIC = ("p90", "p75")
FIXED = ("p50",)


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured point: its latencies in seconds by percentile, and tokens/s per GPU.

    Figures are as they were written down: what is no positive number is no evidence. `series` is
    the curve that the point belongs to.
    """

    config: str
    series: str
    concurrency: int
    latency: dict[str, JsonValue]
    throughput: JsonValue
    cite: Cite


def curves(figures: Iterable[Figure]) -> Iterator[run_facts.CurveFacts]:
    """Yield every curve at each percentile that its points have."""
    pools: dict[str, list[Figure]] = {}
    for figure in figures:
        pools.setdefault(figure.series, []).append(figure)
    for series, mine in pools.items():
        for percentile in dict.fromkeys(name for one in mine for name in one.latency):
            yield _facts(series, percentile, mine)


def _facts(series: str, percentile: str, mine: Sequence[Figure]) -> run_facts.CurveFacts:
    points: list[JsonValue] = [
        {"x": one.latency.get(percentile), "y": one.throughput} for one in mine
    ]
    valid = {
        place: point
        for place, point in enumerate(points)
        if coverage(series, [point]).measured_points
    }
    placed = {place: _position(point) for place, point in valid.items()}
    kept = set(upper_right(placed.values()))
    on = [mine[place].concurrency for place, position in placed.items() if position in kept]
    invalid = [one.concurrency for place, one in enumerate(mine) if place not in valid]
    return run_facts.CurveFacts(
        key=series,
        configs=tuple(dict.fromkeys(one.config for one in mine)),
        percentile=percentile,
        measured=len(mine),
        frontier=tuple(sorted(on)),
        invalid=tuple(sorted(invalid)),
        gaps=gaps(_curve(percentile, mine, placed, kept)),
        cite=mine[0].cite,
    )


def _position(point: JsonValue) -> tuple[float, float]:
    assert isinstance(point, dict)
    x, y = point["x"], point["y"]
    assert isinstance(x, int | float)
    assert isinstance(y, int | float)
    return float(x), float(y)


def _curve(
    percentile: str,
    mine: Sequence[Figure],
    placed: dict[int, tuple[float, float]],
    kept: set[tuple[float, float]],
) -> Curve:
    found = [
        CurvePoint(
            point_id=str(place),
            repetition=0,
            concurrency=mine[place].concurrency,
            x=position[0],
            y=position[1],
            on_frontier=position in kept,
            on_reference_frontier=position in kept,
        )
        for place, position in sorted(placed.items(), key=lambda one: one[1])
    ]
    return Curve(
        x_metric="e2el",
        x_statistic=percentile,
        x_unit="s",
        x_better="smaller",
        y_metric="total_throughput_per_gpu",
        y_statistic="mean",
        y_unit="tok/s/gpu",
        y_better="larger",
        points=tuple(found),
        missing={},
    )
