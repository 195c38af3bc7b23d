"""Time to first token from when the request was due: what a user of an open loop waits.

Formula: first content - due, per ok request. When requests come at moments of their own, one that
the client or a full bound on requests in flight held back has waited already when it is sent; TTFT
leaves that wait out (coordinated omission).
Unit: seconds.
Absent when: the load is a closed loop, no request of the profiling phase ended ok, or none
delivered content.
Source: the plan and the client's socket reads; the defect of vllm-project/vllm#54101.
"""

from infx.metrics.per_request import NS_PER_S, since_due
from infx.model.measured import Measured
from infx.model.record import RequestRecord
from infx.model.result import Better, Metric

NAME = "ttft_from_due"
UNIT = "s"
BETTER: Better = "smaller"


def compute(measured: Measured) -> Metric:
    """Return the distribution over ok requests."""
    return since_due(measured, ttft_from_due_s)


def ttft_from_due_s(record: RequestRecord) -> float | None:
    """Return the time from the due moment to the first content of any channel."""
    if record.first_content_ns is None:
        return None
    return (record.first_content_ns - record.due_ns) / NS_PER_S
