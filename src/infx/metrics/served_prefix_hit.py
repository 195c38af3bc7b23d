"""Share of the prompt tokens that the server says it had in a cache.

Formula: cached tokens / `usage.prompt_tokens`, summed over the ok requests. Beside
`theoretical_prefix_hit` it says how much of what could be reused was.
Unit: share, 0 to 1.
Absent when: no request of the profiling phase ended ok, no prompt had a token, or the server left
out a count of even one ok request: an unreported hit is not a miss. Also when it counts more cached
tokens than the prompt has.
Source: the server's usage.
"""

from infx.metrics.per_request import NOTHING_OK, completed
from infx.model.measured import Measured
from infx.model.result import Absent, Better, Metric, MetricValue

NAME = "served_prefix_hit"
UNIT = "share"
BETTER: Better = "larger"


def compute(measured: Measured) -> Metric:
    """Return the share; n is the number of ok requests."""
    records = completed(measured)
    counted = [
        (record.cached_tokens, record.prompt_tokens)
        for record in records
        if record.cached_tokens is not None and record.prompt_tokens is not None
    ]
    if not records:
        return Absent(reason=NOTHING_OK)
    if len(counted) < len(records):
        missing = len(records) - len(counted)
        what = f"the server gave no count for {missing} of {len(records)} ok requests"
        return Absent(reason=what)
    if any(cached > prompt for cached, prompt in counted):
        return Absent(reason="the server counts more cached tokens than the prompt has")
    prompts = sum(prompt for _, prompt in counted)
    if not prompts:
        return Absent(reason="no prompt has a token by the server's count")
    return MetricValue(unit=UNIT, n=len(records), mean=sum(c for c, _ in counted) / prompts)
