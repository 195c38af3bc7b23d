"""The figures of a report as tables: every chart says nothing that is not here too."""

from collections.abc import Iterable, Sequence

from infx.model.record import EndState
from infx.model.result import Absent, Interval, Metric, MetricValue, PointSummary, Steady
from infx.report.columns import (
    END_NAMES,
    PLUS_MINUS,
    Footnotes,
    are_replays,
    cells,
    columns,
    has_intervals,
    heading,
    load_heads,
    load_kind,
    row_name,
)
from infx.report.content import Report, ReportedPoint
from infx.report.markup import Html, element, join, table
from infx.report.sessions import SESSION_HEADS, session_cells
from infx.report.units import display_unit, figure, label, statistic

STATISTICS = ("mean", "std", "p50", "p75", "p90", "p95", "p99")


def points_table(report: Report) -> Html:
    """Return latency and throughput of every point, with a footnote for each missing figure."""
    summaries = [point.summary for point in report.points]
    notes = Footnotes()
    load, achieved = load_heads(summaries)
    shown = columns(summaries)
    head = [load.capitalize(), achieved, *(heading(summaries, *column) for column in shown)]
    head += ["frontier", "certified"]
    frontier = _frontier(report)
    rows = [
        [
            row_name(summary),
            *(_cell(cell, notes) for cell in cells(summary, shown)),
            frontier.get((summary.point_id, summary.repetition), "–"),
            "yes" if summary.certified else join(["no: ", _codes(summary.reasons)]),
        ]
        for summary in summaries
    ]
    explained = [element("p", PLUS_MINUS, class_="notes")] if has_intervals(summaries) else []
    return join([table("Latency and throughput", head, rows), *explained, _footnotes(notes)])


def steady_table(report: Report) -> Html:
    """Return what each point says without its ramp and its drain, or why it says nothing."""
    summaries = [point.summary for point in report.points]
    told = [one.steady for one in summaries if isinstance(one.steady, Steady)]
    known = {name for one in told for name in one.metrics}
    shown = [
        column
        for column in columns(summaries)
        if column[1] != "p99" and (column[0] in known or not told)
    ]
    head = [load_kind(summaries).capitalize(), "from (s)", "to (s)", "requests"]
    head += [*(heading(summaries, *column) for column in shown), "why none"]
    rows = [_steady(summary, shown) for summary in summaries]
    caption = "Steady state"
    if told:
        what = "of sessions live" if are_replays(summaries) else "of peak in flight"
        caption += f", from the first to the last moment with {100 * told[0].share:g} % {what}"
    return table(caption, head, rows)


def _steady(summary: PointSummary, columns: Sequence[tuple[str, str]]) -> list[str]:
    found = summary.steady
    if isinstance(found, Absent):
        reason = element("span", found.reason, class_="absent")
        return [row_name(summary), *("–" for _ in range(len(columns) + 3)), reason]
    within = summary.model_copy(update={"metrics": found.metrics})
    values = [statistic(within, *column) for column in columns]
    shown = ("–" if isinstance(value, Absent) else figure(value) for value in values)
    reasons = dict.fromkeys(value.reason for value in values if isinstance(value, Absent))
    window = [f"{found.start_s:,.2f}", f"{found.end_s:,.2f}", f"{found.n:,}"]
    return [row_name(summary), *window, *shown, "; ".join(reasons)]


def sessions_table(report: Report) -> Html:
    """Return what became of replayed sessions and how far observations reach; else nothing."""
    summaries = [point.summary for point in report.points]
    rows = [
        [row_name(one), *session_cells(one, one.replay)]
        for one in summaries
        if one.replay is not None
    ]
    heads = (f"{name} ({unit})" if unit else name for name, unit in SESSION_HEADS)
    head = [load_kind(summaries).capitalize(), *heads]
    return table("Sessions and coverage", head, rows) if rows else Html("")


def _frontier(report: Report) -> dict[tuple[str, int], str]:
    """Say for the first curve whether a point stands on its frontier."""
    if not report.curves:
        return {}
    words = {(True, True): "yes", (True, False): "yes", (False, True): "plateau"}
    return {
        (p.point_id, p.repetition): words.get((p.on_frontier, p.on_reference_frontier), "no")
        for p in report.curves[0].points
    }


def counts_table(report: Report) -> Html:
    """Return how many requests were issued and how each ended, and why some failed."""
    kind = load_kind([point.summary for point in report.points]).capitalize()
    head = [kind, "issued", *END_NAMES.values(), "warm-up", "what failed"]
    rows = [_counts(point.summary) for point in report.points]
    return table("What became of the requests", head, rows)


def _counts(summary: PointSummary) -> list[str]:
    counts = summary.counts
    warmups = summary.warmup_counts
    failed = ", ".join(f"{reason} ({n:,})" for reason, n in summary.error_reasons.items())
    return [
        row_name(summary),
        f"{counts.issued:,}",
        *(_count(getattr(counts, state), state) for state in END_NAMES),
        f"{warmups.ok:,} of {warmups.issued:,} ok" if warmups.issued else "none",
        failed or "nothing",
    ]


def _count(number: int, state: EndState) -> Html:
    """Return a count; those of unhappy ends stand out."""
    quiet = "quiet" if number == 0 else None
    loud = "loud" if number and state is not EndState.OK else quiet
    return element("span", f"{number:,}", class_=loud)


def metrics_details(report: Report) -> Html:
    """Return every metric of every point with all its statistics, folded away."""
    return join(_details(point) for point in report.points)


def _details(point: ReportedPoint) -> Html:
    head = ["Metric", "unit", "n", *STATISTICS, "95 % intervals", "why none"]
    rows = (_metric_row(name, metric) for name, metric in point.summary.metrics.items())
    name = f"All metrics at {point.title}"
    summary = element("summary", name)
    return element("details", summary, table(name, head, rows))


def _metric_row(name: str, metric: Metric) -> list[str]:
    if isinstance(metric, Absent):
        reason = element("span", metric.reason, class_="absent")
        return [label(name), *("–" for _ in range(len(STATISTICS) + 3)), reason]
    unit, factor = display_unit(name, metric.unit)
    values = (getattr(metric, statistic) for statistic in STATISTICS)
    shown = ("–" if value is None else figure(value * factor) for value in values)
    return [label(name), unit, f"{metric.n:,}", *shown, *_intervals(metric, factor)]


def _intervals(metric: MetricValue, factor: float) -> tuple[str, str]:
    """Return the intervals of a metric's statistics, and why others have none."""
    found = [
        f"{name} {figure(own.low * factor)}–{figure(own.high * factor)}"
        for name, own in metric.intervals.items()
        if isinstance(own, Interval)
    ]
    absent = [own.reason for own in metric.intervals.values() if isinstance(own, Absent)]
    return ", ".join(found) or "–", "; ".join(dict.fromkeys(absent))


def _cell(cell: Absent | str, notes: Footnotes) -> str:
    if isinstance(cell, str):
        return cell
    number = notes.number(cell.reason)
    mark = element("a", str(number), href=f"#why-{number}", aria_label=f"why: note {number}")
    return element("span", "–", element("sup", mark), class_="absent", title=cell.reason)


def _footnotes(notes: Footnotes) -> Html:
    lines = [
        element("li", element("b", str(number)), f" {reason}", id=f"why-{number}")
        for number, reason in notes
    ]
    return element("ul", *lines, class_="notes") if lines else Html("")


def _codes(words: Iterable[str]) -> Html:
    """Return reasons as code words, one after another."""
    return Html(", ".join(element("code", word) for word in words))
