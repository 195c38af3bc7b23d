"""Prompt and generated tokens a second: the headline's y axis.

Formula: sum of `usage.prompt_tokens` and `usage.completion_tokens` / (last content - first sent),
over the ok requests. Prompt tokens count in full, cached or not; `uncached_throughput` is the
prompt work that was really done.
Unit: tokens a second.
Absent when: no request of the profiling phase ended ok, the window has no length, or the server
left out a count of even one ok request.
Source: the client's socket reads and the server's usage; as InferenceX AgentX defines it.
"""

from infx.metrics.per_point import token_rate
from infx.metrics.per_request import completed
from infx.model.measured import Measured
from infx.model.record import RequestRecord
from infx.model.result import Better, Metric

NAME = "total_throughput"
UNIT = "tok/s"
BETTER: Better = "larger"
PER_GPU = True


def compute(measured: Measured) -> Metric:
    """Return the rate; n is the number of ok requests."""
    return token_rate(completed(measured), tokens, UNIT)


def tokens(record: RequestRecord) -> int | None:
    """Return prompt and generated tokens, None where the server left out a count."""
    if record.prompt_tokens is None or record.completion_tokens is None:
        return None
    return record.prompt_tokens + record.completion_tokens
