"""The figures of a report as tables: every chart says nothing that is not here too."""

from collections.abc import Iterable, Mapping, Sequence

from infx.model.record import EndState
from infx.model.result import Absent, Counts, PointSummary, Steady
from infx.report.columns import (
    END_NAMES,
    PLUS_MINUS,
    Footnotes,
    are_replays,
    cells,
    columns,
    count_of,
    has_intervals,
    heading,
    in_flight_head,
    kinds,
)
from infx.report.content import Report
from infx.report.markup import Html, element, join, table
from infx.report.names import Names
from infx.report.units import figure, statistic


def points_table(report: Report) -> Html:
    """Return latency and throughput of every point, with a footnote for each missing figure.

    Points at which sessions were replayed have a table of their own.
    """
    names = report.names
    summaries = [point.summary for point in report.points]
    notes = Footnotes()
    frontier = _frontier(report)
    blocks = [
        _points(
            points,
            captioned("Latency and throughput", kind),
            names=names,
            frontier=frontier,
            notes=notes,
        )
        for kind, points in kinds(summaries) or [("", summaries)]
    ]
    if has_intervals(summaries):
        blocks.append(element("p", PLUS_MINUS, class_="notes"))
    return join([*blocks, footnotes(notes)])


def _points(
    points: Sequence[PointSummary],
    caption: str,
    *,
    names: Names,
    frontier: Mapping[tuple[str, int], str],
    notes: Footnotes,
) -> Html:
    shown = columns(points)
    head = [names.head.capitalize(), in_flight_head(points), "ok"]
    head += [*(heading(points, *column) for column in shown), "frontier", "certified"]
    rows = []
    for point in points:
        achieved, *figures = (cell_of(cell, notes) for cell in cells(point, shown))
        standing = frontier.get((point.point_id, point.repetition), "–")
        sound = "yes" if point.certified else join(["no", _codes(point.reasons)])
        ok = cell_of(count_of(point, "ok"), notes)
        rows.append([names.row(point), achieved, ok, *figures, standing, sound])
    return table(caption, head, rows)


def steady_table(report: Report) -> Html:
    """Return what each point says without its ramp and its drain, or why it says nothing."""
    names = report.names
    grouped = kinds([point.summary for point in report.points])
    return join(_steady_of(points, kind, names) for kind, points in grouped)


def _steady_of(points: Sequence[PointSummary], kind: str, names: Names) -> Html:
    told = [one.steady for one in points if isinstance(one.steady, Steady)]
    known = {name for one in told for name in one.metrics}
    shown = [
        column
        for column in columns(points)
        if column[1] != "p99" and (column[0] in known or not told)
    ]
    head = [names.head.capitalize(), "from (s)", "to (s)", "requests"]
    head += [*(heading(points, *column) for column in shown), "why none"]
    rows = ([names.row(point), *_steady(point, shown)] for point in points)
    caption = captioned("Steady state", kind)
    if told:
        what = "of sessions live" if are_replays(points) else "of peak in flight"
        caption += f", from the first to the last moment with {100 * told[0].share:g} % {what}"
    return table(caption, head, rows)


def _steady(summary: PointSummary, columns: Sequence[tuple[str, str]]) -> list[str]:
    found = summary.steady
    if isinstance(found, Absent):
        reason = element("span", found.reason, class_="absent")
        return [*("–" for _ in range(len(columns) + 3)), reason]
    within = summary.model_copy(update={"metrics": found.metrics})
    values = [statistic(within, *column) for column in columns]
    shown = ("–" if isinstance(value, Absent) else figure(value) for value in values)
    reasons = dict.fromkeys(value.reason for value in values if isinstance(value, Absent))
    window = [f"{found.start_s:,.2f}", f"{found.end_s:,.2f}", f"{found.n:,}"]
    return [*window, *shown, "; ".join(reasons)]


def captioned(title: str, kind: str) -> str:
    """Return the caption of a table that holds one kind of points only."""
    return f"{title}, {kind}" if kind else title


def _frontier(report: Report) -> dict[tuple[str, int], str]:
    """Say for the headline curve of each series whether a point stands on its frontier."""
    words = {(True, True): "yes", (True, False): "yes", (False, True): "plateau"}
    return {
        (p.point_id, p.repetition): words.get((p.on_frontier, p.on_reference_frontier), "no")
        for series in report.series
        for p in series.curves[0].points
    }


def counts_table(report: Report) -> Html:
    """Return how many requests were issued and how each ended, and why some failed."""
    names = report.names
    head = [names.head.capitalize(), "issued", *END_NAMES.values(), "warm-up", "what failed"]
    rows = ([names.row(point.summary), *_counts(point.summary)] for point in report.points)
    return table("What became of the requests", head, rows)


def _counts(summary: PointSummary) -> list[str]:
    counts, warmups = summary.counts, summary.warmup_counts
    if isinstance(counts, Absent):
        reason = element("span", counts.reason, class_="absent")
        return [*("–" for _ in range(len(END_NAMES) + 2)), reason]
    failed = ", ".join(f"{reason} ({n:,})" for reason, n in summary.error_reasons.items())
    return [
        f"{counts.issued:,}",
        *(_count(getattr(counts, state), state) for state in END_NAMES),
        _warmups(warmups),
        failed or "nothing",
    ]


def _warmups(counts: Counts | Absent) -> str:
    if isinstance(counts, Absent):
        return "not told"
    return f"{counts.ok:,} of {counts.issued:,} ok" if counts.issued else "none"


def _count(number: int, state: EndState) -> Html:
    """Return a count; those of unhappy ends stand out."""
    quiet = "quiet" if number == 0 else None
    loud = "loud" if number and state is not EndState.OK else quiet
    return element("span", f"{number:,}", class_=loud)


def cell_of(cell: Absent | str, notes: Footnotes) -> str:
    """Return a figure, or a dash that leads to the footnote with its reason."""
    if isinstance(cell, str):
        return cell
    number = notes.number(cell.reason)
    there = f"#{notes.name}-{number}"
    mark = element("a", str(number), href=there, aria_label=f"why: note {number}")
    return element("span", "–", element("sup", mark), class_="absent", title=cell.reason)


def footnotes(notes: Footnotes) -> Html:
    """Return the reasons behind the dashes of a table; nothing where none is missing."""
    lines = [
        element("li", element("b", str(number)), f" {reason}", id=f"{notes.name}-{number}")
        for number, reason in notes
    ]
    return element("ul", *lines, class_="notes") if lines else Html("")


def _codes(words: Iterable[str]) -> Html:
    """Return reasons as code words, one below the other."""
    return element("span", *(element("code", word) for word in words), class_="codes")
