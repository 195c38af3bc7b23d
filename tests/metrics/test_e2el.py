"""E2EL ends with the last content."""

from handmade import measured, record
from infx.metrics import e2el
from infx.model.result import Absent, MetricValue


def test_the_usage_chunk_does_not_end_it() -> None:
    """T8: the stream ends at 9 s, its content at 2.5 s."""
    figure = e2el.compute(measured(record(sent=0.0, first=0.5, gaps=(0.5,) * 4, end=9.0)))
    assert isinstance(figure, MetricValue)
    assert figure.mean == 2.5


def test_without_content_there_is_none() -> None:
    assert e2el.compute(measured(record(end=9.0))) == Absent(
        reason="no ok request delivered content"
    )
