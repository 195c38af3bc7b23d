"""Interactivity: the output speed that one user sees after the first token.

Formula: percentile p = 1 / (percentile p of TPOT), so p90 is the slow tail and lies below p50;
mean = 1 / (mean TPOT), the harmonic one; std over the reciprocals of the requests.
Unit: tokens a second and user.
Absent when: TPOT is absent.
Source: the client's socket reads and the server's usage; as InferenceX AgentX defines it.
"""

from infx.metrics.per_request import NOTHING_OK, completed, per_token_s, reciprocals
from infx.model.record import Measured
from infx.model.result import Absent, Better, Metric

NAME = "interactivity"
UNIT = "tok/s/user"
BETTER: Better = "larger"


def compute(measured: Measured) -> Metric:
    """Return the distribution over ok requests whose decoding was seen."""
    records = completed(measured)
    times = [time for time in map(per_token_s, records) if time is not None]
    if not times:
        reason = "no ok request has usage, two tokens and content at two moments"
        return Absent(reason=reason if records else NOTHING_OK)
    return reciprocals(times, UNIT)
