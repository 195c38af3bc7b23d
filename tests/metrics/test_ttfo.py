"""TTFO runs from sending to the first content that is not reasoning."""

from handmade import measured, record
from infx.metrics import ttfo, ttft
from infx.model.result import Absent, MetricValue


def test_reasoning_ends_ttft_and_not_ttfo() -> None:
    """T6: any channel counts for TTFT, only the answer for TTFO."""
    thinking = measured(record(sent=1.0, first=1.5, gaps=(2.0, 1.0), output_at=3.5))
    first, answer = ttft.compute(thinking), ttfo.compute(thinking)
    assert isinstance(first, MetricValue)
    assert isinstance(answer, MetricValue)
    assert (first.mean, answer.mean) == (0.5, 2.5)


def test_only_reasoning_has_none() -> None:
    assert ttfo.compute(measured(record(first=0.5))) == Absent(
        reason="no ok request delivered content beyond reasoning"
    )
