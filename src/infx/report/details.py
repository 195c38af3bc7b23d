"""Every metric of every point with all its statistics, folded away."""

from collections.abc import Iterable, Iterator

from infx.model.result import Absent, Interval, Metric, MetricValue, PointSummary, ServerMetrics
from infx.report.agentx import agentx_details
from infx.report.content import Report
from infx.report.markup import Html, element, join, table
from infx.report.units import display_unit, figure, label

STATISTICS = ("mean", "std", "p50", "p75", "p90", "p95", "p99")


def metrics_details(report: Report) -> Html:
    """Return a folded table for each point, of a replay also those of AgentX and of its server."""
    names = report.names
    return join(
        block
        for point in report.points
        for block in _details(point.summary, names.place(point.summary))
    )


def _details(summary: PointSummary, name: str) -> Iterator[Html]:
    head = ["Metric", "unit", "n", *STATISTICS, "95 % intervals", "why none"]
    yield _folded(f"All metrics: {name}", head, _rows(summary.metrics.items()))
    if summary.replay is not None:
        yield agentx_details(summary.replay.agentx, name)
    if isinstance(summary.server, ServerMetrics):
        title = f"The server's own metrics: {name}"
        yield _folded(title, head, _rows(summary.server.metrics.items()))


def _folded(name: str, head: list[str], rows: Iterator[list[str]]) -> Html:
    return element("details", element("summary", name), table(name, head, rows))


def _rows(metrics: Iterable[tuple[str, Metric]]) -> Iterator[list[str]]:
    for name, metric in metrics:
        yield _row(name, metric)


def _row(name: str, metric: Metric) -> list[str]:
    if isinstance(metric, Absent):
        reason = element("span", metric.reason, class_="absent")
        return [label(name), *("–" for _ in range(len(STATISTICS) + 3)), reason]
    unit, factor = display_unit(name, metric.unit)
    values = (getattr(metric, statistic) for statistic in STATISTICS)
    shown = ("–" if value is None else figure(value * factor) for value in values)
    n = "–" if metric.n is None else f"{metric.n:,}"
    return [label(name), unit, n, *shown, *_intervals(metric, factor)]


def _intervals(metric: MetricValue, factor: float) -> tuple[str, str]:
    """Return the intervals of a metric's statistics, and why others have none."""
    found = [
        f"{name} {figure(own.low * factor)}–{figure(own.high * factor)}"
        for name, own in metric.intervals.items()
        if isinstance(own, Interval)
    ]
    absent = [own.reason for own in metric.intervals.values() if isinstance(own, Absent)]
    return ", ".join(found) or "–", "; ".join(dict.fromkeys(absent))
