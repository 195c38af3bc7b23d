"""Prompt tokens a second, cached or not.

Formula: sum of `usage.prompt_tokens` / (last content - first sent), over the ok requests. Failed
requests give neither tokens nor time.
Unit: tokens a second.
Absent when: no request of the profiling phase ended ok, the window has no length, or the server
left out the count of even one ok request.
Source: the client's socket reads and the server's usage; as InferenceX AgentX defines it.
"""

from infx.metrics.per_point import token_rate
from infx.metrics.per_request import completed
from infx.model.measured import Measured
from infx.model.result import Better, Metric

NAME = "input_throughput"
UNIT = "tok/s"
BETTER: Better = "larger"
PER_GPU = True


def compute(measured: Measured) -> Metric:
    """Return the rate; n is the number of ok requests."""
    return token_rate(completed(measured), lambda record: record.prompt_tokens, UNIT)
