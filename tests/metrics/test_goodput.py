"""Goodput counts the requests that met every target."""

import pytest

from handmade import measured, record
from infx.metrics import goodput
from infx.model.record import EndState, RequestRecord, Slo
from infx.model.result import Absent, MetricValue


def answer(ttft: float, decode: float, tokens: int | None = 11) -> RequestRecord:
    return record(sent=0.0, first=ttft, gaps=(decode,), completion_tokens=tokens)


FAST = answer(1.0, 1.0)  # TTFT 1, TPOT 0.1, E2EL 2
LATE = answer(3.0, 1.0)  # TTFT 3, TPOT 0.1, E2EL 4
SLOW = answer(1.0, 3.0)  # TTFT 1, TPOT 0.3, E2EL 4


@pytest.mark.parametrize(
    ("slo", "met"),
    [
        (Slo(ttft=1.0), 2),
        (Slo(tpot=0.1), 2),
        (Slo(e2el=2.0), 1),
        (Slo(ttft=2.0, tpot=0.2), 1),
        (Slo(ttft=0.5), 0),
        (Slo(ttft=9.0, tpot=9.0, e2el=9.0), 3),
    ],
)
def test_requests_a_second_that_meet_all_targets(slo: Slo, met: int) -> None:
    failed = record(sent=0.0, first=0.1, end=9.0, state=EndState.ERROR)
    assert goodput.compute(measured(FAST, LATE, SLOW, failed, slo=slo)) == MetricValue(
        unit="req/s", n=3, mean=met / 4
    )


@pytest.mark.parametrize("slo", [None, Slo()])
def test_no_target_no_goodput(slo: Slo | None) -> None:
    assert goodput.compute(measured(FAST, slo=slo)) == Absent(reason="no latency target is set")


def test_one_token_has_no_pace_to_miss() -> None:
    short = answer(1.0, 3.0, tokens=1)
    assert goodput.compute(measured(short, slo=Slo(tpot=0.1))) == MetricValue(
        unit="req/s", n=1, mean=0.25
    )


def test_what_cannot_be_judged_is_neither_good_nor_bad() -> None:
    reason = "1 of 2 ok requests lack what a target is judged by"
    uncounted = answer(1.0, 1.0, tokens=None)
    assert goodput.compute(measured(FAST, uncounted, slo=Slo(tpot=1.0))) == Absent(reason=reason)
    assert goodput.compute(measured(FAST, record(end=1.0), slo=Slo(ttft=1.0))) == Absent(
        reason=reason
    )
    # TTFT needs no usage.
    assert goodput.compute(measured(FAST, uncounted, slo=Slo(ttft=1.0))) == MetricValue(
        unit="req/s", n=2, mean=1.0
    )
