"""Time to first token (TTFT).

Formula: first content - sent, per ok request. Content is the first non-empty delta of any channel:
text, reasoning or tool call; an empty or role-only delta never counts.
Unit: seconds.
Absent when: no request of the profiling phase ended ok, or none delivered content.
Source: the client's socket reads; as InferenceX AgentX defines it.
"""

from infx.metrics.per_request import NO_CONTENT, NOTHING_OK, completed, distribution, ttft_s
from infx.model.measured import Measured
from infx.model.result import Better, Metric

NAME = "ttft"
UNIT = "s"
BETTER: Better = "smaller"


def compute(measured: Measured) -> Metric:
    """Return the distribution over ok requests."""
    records = completed(measured)
    return distribution(map(ttft_s, records), UNIT, NO_CONTENT if records else NOTHING_OK)
