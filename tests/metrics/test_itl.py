"""ITL is time per token, whatever the chunks carry."""

import pytest

from handmade import measured, record
from infx.metrics import itl
from infx.model.result import Absent, MetricValue


def test_golden_vector_of_several_tokens_in_the_first_chunk() -> None:
    """T5: 2 s over the 36 tokens that came later, not over 39."""
    figure = itl.compute(
        measured(record(first=0.5, gaps=(0.5,) * 4, completion_tokens=40, first_chunk_tokens=4))
    )
    assert isinstance(figure, MetricValue)
    assert figure.mean == pytest.approx(2 / 36, rel=1e-15)
    assert round(figure.mean, 4) == 0.0556


@pytest.mark.parametrize("first_chunk", [None, 0, 1])
def test_without_usage_in_every_chunk_the_first_holds_one(first_chunk: int | None) -> None:
    figure = itl.compute(
        measured(
            record(first=0.5, gaps=(0.5,) * 4, completion_tokens=40, first_chunk_tokens=first_chunk)
        )
    )
    assert isinstance(figure, MetricValue)
    assert round(figure.mean, 4) == 0.0513


def test_all_tokens_in_the_first_chunk_leave_nothing_to_time() -> None:
    assert itl.compute(
        measured(record(first=0.5, gaps=(0.5,), completion_tokens=4, first_chunk_tokens=4))
    ) == Absent(
        reason="no ok request has usage, tokens after its first chunk and content at two moments"
    )
