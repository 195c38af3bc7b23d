"""What a report is made of: facts and figures that were gathered and computed elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass

from infx.model.bundle import Manifest, PointFile
from infx.model.record import RequestRecord
from infx.model.result import Curve, PointSummary, RunResult
from infx.report.names import Names


@dataclass(frozen=True, slots=True)
class ReportedPoint:
    """One measured point: what was run, what it says, and every request behind it.

    `latencies` maps metric ids to the seconds of each request that the metric summarises.
    """

    file: PointFile
    summary: PointSummary
    records: tuple[RequestRecord, ...]
    latencies: Mapping[str, tuple[float, ...]]

    @property
    def key(self) -> str:
        """What names the point within a page: its folder name."""
        return self.file.directory


@dataclass(frozen=True, slots=True)
class Series:
    """The points of one curve key, and their curves, the headline first.

    `name` is what tells it from the other series of its run; empty where there is no other.
    """

    name: str
    points: tuple[PointSummary, ...]
    curves: tuple[Curve, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A run as its page shows it; `series` are drawn in the order given, the first one first."""

    manifest: Manifest
    result: RunResult
    points: tuple[ReportedPoint, ...]
    series: tuple[Series, ...]

    @property
    def names(self) -> Names:
        """What its points are called among each other."""
        return Names([point.summary for point in self.points])
