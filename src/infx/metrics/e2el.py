"""End-to-end latency (E2EL) of a request.

Formula: last content - sent, per ok request. A usage-only chunk and `[DONE]` never end it.
Unit: seconds.
Absent when: no request of the profiling phase ended ok, or none delivered content.
Source: the client's socket reads; as InferenceX AgentX defines it.
"""

from infx.metrics.per_request import NO_CONTENT, NOTHING_OK, completed, distribution, e2el_s
from infx.model.measured import Measured
from infx.model.result import Better, Metric

NAME = "e2el"
UNIT = "s"
BETTER: Better = "smaller"


def compute(measured: Measured) -> Metric:
    """Return the distribution over ok requests."""
    records = completed(measured)
    return distribution(map(e2el_s, records), UNIT, NO_CONTENT if records else NOTHING_OK)
