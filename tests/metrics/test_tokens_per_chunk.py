"""T21: a stream that was held back shows no decode speed, and the point says so."""

import pytest

from handmade import measured, record
from infx.metrics import tokens_per_chunk
from infx.metrics.tokens_per_chunk import is_buffered
from infx.model.record import RequestRecord
from infx.model.result import Absent, MetricValue


def answer(tokens: int | None, chunks: int) -> RequestRecord:
    return record(first=1.0, gaps=(0.1,) * (chunks - 1), completion_tokens=tokens)


def test_tokens_over_content_chunks() -> None:
    figure = tokens_per_chunk.compute(measured(answer(64, 64), answer(64, 16), answer(None, 3)))
    assert isinstance(figure, MetricValue)
    assert (figure.unit, figure.n, figure.mean) == ("tok/chunk", 2, 2.5)


def test_without_usage_there_is_no_figure() -> None:
    assert tokens_per_chunk.compute(measured(answer(None, 3))) == Absent(
        reason="no ok request has content and usage"
    )


@pytest.mark.parametrize(
    ("tokens", "chunks", "buffered"),
    [
        (1024, 1024, False),  # a chunk a token
        (1024, 128, False),  # eight at a time, as speculation gives
        (1024, 52, False),  # twenty at a time: the first chunk hides a fiftieth of the decoding
        (1024, 8, False),
        (1024, 7, True),  # a tool-call parser that buffers
        (1024, 1, True),
        (17, 2, True),
        (16, 2, False),  # two steps of a deep speculation
        (16, 1, True),
        (15, 1, False),  # too short to tell
        (None, 1, False),
    ],
)
def test_what_is_taken_for_a_buffer(tokens: int | None, chunks: int, buffered: bool) -> None:
    assert is_buffered(answer(tokens, chunks)) is buffered


def test_many_chunks_at_one_moment_are_a_buffer_too() -> None:
    """A parser may hold all steps back and then send each as a chunk of its own."""
    at_once = record(first=1.0, gaps=(0.0,) * 39, completion_tokens=40)
    assert is_buffered(at_once)
    assert not is_buffered(record(first=1.0, gaps=(0.0, 0.1) * 20, completion_tokens=41))
