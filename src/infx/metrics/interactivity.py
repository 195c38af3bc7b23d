"""Interactivity: the output speed that one user sees after the first token.

Formula: percentile p = 1 / (percentile p of ITL), so p90 is the slow tail and lies below p50;
mean = 1 / (mean ITL), the harmonic one; std over the reciprocals of the requests. ITL is TPOT but
where usage comes with every chunk: tokens of the first chunk are then no part of the decode time.
Unit: tokens a second and user.
Absent when: ITL is absent.
Source: the client's socket reads and the server's usage; as InferenceX AgentX defines it.
"""

from infx.metrics.itl import itl_s
from infx.metrics.per_request import NOTHING_OK, completed, reciprocals
from infx.model.measured import Measured
from infx.model.result import Absent, Better, Metric

NAME = "interactivity"
UNIT = "tok/s/user"
BETTER: Better = "larger"


def compute(measured: Measured) -> Metric:
    """Return the distribution over ok requests whose decoding was seen."""
    records = completed(measured)
    times = [time for time in map(itl_s, records) if time is not None]
    if not times:
        reason = "no ok request has usage, tokens after its first chunk and content at two moments"
        return Absent(reason=reason if records else NOTHING_OK)
    return reciprocals(times, UNIT)
