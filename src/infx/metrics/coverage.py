"""Whether what was observed covers the stated time, and where a stall may hide in it.

AgentX asks how far the last observation of a kind reaches: the latest first content, or the latest
end of a request with an inter-token latency. One of the two has to reach 95 % of the stated time.
That says nothing of a stall in between, so the longest time without a completion is told too, and
the longest in which requests were in flight and none delivered anything. Where one of the two alone
reaches far, TTFT and the time between tokens rest on different parts of the profile: how far the
requests that tell them are apart is told as well.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from infx.metrics.itl import itl_s
from infx.metrics.per_point import end_ns
from infx.metrics.per_request import NS_PER_S, completed, profiled
from infx.model.measured import Measured
from infx.model.record import RequestRecord
from infx.model.result import Absent, Coverage

Moments = NDArray[np.int64]

REQUIRED_RATIO = 0.95
LEAST_S = 10.0
"""Shorter silences and distances are never too long: the load may idle as long by itself."""


def coverage(measured: Measured) -> Coverage | Absent:
    """Return how a replay's profiling phase is covered, or why that cannot be said.

    A ratio is None where nothing was observed of its kind. Warmup is left out. Raises ValueError
    when a record's moments run backwards.
    """
    replay = measured.replay
    if replay is None or replay.profiling is None:
        return Absent(reason="nobody kept when the profiling phase began and ended")
    start, end = replay.profiling
    length = end - start if replay.duration_ns is None else replay.duration_ns
    if length <= 0:
        return Absent(reason="the profiling phase has no length")
    records = completed(measured)
    firsts = [one.first_content_ns for one in records if one.first_content_ns is not None]
    told = [record for record in records if itl_s(record) is not None]
    limits = (start, min(start + length, end))
    return Coverage(
        timed=replay.duration_ns is not None,
        expected_duration_s=length / NS_PER_S,
        required_ratio=REQUIRED_RATIO,
        ttft_ratio=_reach(firsts, start, length),
        inter_token_latency_ratio=_reach(list(map(end_ns, told)), start, length),
        completion_gap_s=_gap(map(end_ns, records), limits),
        silence_s=_silence(profiled(measured), limits),
        apart_s=_apart([one for one in records if one.first_content_ns is not None], told),
    )


def covers(found: Coverage) -> bool:
    """Say whether the last observation of either kind reaches far enough."""
    ratios = [found.ttft_ratio, found.inter_token_latency_ratio]
    return max((one for one in ratios if one is not None), default=0.0) >= found.required_ratio


def stalls(found: Coverage) -> bool:
    """Say whether a silence was longer than what may be missing at the end, and than 10 s."""
    return found.silence_s > _allowed_s(found)


def differ(found: Coverage) -> bool:
    """Say whether TTFT and ITL rest on requests that are as far apart."""
    return found.apart_s is not None and found.apart_s > _allowed_s(found)


def _allowed_s(found: Coverage) -> float:
    return max((1 - found.required_ratio) * found.expected_duration_s, LEAST_S)


def _reach(moments: Sequence[int], start: int, length: int) -> float | None:
    return (max(moments) - start) / length if moments else None


def _apart(started: Sequence[RequestRecord], decoded: Sequence[RequestRecord]) -> float | None:
    """Return how far the first were sent, at most, from the nearest of the second, in seconds."""
    if not started or not decoded:
        return None
    moments = np.array([record.sent_ns for record in started], dtype=np.int64)
    near = np.array(sorted(record.sent_ns for record in decoded), dtype=np.int64)
    after = np.searchsorted(near, moments)
    distances = np.minimum(
        np.abs(moments - near[np.maximum(after - 1, 0)]),
        np.abs(moments - near[np.minimum(after, len(near) - 1)]),
    )
    return int(distances.max()) / NS_PER_S


def _gap(moments: Iterable[int], limits: tuple[int, int]) -> float | None:
    """Return the longest time between two successive moments inside the limits, in seconds."""
    start, end = limits
    inside = sorted(moment for moment in moments if start <= moment <= end)
    return max((after - at for at, after in pairwise(inside)), default=0) / NS_PER_S or None


def _silence(records: Sequence[RequestRecord], limits: tuple[int, int]) -> float:
    """Return the longest time in which requests were in flight and nothing came, in seconds.

    Content and ends break a silence; a request that is sent while none is in flight begins one.
    Time with nothing in flight is a pause of the sessions, and no silence. Silences below a second
    may be told shorter than they were: of all that came in one second only its edges are kept.
    """
    start, end = limits
    signs: dict[int, tuple[int, int]] = {}
    for record in records:
        if record.first_content_ns is not None:
            gaps = np.asarray(record.gaps.packed, dtype=np.int64)
            first = record.first_content_ns
            _note(signs, np.concatenate(((first,), first + gaps.cumsum())))
    pauses = dict(_pauses(records, start, end))
    ends = [record.end_ns for record in records if record.end_ns is not None]
    _note(signs, np.array(sorted([start, *ends, *pauses.values()]), dtype=np.int64))
    edges = [signs[second] for second in sorted(signs)]
    silences = [
        min(after, end) - max(at, start)
        for (_, at), (after, _) in pairwise([*edges, (end, end)])
        if pauses.get(at) != after
    ]
    return max(silences, default=0) / NS_PER_S


def _note(signs: dict[int, tuple[int, int]], moments: Moments) -> None:
    """Keep the first and the last moment of each second; the moments are in order."""
    seconds = moments // NS_PER_S
    changes = np.flatnonzero(np.diff(seconds)) + 1
    firsts, lasts = [0, *changes.tolist()], [*(changes - 1).tolist(), len(moments) - 1]
    for at, until in zip(firsts, lasts, strict=True):
        early, late = int(moments[at]), int(moments[until])
        first, last = signs.get(early // NS_PER_S, (early, late))
        signs[early // NS_PER_S] = (min(first, early), max(last, late))


def _pauses(records: Sequence[RequestRecord], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield when nothing was in flight any more, and when the next request was sent; then `end`."""
    latest = start
    flights = [
        (record.sent_ns, end if record.end_ns is None else record.end_ns) for record in records
    ]
    for sent, ended in sorted(flights):
        if sent > latest:
            yield latest, sent
        latest = max(latest, ended)
    if latest < end:
        yield latest, end
