"""Requests that ended ok on a lane: how evenly the lanes got on.

Formula: ok requests of each lane that asked anything, pooled over lanes.
Unit: requests.
Absent when: no request of the profiling phase ended ok.
Source: the client's end states.
"""

from collections import Counter

from infx.metrics.per_request import NOTHING_OK, completed, distribution, profiled
from infx.model.measured import Measured
from infx.model.result import Absent, Better, Metric

NAME = "turns_per_lane"
UNIT = "req"
BETTER: Better = "larger"


def compute(measured: Measured) -> Metric:
    """Return the distribution over lanes; n counts them."""
    ok = Counter(record.lane for record in completed(measured))
    if not ok:
        return Absent(reason=NOTHING_OK)
    lanes = {record.lane for record in profiled(measured) if record.lane >= 0}
    return distribution((float(ok[lane]) for lane in lanes), UNIT, NOTHING_OK)
