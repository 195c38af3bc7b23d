"""Share of requests that failed.

Formula: (error + lost) / (ok + error + lost). The denominator holds the requests whose outcome is
known to be good or bad. A request that the plan or the end of the run cut short has no outcome, and
would only dilute the rate; one that exceeds the model's context (`overflow`) tells of the workload.
Those three are published as counts, and judged as `censored` and `context-overflow`.
Unit: share, 0 to 1.
Absent when: no request of the profiling phase came to an outcome.
Source: the client's end states; the success gate of InferenceX AgentX.
"""

from infx.metrics.per_point import share
from infx.metrics.per_request import profiled
from infx.model.measured import Measured
from infx.model.record import EndState
from infx.model.result import Better, Metric

NAME = "error_rate"
UNIT = "share"
BETTER: Better = "smaller"

_FAILED = (EndState.ERROR, EndState.LOST)
_OUTCOMES = (EndState.OK, *_FAILED)


def compute(measured: Measured) -> Metric:
    """Return the share; n is the number of requests with an outcome."""
    failed = [record.state in _FAILED for record in profiled(measured) if record.state in _OUTCOMES]
    return share(failed, "no request of the profiling phase came to an outcome")
