"""Measured figures of affected entries as curves, pooled as readers see them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from infx.curves.coverage import coverage, upper_right
from infx.curves.gaps import covered, gaps
from infx.model import run_facts
from infx.model.result import Curve, CurvePoint
from infx.model.verdict import Cite

AGENTIC = ("p90", "p75")
FIXED = ("p50",)


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured point: its latencies in seconds by percentile, and tokens/s per GPU.

    Figures are as they were written down: what is no positive number is no evidence. `series` is
    the curve that the point belongs to; curves of the same `asked` (model and scenario) are read
    side by side, whatever hardware and engine they are of.
    """

    config: str
    series: str
    asked: str
    concurrency: int
    latency: dict[str, JsonValue]
    throughput: JsonValue
    cite: Cite


@dataclass(frozen=True, slots=True)
class _Drawn:
    """One series at one percentile: its figures, what is no evidence, and its curve."""

    percentile: str
    figures: tuple[Figure, ...]
    invalid: tuple[int, ...]
    curve: Curve

    @property
    def series(self) -> str:
        return self.figures[0].series

    @property
    def asked(self) -> str:
        return self.figures[0].asked

    @property
    def frontier(self) -> tuple[int, ...]:
        on = (one.concurrency for one in self.curve.points if one.on_reference_frontier)
        return tuple(sorted(on))


def curves(
    figures: Iterable[Figure], beside: Iterable[Figure] = ()
) -> Iterator[run_facts.CurveFacts]:
    """Yield every curve of affected entries at each percentile that its points have.

    `beside` are figures of other entries, which only tell how far comparable curves reach.
    """
    mine = list(_drawn(figures))
    others = [*mine, *_drawn(beside)]
    for one in mine:
        yield _facts(one, [other for other in others if _is_beside(one, other)])


def _is_beside(one: _Drawn, other: _Drawn) -> bool:
    same = (one.asked, one.percentile) == (other.asked, other.percentile)
    return same and one.series != other.series and bool(other.frontier)


def _facts(one: _Drawn, beside: Sequence[_Drawn]) -> run_facts.CurveFacts:
    reach = covered(other.curve for other in beside)
    why = f"no other curve of {one.asked} has figures at {one.percentile.upper()} here"
    return run_facts.CurveFacts(
        key=one.series,
        configs=tuple(dict.fromkeys(figure.config for figure in one.figures)),
        percentile=one.percentile,
        measured=len(one.figures),
        frontier=one.frontier,
        invalid=one.invalid,
        gaps=gaps(one.curve, reach=reach),
        reach=reach,
        reach_of=tuple(dict.fromkeys(other.series for other in beside)),
        why_no_reach=why if reach is None else None,
        cite=one.figures[0].cite,
    )


def _drawn(figures: Iterable[Figure]) -> Iterator[_Drawn]:
    pools: dict[str, list[Figure]] = {}
    for figure in figures:
        pools.setdefault(figure.series, []).append(figure)
    for series, mine in pools.items():
        for percentile in dict.fromkeys(name for one in mine for name in one.latency):
            yield _draw(series, percentile, mine)


def _draw(series: str, percentile: str, mine: Sequence[Figure]) -> _Drawn:
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
    invalid = [one.concurrency for place, one in enumerate(mine) if place not in valid]
    drawn = _curve(percentile, mine, placed, kept)
    return _Drawn(percentile, tuple(mine), tuple(sorted(invalid)), drawn)


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
