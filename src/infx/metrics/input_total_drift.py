"""How far the prompts of a point are from the recorded length, all together.

Formula: |sum of `usage.prompt_tokens` - sum of asked input| / sum of asked input, over the ok
requests. A prompt of many messages may be off by a few tokens at each of their seams; what decides
how much work a replay asks is the sum.
Unit: share.
Absent when: no request of the profiling phase ended ok, or none had both an asked input length and
usage.
Source: the plan and the server's usage; the defect of vllm-project/vllm#10847.
"""

from infx.metrics.per_request import NOTHING_OK, completed
from infx.model.measured import Measured
from infx.model.result import Absent, Better, Metric, MetricValue

NAME = "input_total_drift"
UNIT = "share"
BETTER: Better = "smaller"


def compute(measured: Measured) -> Metric:
    """Return the share; n is the number of ok requests with an asked length and usage."""
    records = completed(measured)
    pairs = [
        (record.asked_input, record.prompt_tokens)
        for record in records
        if record.asked_input is not None and record.prompt_tokens is not None
    ]
    asked = sum(one for one, _ in pairs)
    if not asked:
        reason = "no ok request has both an asked input length and usage"
        return Absent(reason=reason if records else NOTHING_OK)
    observed = sum(one for _, one in pairs)
    return MetricValue(unit=UNIT, n=len(pairs), mean=abs(observed - asked) / asked)
