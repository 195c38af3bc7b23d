"""What a replay of recorded conversations asked otherwise than they were recorded."""

from collections.abc import Mapping

from pydantic import JsonValue

from infx.report.content import Report, ReportedPoint
from infx.report.markup import Html, table

HEAD = (
    "answers joined",
    "stood in for",
    "conversations ended",
    "tokens asked of answers",
    "tokens answered",
    "fields not sent (requests)",
)
NOTHING = "–"


def recorded_table(report: Report) -> Html:
    """Return which answers of the server later prompts contain, and which fields were left out.

    Nothing where prompts hold no such answer and every recorded field was sent.
    """
    names = report.names
    told = [point for point in report.points if _live(point) or _unsent(point)]
    if not told:
        return Html("")
    rows = ([names.row(point.summary), *_cells(point)] for point in told)
    head = [names.head.capitalize(), *HEAD]
    return table("Answers in later prompts, and fields that were not sent", head, rows)


def _cells(point: ReportedPoint) -> list[str]:
    live, unsent = _live(point), _unsent(point)
    counts = ("joined", "stood_in", "ended", "asked_tokens", "answered_tokens")
    fields = ", ".join(f"{name} ({count})" for name, count in unsent.items())
    return [*(_count(live.get(name)) for name in counts), fields or NOTHING]


def _live(point: ReportedPoint) -> Mapping[str, JsonValue]:
    return _mapping(point.file.audit.get("live_answers"))


def _unsent(point: ReportedPoint) -> Mapping[str, JsonValue]:
    return _mapping(point.file.audit.get("unsent_fields"))


def _mapping(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _count(value: JsonValue) -> str:
    return f"{value:,}" if isinstance(value, int) else NOTHING
