"""What became of replayed sessions, as cells that every table shows alike."""

from infx.model.result import Absent, Censored, Coverage, PointSummary, ReplaySummary
from infx.report.units import figure, statistic

SESSION_HEADS: tuple[tuple[str, str], ...] = (
    ("sessions", ""),
    ("finished", ""),
    ("overflow", "%"),
    ("cut off", "%"),
    ("reach", "%"),
    ("gap", "s"),
    ("silence", "s"),
    ("skipped", "s"),
    ("cached", "%"),
    ("cacheable", "%"),
)
"""Head and unit of each cell: sessions with a request in profiling, and those played to their end;
shares of requests that did not fit the context or were cut off; how much of the stated time the
observations reach; the longest time without a completion, and in which requests were in flight and
nothing came; pauses left out; prompt tokens that the server had in a cache, and blocks that it
could have had."""

NOTHING = "–"


def session_cells(point: PointSummary, replay: ReplaySummary) -> list[str]:
    """Return the cells of one point; what is not known is a dash."""
    return [
        f"{replay.plays:,}",
        f"{replay.finished:,}",
        _figure(replay.overflow_share, 100),
        _censored(replay.censored),
        *_coverage(replay.coverage),
        _figure(replay.idle_skipped_s),
        _share(point, "served_prefix_hit"),
        _share(point, "theoretical_prefix_hit"),
    ]


def _coverage(found: Coverage | Absent) -> list[str]:
    if isinstance(found, Absent):
        return [NOTHING] * 3
    ratios = [found.ttft_ratio, found.inter_token_latency_ratio]
    reach = max((one for one in ratios if one is not None), default=None)
    return [_figure(reach, 100), _figure(found.completion_gap_s), _figure(found.silence_s)]


def _censored(found: Censored | None) -> str:
    if found is None:
        return NOTHING
    age = found.least_age_s
    return _figure(found.share, 100) + ("" if age is None else f" (≥ {figure(age)} s)")


def _share(point: PointSummary, metric: str) -> str:
    value = statistic(point, metric, "mean")
    return NOTHING if isinstance(value, Absent) else figure(value)


def _figure(value: float | None, factor: float = 1) -> str:
    return NOTHING if value is None else figure(value * factor)
