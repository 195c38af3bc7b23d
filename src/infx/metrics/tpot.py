"""Time per output token (TPOT) after the first.

Formula: (E2EL - TTFT) / (OSL - 1), per ok request with OSL of at least 2. OSL is the server's
`usage.completion_tokens`, reasoning included once. A request whose content came at one moment is
left out: its decode time was not observable, and it was not 0.
Unit: seconds.
Absent when: no request of the profiling phase ended ok, or none had usage, two tokens and content
at two moments.
Source: the client's socket reads and the server's usage; as InferenceX AgentX defines it.
"""

from infx.metrics.per_request import NOTHING_OK, completed, distribution, per_token_s
from infx.model.measured import Measured
from infx.model.result import Better, Metric

NAME = "tpot"
UNIT = "s"
BETTER: Better = "smaller"


def compute(measured: Measured) -> Metric:
    """Return the distribution over ok requests whose decoding was seen."""
    records = completed(measured)
    reason = "no ok request has usage, two tokens and content at two moments"
    return distribution(map(per_token_s, records), UNIT, reason if records else NOTHING_OK)
