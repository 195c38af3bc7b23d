"""What became of replayed sessions, as cells that every table shows alike."""

from typing import NamedTuple

from infx.model.result import Absent, Censored, Coverage, PointSummary
from infx.report.units import figure, sample, statistic


class SessionHead(NamedTuple):
    """A column of the sessions table: its head, the shorter one of a terminal, and its meaning."""

    name: str
    short: str
    unit: str
    meaning: str


SESSION_HEADS: tuple[SessionHead, ...] = (
    SessionHead("sessions", "sessions", "", "with a request in profiling"),
    SessionHead("finished", "finished", "", "played to their last turn"),
    SessionHead(
        "session time p50", "session", "s",
        "first send to last end of sessions played from their first turn to their last; n of them",
    ),
    SessionHead(
        "context overflow", "overflow", "%", "requests that did not fit the model's context"
    ),
    SessionHead(
        "censored", "censored", "%",
        "requests that were cut off at the end or lost; each took longer than its age, at least ≥",
    ),
    SessionHead(
        "coverage", "coverage", "%",
        "how much of the stated time the last observation reaches; below 95 % is not valid",
    ),
    SessionHead("completion gap", "gap", "s", "the longest time without a request that ended ok"),
    SessionHead(
        "silence", "silence", "s",
        "the longest time in which requests were in flight and none delivered anything",
    ),
    SessionHead(
        "idle skipped", "skipped", "s", "pauses of the recording that caps on idle time left out"
    ),
    SessionHead(
        "served prefix hit", "served hit", "%",
        "prompt tokens that the server found in a cache, by its answers",
    ),
    SessionHead(
        "theoretical prefix hit", "theory hit", "%",
        "prompt blocks that an endless cache would have known",
    ),
)  # fmt: skip

NOTHING = "–"


def session_cells(point: PointSummary) -> list[str]:
    """Return the cells of one point; what is not known is a dash."""
    replay = point.replay
    if replay is None:
        return [NOTHING for _ in SESSION_HEADS]
    return [
        f"{replay.plays:,}",
        f"{replay.finished:,}",
        _session_time(point),
        _figure(replay.overflow_share, 100),
        _censored(replay.censored),
        *_coverage(replay.coverage),
        _figure(replay.idle_skipped_s),
        _share(point, "served_prefix_hit"),
        _share(point, "theoretical_prefix_hit"),
    ]


def _session_time(point: PointSummary) -> str:
    value = statistic(point, "session_time", "p50")
    if isinstance(value, Absent):
        return NOTHING
    return f"{figure(value)} ({sample(point, 'session_time')})"


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
