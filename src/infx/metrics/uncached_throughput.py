"""Prompt tokens a second that no prefix cache spared the server.

Formula: sum of (`usage.prompt_tokens` - cached tokens) / (last content - first sent), over the ok
requests.
Unit: tokens a second.
Absent when: no request of the profiling phase ended ok, the window has no length, or the server
left out a count of even one ok request: an unreported hit is not a miss. Also when it counts more
cached tokens than the prompt has.
Source: the client's socket reads and the server's usage; as InferenceX AgentX defines it.
"""

from infx.metrics.per_point import token_rate
from infx.metrics.per_request import completed
from infx.model.measured import Measured
from infx.model.record import RequestRecord
from infx.model.result import Absent, Better, Metric

NAME = "uncached_throughput"
UNIT = "tok/s"
BETTER: Better = "larger"
PER_GPU = True


def compute(measured: Measured) -> Metric:
    """Return the rate; n is the number of ok requests."""
    records = completed(measured)
    if any((_uncached(record) or 0) < 0 for record in records):
        return Absent(reason="the server counts more cached tokens than the prompt has")
    return token_rate(records, _uncached, UNIT)


def _uncached(record: RequestRecord) -> int | None:
    if record.prompt_tokens is None or record.cached_tokens is None:
        return None
    return record.prompt_tokens - record.cached_tokens
