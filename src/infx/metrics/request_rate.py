"""Completed requests a second.

Formula: ok requests / (last content - first sent, over the ok requests).
Unit: requests a second.
Absent when: no request of the profiling phase ended ok, or their window has no length.
Source: the client's socket reads; as InferenceX AgentX defines it.
"""

from infx.metrics.per_point import rate
from infx.metrics.per_request import completed
from infx.model.measured import Measured
from infx.model.result import Better, Metric

NAME = "request_rate"
UNIT = "req/s"
BETTER: Better = "larger"
PER_GPU = True


def compute(measured: Measured) -> Metric:
    """Return the rate; n is the number of ok requests."""
    records = completed(measured)
    return rate(len(records), records, UNIT)
