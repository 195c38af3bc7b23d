"""Share of requests whose prompt has another length than asked.

Formula: share of ok requests whose `usage.prompt_tokens` differs from the asked input by more than
1 % or 4 tokens, whichever is larger.
Unit: share, 0 to 1.
Absent when: no request of the profiling phase ended ok, or none had both an asked input length and
usage; a data set's own prompts have no asked length.
Source: the plan and the server's usage; the defect of vllm-project/vllm#10847.
"""

from infx.metrics.per_point import share
from infx.metrics.per_request import NOTHING_OK, completed
from infx.model.measured import Measured
from infx.model.result import Better, Metric

NAME = "input_drift"
UNIT = "share"
BETTER: Better = "smaller"


def compute(measured: Measured) -> Metric:
    """Return the share; n is the number of ok requests with an asked length and usage."""
    records = completed(measured)
    drifted = [
        _drifts(record.asked_input, record.prompt_tokens)
        for record in records
        if record.asked_input is not None and record.prompt_tokens is not None
    ]
    reason = "no ok request has both an asked input length and usage"
    return share(drifted, reason if records else NOTHING_OK)


def _drifts(asked: int, observed: int) -> bool:
    distance = abs(observed - asked)
    return distance > 4 and 100 * distance > asked
