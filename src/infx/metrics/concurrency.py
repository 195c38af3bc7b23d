"""Achieved concurrency, to stand beside the asked one."""

from collections.abc import Iterable

from infx.model.record import Phase, RequestRecord


def achieved_concurrency(records: Iterable[RequestRecord]) -> float | None:
    """Return the time average of requests in flight over the profiling phase.

    The window runs from the first sending to the last known moment; ramp and drain lie inside.
    Every end state counts, because each request held its place. A lost one was in flight until the
    window's end: nothing later is known. None when there is no request or no time between them.
    Raises ValueError when a request ends before it was sent.
    """
    profiled = [record for record in records if record.phase is Phase.PROFILING]
    if not profiled:
        return None
    start = min(record.sent_ns for record in profiled)
    last = max(max(record.sent_ns, record.end_ns or record.sent_ns) for record in profiled)
    flights = [
        (last if record.end_ns is None else record.end_ns) - record.sent_ns for record in profiled
    ]
    if min(flights) < 0:
        raise ValueError("a request ends before it was sent")
    return sum(flights) / (last - start) if last > start else None
