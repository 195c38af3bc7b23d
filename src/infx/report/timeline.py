"""When each request of a point was sent, began to answer, and ended, lane by lane."""

from collections.abc import Sequence

from pydantic import JsonValue

from infx.model.record import EndState, Phase
from infx.report.columns import row_name
from infx.report.content import ReportedPoint

MOST_DRAWN = 2_000
"""Requests drawn over all points together, to keep the page small; each point gets a share."""


def timelines(points: Sequence[ReportedPoint]) -> list[JsonValue]:
    """Return columns of seconds since the first send of each point's profiling phase.

    A missing moment is null. Where a point has more requests than its share, its first ones stand,
    and `total` says how many there were. `unhappy` tells the end of those that were not ok.
    """
    share = MOST_DRAWN // max(1, len(points))
    return [_timeline(point, share) for point in points]


def _timeline(point: ReportedPoint, share: int) -> JsonValue:
    profiled = sorted(
        (r for r in point.records if r.phase == Phase.PROFILING),
        key=lambda r: (r.sent_ns, r.request),
    )
    drawn = profiled[:share]
    start = profiled[0].sent_ns if profiled else 0

    def since(moment: int | None) -> float | None:
        return None if moment is None else round((moment - start) / 1e9, 3)

    return {
        "key": point.key,
        "title": point.title,
        "label": row_name(point.summary),
        "total": len(profiled),
        "request": [r.request for r in drawn],
        "lane": [r.lane for r in drawn],
        "sent": [since(r.sent_ns) for r in drawn],
        "first": [since(r.first_content_ns) for r in drawn],
        "end": [since(r.end_ns) for r in drawn],
        "unhappy": {
            str(place): f"{r.state.value}: {r.reason}" if r.reason else r.state.value
            for place, r in enumerate(drawn)
            if r.state is not EndState.OK
        },
    }
