"""Tables of replayed sessions, and of what servers counted of their own work."""

from infx.model.result import Absent, Metric, MetricValue, PointSummary, ServerMetrics
from infx.report.columns import Footnotes
from infx.report.content import Report
from infx.report.markup import Html, element, join, table
from infx.report.sessions import SESSION_HEADS, session_cells
from infx.report.tables import cell_of, footnotes
from infx.report.units import display_unit, figure, label

SERVER_COLUMNS: tuple[tuple[str, str], ...] = (
    ("running", "mean"),
    ("waiting", "mean"),
    ("kv_usage", "mean"),
    ("kv_usage_peak", "mean"),
    ("prefix_hit", "mean"),
    ("gpu_prefix_hit", "mean"),
    ("host_prefix_hit", "mean"),
    ("preemptions", "mean"),
    ("acceptance_length", "mean"),
)
"""Metric of the server and its statistic of each column."""


def sessions_table(report: Report) -> Html:
    """Return what became of replayed sessions and how far observations reach; else nothing."""
    names = report.names
    replayed = [point.summary for point in report.points if point.summary.replay is not None]
    if not replayed:
        return Html("")
    heads = (f"{one.name} ({one.unit})" if one.unit else one.name for one in SESSION_HEADS)
    rows = ([names.row(one), *session_cells(one)] for one in replayed)
    meanings = (
        element("div", element("dt", one.name), element("dd", one.meaning)) for one in SESSION_HEADS
    )
    explained = element(
        "details",
        element("summary", "What the columns of sessions and coverage say"),
        element("dl", *meanings),
    )
    head = [names.head.capitalize(), *heads]
    return join([table("Sessions and coverage", head, rows, class_="figures"), explained])


def server_table(report: Report) -> Html:
    """Return what servers said of themselves during profiling; nothing where nobody asked them."""
    names = report.names
    asked = [point.summary for point in report.points if point.summary.server is not None]
    if not asked:
        return Html("")
    notes = Footnotes("server")
    known = [column for column in SERVER_COLUMNS if any(_figure(one, column[0]) for one in asked)]
    head = [names.head.capitalize(), "dialect", "pages"]
    head += [_heading(asked, metric) for metric, _ in known]
    rows = []
    for one in asked:
        server = one.server
        told = ["–", "–"]
        if isinstance(server, ServerMetrics):
            told = [server.dialect, f"{server.pages:,}"]
        rows.append([names.row(one), *told, *(cell_of(_cell(one, *c), notes) for c in known)])
    return join([table("What the server counted", head, rows, class_="figures"), footnotes(notes)])


def _metric(point: PointSummary, name: str) -> Metric:
    if isinstance(point.server, ServerMetrics):
        return point.server.metrics.get(name, Absent(reason="not computed for this point"))
    return point.server or Absent(reason="nobody read the server's metrics")


def _figure(point: PointSummary, name: str) -> MetricValue | None:
    found = _metric(point, name)
    return None if isinstance(found, Absent) else found


def _heading(points: list[PointSummary], name: str) -> str:
    found = next(one for point in points if (one := _figure(point, name)) is not None)
    return f"{label(name)} ({display_unit(name, found.unit)[0]})"


def _cell(point: PointSummary, name: str, statistic: str) -> Absent | str:
    found = _metric(point, name)
    if isinstance(found, Absent):
        return found
    value: float = getattr(found, statistic)
    return figure(value * display_unit(name, found.unit)[1])
