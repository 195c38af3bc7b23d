"""Speculative decoding: the acceptance length that was measured, beside the golden one."""

from infx.model.acceptance import Cell
from infx.model.result import Absent, MetricValue, PointSummary
from infx.report.columns import Footnotes
from infx.report.content import Report
from infx.report.markup import Html, join, table
from infx.report.tables import cell_of, footnotes
from infx.report.units import figure, statistic


def speculation_table(report: Report) -> Html:
    """Return what points say of speculative decoding; nothing where none of them speculated."""
    names = report.names
    told = [point.summary for point in report.points if _speculates(point.summary)]
    if not told:
        return Html("")
    notes = Footnotes("speculation")
    rows = (
        [names.row(one), *(cell_of(cell, notes) for cell in _cells(one)), _where(one.golden)]
        for one in told
    )
    head = [names.head.capitalize(), "measured AL (tok/step)", "golden AL (tok/step)",
            "off by (%)", "golden curve"]  # fmt: skip
    caption = "Speculative decoding: acceptance length (AL)"
    return join([table(caption, head, rows, class_="figures"), footnotes(notes)])


def _speculates(point: PointSummary) -> bool:
    measured = point.metrics.get("acceptance_length")
    return isinstance(measured, MetricValue) or isinstance(point.golden, Cell)


def _cells(point: PointSummary) -> list[Absent | str]:
    golden = point.golden or Absent(reason="only replays are held to golden acceptance")
    return [
        _figure(point, "acceptance_length"),
        str(golden.al) if isinstance(golden, Cell) else golden,
        _figure(point, "acceptance_error"),
    ]


def _figure(point: PointSummary, metric: str) -> Absent | str:
    found = statistic(point, metric, "mean")
    return found if isinstance(found, Absent) else figure(found)


def _where(golden: Cell | Absent | None) -> str:
    if not isinstance(golden, Cell):
        return "–"
    return f"{golden.curve}, {golden.thinking}, {golden.length} draft tokens"
