"""TTFT runs from sending to the first content of any channel."""

from handmade import measured, record
from infx.metrics import ttft
from infx.model.record import EndState, Phase
from infx.model.result import Absent, MetricValue


def test_from_sending_not_from_due() -> None:
    figure = ttft.compute(measured(record(due=1.0, sent=3.0, first=3.5)))
    assert figure == MetricValue(
        unit="s", n=1, mean=0.5, std=0.0, p50=0.5, p75=0.5, p90=0.5, p95=0.5, p99=0.5
    )


def test_only_ok_requests_of_the_profiling_phase() -> None:
    others = [record(first=9.0, state=state) for state in EndState if state is not EndState.OK]
    warmup = record(first=9.0, phase=Phase.WARMUP)
    figure = ttft.compute(measured(*others, warmup, record(first=0.25)))
    assert isinstance(figure, MetricValue)
    assert (figure.n, figure.mean) == (1, 0.25)


def test_a_request_without_content_has_none() -> None:
    """T15: nothing is subtracted from zero."""
    figure = ttft.compute(measured(record(end=4.0), record(first=0.25)))
    assert isinstance(figure, MetricValue)
    assert (figure.n, figure.mean) == (1, 0.25)
    assert ttft.compute(measured(record(end=4.0))) == Absent(
        reason="no ok request delivered content"
    )


def test_percentiles() -> None:
    figure = ttft.compute(measured(*(record(first=seconds) for seconds in (3, 1, 4, 2))))
    assert isinstance(figure, MetricValue)
    assert (figure.p50, figure.p75, figure.p90) == (2.5, 3.25, 3.7)
