"""Distance between successive content chunks.

Formula: every gap of every ok request, pooled; n counts gaps. Chunks that one socket read
delivered are 0 apart. A chunk may carry several tokens, so this is no time per token: it is the
figure that clients of fixed workloads publish as ITL.
Unit: seconds.
Absent when: no request of the profiling phase ended ok, or none delivered two content chunks.
Source: the client's socket reads; as InferenceX AgentX defines it.
"""

from infx.metrics.per_request import NOTHING_OK, NS_PER_S, completed, distribution
from infx.model.record import Measured
from infx.model.result import Better, Metric

NAME = "chunk_gap"
UNIT = "s"
BETTER: Better = "smaller"


def compute(measured: Measured) -> Metric:
    """Return the distribution over all gaps."""
    records = completed(measured)
    gaps = (gap / NS_PER_S for record in records for gap in record.gaps_ns)
    reason = "no ok request delivered two content chunks" if records else NOTHING_OK
    return distribution(gaps, UNIT, reason)
