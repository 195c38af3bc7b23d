"""End-to-end interactivity: the output speed that one user sees from sending on.

Formula: percentile p = 1 / (percentile p of E2EL / OSL), so p90 is the slow tail and lies below
p50; mean = 1 / (mean E2EL / OSL), the harmonic one; std over the reciprocals of the requests.
Unit: tokens a second and user.
Absent when: no request of the profiling phase ended ok, or none had content and usage.
Source: the client's socket reads and the server's usage; as InferenceX AgentX defines it.
"""

from infx.metrics.per_request import NOTHING_OK, completed, e2el_s, reciprocals
from infx.model.measured import Measured
from infx.model.record import RequestRecord
from infx.model.result import Absent, Better, Metric

NAME = "e2e_interactivity"
UNIT = "tok/s/user"
BETTER: Better = "larger"


def compute(measured: Measured) -> Metric:
    """Return the distribution over ok requests with content and usage."""
    records = completed(measured)
    times = [time for time in map(time_a_token_s, records) if time is not None]
    if not times:
        return Absent(reason="no ok request has content and usage" if records else NOTHING_OK)
    return reciprocals(times, UNIT)


def time_a_token_s(record: RequestRecord) -> float | None:
    """Return E2EL / OSL, None without content or usage."""
    latency = e2el_s(record)
    if not latency or not record.completion_tokens:
        return None
    return latency / record.completion_tokens
