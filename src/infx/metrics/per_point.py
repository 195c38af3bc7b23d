"""Figures of a whole point: rates over the window of its ok requests, and shares of requests."""

from collections.abc import Callable, Sequence

from infx.metrics.per_request import NOTHING_OK, NS_PER_S
from infx.model.record import RequestRecord
from infx.model.result import Absent, Metric, MetricValue


def window_s(records: Sequence[RequestRecord]) -> float:
    """Return the time from the first sending to the last content over non-empty ok records.

    The tail in which lanes drain lies inside. The last content ends a request, as it ends E2EL; one
    that delivered none ends with its stream.
    """
    ends = [end_ns(record) for record in records]
    return (max(ends) - min(record.sent_ns for record in records)) / NS_PER_S


def end_ns(record: RequestRecord) -> int:
    """Return when an ok request ended: its last content, or its stream where it delivered none."""
    end = record.last_content_ns if record.last_content_ns is not None else record.end_ns
    if end is None:
        raise ValueError(f"request {record.request} is ok and has no end")
    return end


def rate(total: int, records: Sequence[RequestRecord], unit: str) -> Metric:
    """Return `total` a second over the window of the ok records, on which n rests."""
    if not records:
        return Absent(reason=NOTHING_OK)
    window = window_s(records)
    if not window:
        return Absent(reason="the window from first sending to last content has no length")
    return MetricValue(unit=unit, n=len(records), mean=total / window)


def token_rate(
    records: Sequence[RequestRecord], tokens: Callable[[RequestRecord], int | None], unit: str
) -> Metric:
    """Return tokens a second over ok records; absent when even one of them has no count.

    A sum with holes would be a lower bound that looks like a figure.
    """
    counts = [tokens(record) for record in records]
    known = [count for count in counts if count is not None]
    if len(known) < len(counts):
        missing = len(counts) - len(known)
        return Absent(reason=f"the server gave no count for {missing} of {len(counts)} ok requests")
    return rate(sum(known), records, unit)


def share(hits: Sequence[bool], reason: str) -> Metric:
    """Return the share of true ones, or the reason when there are none to judge."""
    if not hits:
        return Absent(reason=reason)
    return MetricValue(unit="share", n=len(hits), mean=sum(hits) / len(hits))
