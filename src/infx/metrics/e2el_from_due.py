"""End-to-end latency from when the request was due: what a user of an open loop waits.

Formula: last content - due, per ok request. The wait before sending counts, see `ttft_from_due`.
Unit: seconds.
Absent when: the load is a closed loop, no request of the profiling phase ended ok, or none
delivered content.
Source: the plan and the client's socket reads; the defect of vllm-project/vllm#54101.
"""

from infx.metrics.per_request import NS_PER_S, since_due
from infx.model.measured import Measured
from infx.model.record import RequestRecord
from infx.model.result import Better, Metric

NAME = "e2el_from_due"
UNIT = "s"
BETTER: Better = "smaller"


def compute(measured: Measured) -> Metric:
    """Return the distribution over ok requests."""
    return since_due(measured, e2el_from_due_s)


def e2el_from_due_s(record: RequestRecord) -> float | None:
    """Return the time from the due moment to the last content."""
    if record.last_content_ns is None:
        return None
    return (record.last_content_ns - record.due_ns) / NS_PER_S
