"""The client's audit of itself: how far its own work may have moved the figures.

Every record bounds how late the client's loop may have read its first content. Content that comes
at any moment of a stretch in which the loop was busy waited half of it on average; content that
comes in step with the stretch waited all of it. The figure named for the mean TTFT lies in the
geometric middle, within a factor of 1.42 of either; for the p99 it is the bound's own p99.
"""

import math

from infx.metrics.per_request import NS_PER_S, completed
from infx.model.measured import Measured
from infx.model.result import ClientAudit, Metric, MetricValue
from infx.stats.percentile import mean, percentile

MEAN_TOLERANCE_S, MEAN_TOLERANCE_SHARE = 0.0005, 0.02
P99_TOLERANCE_S, P99_TOLERANCE_SHARE = 0.002, 0.05
SEND_TOLERANCE_S, SEND_TOLERANCE_SHARE = 0.005, 0.02


def client_audit(measured: Measured) -> ClientAudit | None:
    """Return the audit over the ok records of profiling; None where none of them was watched."""
    records = completed(measured)
    late = sorted(record.late_ns / NS_PER_S for record in records if record.late_ns is not None)
    if not late:
        return None
    sent = sorted((record.sent_ns - record.due_ns) / NS_PER_S for record in records)
    return ClientAudit(
        ttft_bias_mean=mean(late) / math.sqrt(2),
        ttft_bias_p99=percentile(late, 99),
        send_lag_p99=percentile(sent, 99),
    )


def client_reasons(audit: ClientAudit | None, ttft: Metric, e2el: Metric) -> tuple[str, ...]:
    """Return why the client cannot stand for its figures, if it cannot.

    TTFT may move by 0.5 ms or 2 % in the mean, and by 2 ms or 5 % at p99; a request may leave 5 ms
    or 2 % of the median E2EL after it was due at p99. Whatever is larger holds.
    """
    if audit is None:
        return ("client-not-audited",)
    found = []
    if isinstance(ttft, MetricValue) and ttft.p99 is not None:
        mean_limit = max(MEAN_TOLERANCE_S, MEAN_TOLERANCE_SHARE * ttft.mean)
        p99_limit = max(P99_TOLERANCE_S, P99_TOLERANCE_SHARE * ttft.p99)
        if audit.ttft_bias_mean > mean_limit or audit.ttft_bias_p99 > p99_limit:
            found.append("client-lag")
    if isinstance(e2el, MetricValue) and e2el.p50 is not None:
        limit = max(SEND_TOLERANCE_S, SEND_TOLERANCE_SHARE * e2el.p50)
        if audit.send_lag_p99 > limit:
            found.append("client-late")
    return tuple(found)
