"""When each request of a point was sent, began to answer, and ended, lane by lane."""

from collections.abc import Sequence

from pydantic import JsonValue

from infx.model.record import EndState, Phase, RequestRecord
from infx.report.content import ReportedPoint
from infx.report.names import Names

MOST_DRAWN = 2_000
"""Requests drawn over all points together, to keep the page small; each point gets a share."""


def timelines(points: Sequence[ReportedPoint]) -> list[JsonValue]:
    """Return columns of seconds since the first send of each point's profiling phase.

    A missing moment is null. Where a point has more requests than its share, its first ones stand,
    and `total` says how many there were. `row` parts the requests of a lane that overlap. `unhappy`
    tells the end of those that were not ok. `stream` and `turn` are those of replayed sessions.
    """
    share = MOST_DRAWN // max(1, len(points))
    names = Names([point.summary for point in points])
    points = [point for point in points if point.file.keeps_requests]
    return [_timeline(point, share, names) for point in points]


def _timeline(point: ReportedPoint, share: int, names: Names) -> JsonValue:
    profiled = sorted(
        (r for r in point.records if r.phase == Phase.PROFILING),
        key=lambda r: (r.sent_ns, r.request),
    )
    drawn = profiled[:share]
    start = profiled[0].sent_ns if profiled else 0

    def since(moment: int | None) -> float | None:
        return None if moment is None else round((moment - start) / 1e9, 3)

    replayed = point.summary.replay is not None
    return {
        "key": point.key,
        "title": names.place(point.summary),
        "label": names.row(point.summary),
        "total": len(profiled),
        "request": [r.request for r in drawn],
        "lane": [r.lane for r in drawn],
        "row": [*rows(drawn)],
        "stream": [r.session for r in drawn] if replayed else None,
        "turn": [r.turn for r in drawn] if replayed else None,
        "sent": [since(r.sent_ns) for r in drawn],
        "first": [since(r.first_content_ns) for r in drawn],
        "end": [since(r.end_ns) for r in drawn],
        "unhappy": {
            str(place): f"{r.state.value}: {r.reason}" if r.reason else r.state.value
            for place, r in enumerate(drawn)
            if r.state is not EndState.OK
        },
    }


def rows(records: Sequence[RequestRecord]) -> list[int]:
    """Return for requests in the order of their sends the row of their lane that each is drawn in.

    A request takes the row of its session where that is free, else the first free one, so that
    subagents that work at the same time lie below each other.
    """
    busy: dict[int, list[int]] = {}  # lane to the moment until which each of its rows is taken
    usual: dict[int, int] = {}
    found = []
    for record in records:
        taken = busy.setdefault(record.lane, [])
        free = [row for row, until in enumerate(taken) if until <= record.sent_ns]
        row = usual.get(record.session, -1)
        if row not in free:
            row = free[0] if free else len(taken)
        if row == len(taken):
            taken.append(0)
        taken[row] = record.end_ns or record.first_content_ns or record.sent_ns
        usual[record.session] = row
        found.append(row)
    return found
