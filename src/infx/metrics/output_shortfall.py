"""Share of requests whose output is markedly shorter than asked, which makes them look fast.

Formula: share of ok requests with OSL below the asked output by more than 5 % or more than 50
tokens, whichever is less. OSL is the server's `usage.completion_tokens`.
Unit: share, 0 to 1.
Absent when: no request of the profiling phase ended ok, or none had usage.
Source: the plan and the server's usage; the defect of vllm-project/vllm#13333.
"""

from infx.metrics.per_point import share
from infx.metrics.per_request import NOTHING_OK, completed
from infx.model.measured import Measured
from infx.model.result import Better, Metric

NAME = "output_shortfall"
UNIT = "share"
BETTER: Better = "smaller"


def compute(measured: Measured) -> Metric:
    """Return the share; n is the number of ok requests with usage."""
    records = completed(measured)
    short = [
        _is_short(record.asked_output, record.completion_tokens)
        for record in records
        if record.completion_tokens is not None
    ]
    return share(short, "no ok request has usage" if records else NOTHING_OK)


def _is_short(asked: int, observed: int) -> bool:
    missing = asked - observed
    return missing > 50 or 100 * missing > 5 * asked
