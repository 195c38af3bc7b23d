"""What a report is made of: facts and figures that were gathered and computed elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass

from infx.model.bundle import Manifest, PointFile
from infx.model.record import RequestRecord
from infx.model.result import Curve, PointSummary, RunResult
from infx.report.columns import load_kind, load_name


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

    @property
    def title(self) -> str:
        """What people call the point: its load, and the repetition above the first."""
        again = f", repetition {self.file.repetition}" if self.file.repetition else ""
        return f"{load_kind([self.summary])} {load_name(self.summary)}{again}"


@dataclass(frozen=True, slots=True)
class Report:
    """A run as its page shows it; `curves` are drawn in the order given, the first one first."""

    manifest: Manifest
    result: RunResult
    points: tuple[ReportedPoint, ...]
    curves: tuple[Curve, ...]
