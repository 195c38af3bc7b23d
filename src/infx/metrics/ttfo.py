"""Time to first output (TTFO): what a user of a reasoning model waits for the answer itself.

Formula: first content that is not reasoning - sent, per ok request.
Unit: seconds.
Absent when: no request of the profiling phase ended ok, or all content was reasoning.
Source: the client's socket reads; as InferenceX AgentX defines it.
"""

from infx.metrics.per_request import NOTHING_OK, NS_PER_S, completed, distribution
from infx.model.measured import Measured
from infx.model.record import RequestRecord
from infx.model.result import Better, Metric

NAME = "ttfo"
UNIT = "s"
BETTER: Better = "smaller"


def compute(measured: Measured) -> Metric:
    """Return the distribution over ok requests that came to an answer."""
    records = completed(measured)
    reason = "no ok request delivered content beyond reasoning" if records else NOTHING_OK
    return distribution(map(_ttfo_s, records), UNIT, reason)


def _ttfo_s(record: RequestRecord) -> float | None:
    if record.first_output_ns is None:
        return None
    return (record.first_output_ns - record.sent_ns) / NS_PER_S
