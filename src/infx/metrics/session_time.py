"""Time that a whole session takes: what the user of an agent waits from the first to the last turn.

Formula: last end - first send of a session that was played from its first turn to its last within
the profiling phase, pauses of the recording included.
Unit: seconds.
Absent when: no such session ended. Long ones end rarely within a profile, so the figure leans to
short sessions: compare it between points of the same workload and length only.
Source: the client's moments.
"""

from infx.metrics.per_request import completed, distribution
from infx.metrics.plays import plays
from infx.model.measured import Measured
from infx.model.result import Better, Metric

NAME = "session_time"
UNIT = "s"
BETTER: Better = "smaller"


def compute(measured: Measured) -> Metric:
    """Return the distribution over whole sessions; n counts them."""
    completed(measured)  # refuses moments that run backwards
    spans = [play.span_s for play in plays(measured) if play.whole]
    return distribution(spans, UNIT, "no session was played from its first turn to its last")
