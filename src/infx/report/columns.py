"""The columns of every table of points, and the footnotes that say why a figure is missing."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from infx.model.record import EndState
from infx.model.result import Absent, CurvePoint, PointSummary
from infx.report.units import figure, interval, label, plus_minus, statistic, unit

COLUMNS: tuple[tuple[str, str], ...] = (
    ("ttft", "p50"),
    ("ttft", "p99"),
    ("tpot", "p50"),
    ("itl", "p50"),
    ("output_throughput", "mean"),
    ("total_throughput", "mean"),
)
"""Metric and statistic of each column of figures."""

REPLAY_COLUMNS: tuple[tuple[str, str], ...] = (
    ("ttft", "p50"),
    ("ttft", "p90"),
    ("e2el", "p90"),
    ("interactivity", "p90"),
    ("output_throughput", "mean"),
    ("total_throughput", "mean"),
)
"""The columns of points at which sessions were replayed: the field compares those by p90."""

PLUS_MINUS = "±: 95 % interval by chance within the measurement, not by what changes between runs"
"""What stands below a table whose figures have intervals."""

END_NAMES: Mapping[EndState, str] = MappingProxyType(
    {
        EndState.OK: "ok",
        EndState.ERROR: "error",
        EndState.OVERFLOW: "overflow",
        EndState.CANCELLED_AT_END: "cut at end",
        EndState.CANCELLED_BY_PLAN: "cut by plan",
        EndState.LOST: "lost",
    }
)
"""The six end states as column heads."""


class Footnotes:
    """Reasons for missing figures, numbered from 1 in order of first mention."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, reason: str) -> int:
        """Return the footnote number of a reason."""
        return self._numbers.setdefault(reason, len(self._numbers) + 1)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return iter([(number, reason) for reason, number in self._numbers.items()])


def heading(points: Sequence[PointSummary], metric: str, name: str) -> str:
    """Return a column head: metric, statistic, display unit."""
    shown_unit = unit(points, metric)
    return f"{label(metric, name)} ({shown_unit})" if shown_unit else label(metric, name)


def are_replays(points: Sequence[PointSummary]) -> bool:
    """Say whether sessions were replayed at every one of these points, and there is one."""
    return bool(points) and all(point.replay is not None for point in points)


def columns(points: Sequence[PointSummary]) -> tuple[tuple[str, str], ...]:
    """Return metric and statistic of each column of figures for these points."""
    return REPLAY_COLUMNS if are_replays(points) else COLUMNS


def cells(point: PointSummary, shown: Sequence[tuple[str, str]]) -> list[Absent | str]:
    """Return the figures of one row of these columns, after the achieved concurrency."""
    achieved: Absent | str = (
        Absent(reason="the achieved concurrency is not known")
        if point.achieved_concurrency is None
        else figure(point.achieved_concurrency)
    )
    row = [achieved]
    for metric, name in shown:
        value = statistic(point, metric, name)
        within = interval(point, metric, name)
        row.append(value if isinstance(value, Absent) else plus_minus(value, within))
    return row


def has_intervals(points: Sequence[PointSummary]) -> bool:
    """Say whether any figure of their `columns` has an interval to explain."""
    return any(interval(point, *column) for point in points for column in columns(points))


def load_kind(points: Sequence[PointSummary | CurvePoint]) -> str:
    """Return what points are told apart by: `rate` where one has an open loop."""
    return "rate" if any(point.rate is not None for point in points) else "concurrency"


def load_name(point: PointSummary | CurvePoint) -> str:
    """Return the load of a point: its concurrency, or its rate as in `2.5/s`."""
    return str(point.concurrency) if point.rate is None else f"{point.rate:g}/s"


def row_name(point: PointSummary) -> str:
    """Return what a row of a table is called: its load, and the repetition above 0."""
    return f"{load_name(point)} r{point.repetition}" if point.repetition else load_name(point)


def point_name(point: PointSummary) -> str:
    """Return what people call a point: `concurrency 4`, or `rate 2/s r1`."""
    return f"{load_kind([point])} {row_name(point)}"


def load_heads(points: Sequence[PointSummary]) -> tuple[str, str]:
    """Return the heads of the load, and of the mean number of requests in flight beside it."""
    kind = load_kind(points)
    if are_replays(points):
        return kind, "in flight"
    return kind, "achieved" if kind == "concurrency" else "concurrency"
