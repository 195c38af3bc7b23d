"""Requests a second that met every latency target (goodput).

Formula: ok requests with TTFT, TPOT and E2EL at or below their targets / (last content - first
sent, over the ok requests). A target that is not set is met. An output of one token has no TPOT and
meets its target; one whose tokens came at one moment did not keep its reader waiting, and meets it.
Unit: requests a second.
Absent when: no target is set, no request of the profiling phase ended ok, the window has no length,
or even one ok request lacks the content or usage to be judged.
Source: the client's socket reads and the server's usage; targets from `--slo`.
"""

from infx.metrics.per_point import rate
from infx.metrics.per_request import completed, decode_s, e2el_s, ttft_s
from infx.model.measured import Measured
from infx.model.record import RequestRecord, Slo
from infx.model.result import Absent, Better, Metric

NAME = "goodput"
UNIT = "req/s"
BETTER: Better = "larger"
PER_GPU = True


def compute(measured: Measured) -> Metric:
    """Return the rate; n is the number of ok requests, good or not."""
    slo = measured.slo
    if slo is None or slo == Slo():
        return Absent(reason="no latency target is set")
    records = completed(measured)
    verdicts = [meets(record, slo) for record in records]
    if None in verdicts:
        lacking = verdicts.count(None)
        return Absent(
            reason=f"{lacking} of {len(records)} ok requests lack what a target is judged by"
        )
    return rate(verdicts.count(True), records, UNIT)


def meets(record: RequestRecord, slo: Slo) -> bool | None:
    """Say whether a request met every target, None where it lacks what one is judged by."""
    ttft, e2el, decode = ttft_s(record), e2el_s(record), decode_s(record)
    if ttft is None or e2el is None or decode is None:
        return None
    if slo.tpot is not None:
        if record.completion_tokens is None:
            return None
        if record.completion_tokens > 1 and decode / (record.completion_tokens - 1) > slo.tpot:
            return False
    return (slo.ttft is None or ttft <= slo.ttft) and (slo.e2el is None or e2el <= slo.e2el)
