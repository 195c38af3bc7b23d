"""The error rate is over requests that came to an outcome."""

import pytest

from handmade import measured, record
from infx.metrics import error_rate
from infx.model.record import EndState, Phase
from infx.model.result import Absent, MetricValue


def test_errors_and_lost_over_outcomes() -> None:
    ends = [EndState.OK] * 6 + [EndState.ERROR, EndState.LOST]
    figure = error_rate.compute(measured(*(record(state=end) for end in ends)))
    assert figure == MetricValue(unit="share", n=8, mean=0.25)


@pytest.mark.parametrize(
    "state", [EndState.OVERFLOW, EndState.CANCELLED_AT_END, EndState.CANCELLED_BY_PLAN]
)
def test_what_has_no_outcome_does_not_dilute_it(state: EndState) -> None:
    cut = [record(state=state)] * 50
    figure = error_rate.compute(measured(record(), record(state=EndState.ERROR), *cut))
    assert figure == MetricValue(unit="share", n=2, mean=0.5)
    assert error_rate.compute(measured(*cut)) == Absent(
        reason="no request of the profiling phase came to an outcome"
    )


def test_nothing_failed_is_a_true_zero() -> None:
    failed_warmup = record(state=EndState.ERROR, phase=Phase.WARMUP)
    assert error_rate.compute(measured(record(), failed_warmup)) == MetricValue(
        unit="share", n=1, mean=0.0
    )
