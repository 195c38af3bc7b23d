"""Write the static page of a run."""

from pathlib import Path

from infx.flows.curves import curves_of
from infx.flows.runs import Run
from infx.report.content import Report, ReportedPoint
from infx.report.page import render
from infx.store.files import write_whole


def write_report(run: Run, path: Path) -> Path:
    """Write a run as one self-contained HTML file; raises MachineError when it cannot be."""
    result = run.result
    summaries = {(point.point_id, point.repetition): point for point in result.points}
    points = tuple(
        ReportedPoint(point, summaries[key], run.bundle.records(point))
        for point in run.points
        if (key := (point.point_id, point.repetition)) in summaries
    )
    page = render(Report(run.manifest, result, points, curves_of(result)))
    write_whole(path, page.encode())
    return path
