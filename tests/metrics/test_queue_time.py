"""T10: the wait before sending is its own figure, never part of TTFT."""

from handmade import measured, record
from infx.metrics import queue_time
from infx.model.result import MetricValue


def test_from_due_to_sent() -> None:
    figure = queue_time.compute(
        measured(record(due=1.0, sent=1.25, first=9.0), record(due=2.0, sent=2.0, first=9.0))
    )
    assert isinstance(figure, MetricValue)
    assert (figure.unit, figure.n, figure.mean) == ("s", 2, 0.125)
