"""The steady state of a closed loop: what a point says without its ramp and its drain."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import NamedTuple

from infx.metrics import e2el, itl, tpot, ttft
from infx.metrics.per_point import end_ns
from infx.metrics.per_request import NS_PER_S, completed, profiled
from infx.model.measured import Measured, Replayed
from infx.model.record import RequestRecord
from infx.model.result import Absent, Metric, MetricValue, Steady

SHARE = 0.9
LEAST_REQUESTS = 10
_LATENCIES = (ttft, tpot, itl, e2el)


class _Window(NamedTuple):
    peak: int
    start_ns: int
    end_ns: int

    def holds(self, moment: int) -> bool:
        """Say whether a moment lies after the start and not after the end."""
        return self.start_ns < moment <= self.end_ns


def steady(measured: Measured, share: float = SHARE) -> Steady | Absent:
    """Return the metrics of the steady window of a point, or why there is none.

    In flight is every request of the profiling phase, whatever its end, from sent to end; a lost
    one until the last known moment. The window runs from the first moment at which `share` of the
    peak number was in flight to the last one. Latencies rest on the ok requests that lie wholly
    inside: sent at or after its start, last content at or before its end. Throughputs count the
    tokens of ok requests by their own time, a prompt at the first content and the output tokens
    evenly over the content chunks, so a request that the edge cuts counts by its part. The request
    rate counts last contents inside. In a replay requests come and go, and it is live sessions that
    are held: a lane counts from the first send of all to its own last end, and at least until
    nothing more was issued. Sources: modelscope/evalscope#1641, sgl-project/sglang#30918.
    """
    if measured.open_loop:
        return Absent(reason="an open loop holds no concurrency")
    records = completed(measured)
    issued = profiled(measured)
    spans = _flights(issued) if measured.replay is None else _sessions(issued, measured.replay)
    window = _window(spans, share)
    if window is None:
        return Absent(reason="no request of the profiling phase was in flight")
    inside = [
        record
        for record in records
        if record.sent_ns >= window.start_ns and end_ns(record) <= window.end_ns
    ]
    if len(inside) < LEAST_REQUESTS:
        what = f"{len(inside)} ok requests lie wholly inside the window"
        return Absent(reason=f"{what}; {LEAST_REQUESTS} are needed")
    first = min(record.sent_ns for record in issued)
    within = replace(measured, records=tuple(inside))
    return Steady(
        share=share,
        peak=window.peak,
        start_s=(window.start_ns - first) / NS_PER_S,
        end_s=(window.end_ns - first) / NS_PER_S,
        n=len(inside),
        metrics={leaf.NAME: leaf.compute(within) for leaf in _LATENCIES} | _rates(records, window),
    )


def _flights(records: Sequence[RequestRecord]) -> list[tuple[int, int]]:
    """Return from when until when each request was in flight."""
    last = max((record.end_ns or record.sent_ns for record in records), default=0)
    return [
        (record.sent_ns, last if record.end_ns is None else record.end_ns) for record in records
    ]


def _sessions(records: Sequence[RequestRecord], replay: Replayed) -> list[tuple[int, int]]:
    """Return from when until when each lane had a live session."""
    flights = _flights(records)
    first = min((sent for sent, _ in flights), default=0)
    issuing = first
    if replay.profiling is not None and replay.duration_ns is not None:
        start, end = replay.profiling
        issuing = min(start + replay.duration_ns, end)
    ends: dict[int, int] = {}
    for record, (_, end) in zip(records, flights, strict=True):
        ends[record.lane] = max(end, ends.get(record.lane, issuing))
    return [(first, end) for end in ends.values()]


def _window(spans: Sequence[tuple[int, int]], share: float) -> _Window | None:
    # At one moment ends come first: a lane's next request follows its last one.
    steps = sorted([(end, -1) for _, end in spans] + [(start, 1) for start, _ in spans])
    flying = list(accumulate(step for _, step in steps))
    peak = max(flying, default=0)
    if peak < 1:
        return None
    asked = math.ceil(share * peak)
    at = [place for place, number in enumerate(flying) if number >= asked]
    return _Window(peak, steps[at[0]][0], steps[at[-1] + 1][0])


def _rates(records: Sequence[RequestRecord], window: _Window) -> dict[str, Metric]:
    return {
        "output_throughput": _rate(records, window, _output, "tok/s"),
        "total_throughput": _rate(records, window, _total, "tok/s"),
        "request_rate": _rate(records, window, _ended, "req/s"),
    }


def _rate(
    records: Sequence[RequestRecord],
    window: _Window,
    count: Callable[[RequestRecord, _Window], float | None],
    unit: str,
) -> Metric:
    """Return what came inside a second; n is the number of ok requests with a part of it."""
    parts = [count(record, window) for record in records]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        missing = len(parts) - len(known)
        return Absent(reason=f"the server gave no count for {missing} of {len(parts)} ok requests")
    length = (window.end_ns - window.start_ns) / NS_PER_S
    n = sum(part > 0 for part in known)
    return MetricValue(unit=unit, n=n, mean=math.fsum(known) / length)


def _output(record: RequestRecord, window: _Window) -> float | None:
    tokens = record.completion_tokens
    first = record.first_content_ns
    if tokens is None:
        return None
    if first is None:
        return float(tokens) if window.holds(end_ns(record)) else 0.0
    if window.holds(first) and window.holds(end_ns(record)):
        return float(tokens)
    moments = accumulate(record.gaps_ns, initial=first)
    return tokens * sum(map(window.holds, moments)) / record.chunks


def _total(record: RequestRecord, window: _Window) -> float | None:
    output = _output(record, window)
    if output is None or record.prompt_tokens is None:
        return None
    came = record.first_content_ns
    prompt = window.holds(end_ns(record) if came is None else came)
    return output + (record.prompt_tokens if prompt else 0)


def _ended(record: RequestRecord, window: _Window) -> float:
    return float(window.holds(end_ns(record)))
