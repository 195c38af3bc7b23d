"""Time that a request waited in the client for its turn to be sent.

Formula: sent - due, per ok request. Due is when the plan wanted it sent.
Unit: seconds.
Absent when: no request of the profiling phase ended ok.
Source: the plan and the client's clock; the defect of vllm-project/vllm#54101.
"""

from infx.metrics.per_request import NOTHING_OK, NS_PER_S, completed, distribution
from infx.model.measured import Measured
from infx.model.result import Better, Metric

NAME = "queue_time"
UNIT = "s"
BETTER: Better = "smaller"


def compute(measured: Measured) -> Metric:
    """Return the distribution over ok requests."""
    waits = ((record.sent_ns - record.due_ns) / NS_PER_S for record in completed(measured))
    return distribution(waits, UNIT, NOTHING_OK)
