"""The columns of every table of points, and the footnotes that say why a figure is missing."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from infx.model.record import EndState
from infx.model.result import Absent, PointSummary
from infx.report.units import figure, label, statistic, unit

COLUMNS: tuple[tuple[str, str], ...] = (
    ("ttft", "p50"),
    ("ttft", "p99"),
    ("tpot", "p50"),
    ("itl", "p50"),
    ("output_throughput", "mean"),
    ("total_throughput", "mean"),
)
"""Metric and statistic of each column of figures."""

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


def cells(point: PointSummary) -> list[Absent | str]:
    """Return the figures of one row of `COLUMNS`, after the achieved concurrency."""
    achieved: Absent | str = (
        Absent(reason="the achieved concurrency is not known")
        if point.achieved_concurrency is None
        else figure(point.achieved_concurrency)
    )
    row = [achieved]
    for metric, name in COLUMNS:
        value = statistic(point, metric, name)
        row.append(value if isinstance(value, Absent) else figure(value))
    return row


def row_name(point: PointSummary) -> str:
    """Return what a row of a table is called: the concurrency, and the repetition above 0."""
    return (
        f"{point.concurrency} r{point.repetition}" if point.repetition else str(point.concurrency)
    )
