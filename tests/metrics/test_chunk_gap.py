"""Chunk gaps are pooled over requests, and are not called time per token."""

from handmade import measured, record
from infx.metrics import chunk_gap
from infx.model.result import Absent, MetricValue


def test_gaps_are_pooled() -> None:
    # A mean of the requests' means would be (0.2 + 1.0) / 2.
    figure = chunk_gap.compute(
        measured(record(first=1.0, gaps=(0.1, 0.2, 0.3)), record(first=1.0, gaps=(1.0,)))
    )
    assert isinstance(figure, MetricValue)
    assert (figure.n, figure.mean, figure.p50) == (4, 0.4, 0.25)


def test_two_chunks_of_one_read_are_no_time_apart() -> None:
    figure = chunk_gap.compute(measured(record(first=1.0, gaps=(0.0, 1.0))))
    assert isinstance(figure, MetricValue)
    assert (figure.n, figure.p50) == (2, 0.5)


def test_one_chunk_has_no_gap() -> None:
    assert chunk_gap.compute(measured(record(first=1.0))) == Absent(
        reason="no ok request delivered two content chunks"
    )
