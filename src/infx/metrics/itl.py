"""Inter-token latency (ITL): the time between tokens, not between chunks.

Formula: (E2EL - TTFT) / (OSL - tokens in the first chunk), one value per ok request, so a chunk
weighs as many tokens as it carries. Where usage does not come with every chunk, the first one is
taken to carry one token, and ITL equals TPOT. The gaps between chunks are `chunk_gap`.
Unit: seconds.
Absent when: no request of the profiling phase ended ok, or none had usage, tokens after its first
chunk and content at two moments.
Source: the client's socket reads and the server's usage; as InferenceX AgentX defines it.
"""

from infx.metrics.per_request import NOTHING_OK, completed, distribution, per_token_s
from infx.model.measured import Measured
from infx.model.record import RequestRecord
from infx.model.result import Better, Metric

NAME = "itl"
UNIT = "s"
BETTER: Better = "smaller"


def compute(measured: Measured) -> Metric:
    """Return the distribution over ok requests whose decoding was seen."""
    records = completed(measured)
    reason = "no ok request has usage, tokens after its first chunk and content at two moments"
    return distribution(map(itl_s, records), UNIT, reason if records else NOTHING_OK)


def itl_s(record: RequestRecord) -> float | None:
    """Return the decode time a token, over the tokens that came after the first chunk."""
    # Content holds a token at least, so a first chunk counted as 0 was not counted.
    return per_token_s(record, record.first_chunk_tokens or 1)
