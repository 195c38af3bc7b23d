"""Write the static page of a run."""

from pathlib import Path

from infx.flows.curves import series_of
from infx.flows.runs import Run
from infx.metrics.per_request import latencies
from infx.model.measured import Measured
from infx.report.content import Report, ReportedPoint
from infx.report.page import render
from infx.store.files import write_whole


def write_report(run: Run, path: Path) -> Path:
    """Write a run as one self-contained HTML file; raises MachineError when it cannot be."""
    result = run.result
    summaries = {(point.point_id, point.repetition): point for point in result.points}
    points = []
    for point in run.points:
        summary = summaries.get((point.point_id, point.repetition))
        if summary is not None:
            records = run.bundle.records(point)
            spread = latencies(Measured(records)) if point.keeps_requests else {}
            points.append(ReportedPoint(point, summary, records, spread))
    page = render(Report(run.manifest, result, tuple(points), series_of(result)))
    write_whole(path, page.encode())
    return path
