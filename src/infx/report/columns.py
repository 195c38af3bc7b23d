"""The columns of every table of points, and the footnotes that say why a figure is missing."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from infx.model.record import EndState
from infx.model.result import Absent, PointSummary
from infx.report.names import load_kind
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


SINGLE_TURN, AGENTIC = "single-turn requests", "agentic replay"
"""What a run asks, as its tables call it."""


class Footnotes:
    """Reasons for missing figures, numbered from 1 in order of first mention.

    `name` tells the notes of several tables on one page apart.
    """

    def __init__(self, name: str = "why") -> None:
        self.name = name
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


def kinds(points: Sequence[PointSummary]) -> list[tuple[str, list[PointSummary]]]:
    """Return the points that one table can hold, in their order, and what their kind is called.

    Replayed sessions are summarised by other columns than independent requests. The name is empty
    where there is one kind only.
    """
    groups: dict[str, list[PointSummary]] = {}
    for point in points:
        groups.setdefault(SINGLE_TURN if point.replay is None else AGENTIC, []).append(point)
    named = len(groups) > 1
    return [(name if named else "", members) for name, members in groups.items()]


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


def count_of(point: PointSummary, what: str) -> Absent | str:
    """Return how many requests were `issued`, or ended in a state, or why nobody knows."""
    counts = point.counts
    return counts if isinstance(counts, Absent) else f"{getattr(counts, what):,}"


def has_intervals(points: Sequence[PointSummary]) -> bool:
    """Say whether any figure of their `columns` has an interval to explain."""
    return any(
        interval(point, *column)
        for _, members in kinds(points)
        for point in members
        for column in columns(members)
    )


def in_flight_head(points: Sequence[PointSummary]) -> str:
    """Return the head of the mean number of requests in flight, which stands beside the load."""
    if are_replays(points):
        return "in flight"
    return "achieved" if load_kind(points) == "concurrency" else "concurrency"
