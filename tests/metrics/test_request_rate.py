"""Rates are over the window from the first sending to the last content."""

from handmade import measured, record
from infx.metrics import request_rate
from infx.model.record import EndState, Phase
from infx.model.result import Absent, MetricValue


def test_window_from_first_sending_to_last_content() -> None:
    """T16: neither the warmup before, the failed ones around, nor the stream's end after count."""
    figure = request_rate.compute(
        measured(
            record(sent=0.0, first=1.0, phase=Phase.WARMUP),
            record(sent=1.0, end=20.0, state=EndState.ERROR),
            record(sent=2.0, first=3.0),
            record(sent=3.0, first=5.0, gaps=(1.0,), end=12.0),
        )
    )
    assert figure == MetricValue(unit="req/s", n=2, mean=0.5)


def test_an_answer_without_content_ends_with_its_stream() -> None:
    figure = request_rate.compute(measured(record(sent=0.0, first=1.0), record(sent=1.0, end=4.0)))
    assert figure == MetricValue(unit="req/s", n=2, mean=0.5)


def test_no_time_no_rate() -> None:
    assert request_rate.compute(measured(record(sent=1.0, first=1.0))) == Absent(
        reason="the window from first sending to last content has no length"
    )
