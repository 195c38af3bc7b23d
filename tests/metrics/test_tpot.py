"""TPOT spreads the decode time over the tokens after the first."""

import pytest

from handmade import measured, record
from infx.metrics import tpot
from infx.model.result import Absent, MetricValue

NOT_SEEN = Absent(reason="no ok request has usage, two tokens and content at two moments")


def test_golden_vector() -> None:
    """Five chunks at 0.5, 1.0 ... 2.5 s with 41 tokens: (2.5 - 0.5) / 40."""
    figure = tpot.compute(measured(record(first=0.5, gaps=(0.5,) * 4, completion_tokens=41)))
    assert isinstance(figure, MetricValue)
    assert figure.mean == pytest.approx(0.05, rel=1e-15)


def test_chunks_do_not_matter_tokens_do() -> None:
    """T4: two chunks of 20 tokens under speculative decoding are as fast as forty of one."""
    few = tpot.compute(measured(record(first=0.5, gaps=(1.95,), completion_tokens=40)))
    many = tpot.compute(measured(record(first=0.5, gaps=(0.05,) * 39, completion_tokens=40)))
    assert isinstance(few, MetricValue)
    assert isinstance(many, MetricValue)
    assert few.mean == pytest.approx(many.mean) == pytest.approx(0.05)


@pytest.mark.parametrize("tokens", [None, 0, 1])
def test_needs_two_counted_tokens(tokens: int | None) -> None:
    assert tpot.compute(measured(record(first=1.0, gaps=(1.0,), completion_tokens=tokens))) == (
        NOT_SEEN
    )


@pytest.mark.parametrize("gaps", [(), (0.0, 0.0)])
def test_a_buffered_answer_is_not_infinitely_fast(gaps: tuple[float, ...]) -> None:
    """T21: all content at one moment hides the decode time, which was not 0."""
    assert tpot.compute(measured(record(first=5.0, gaps=gaps, completion_tokens=100))) == NOT_SEEN


def test_requests_without_one_are_left_out() -> None:
    figure = tpot.compute(
        measured(
            record(first=1.0, gaps=(1.0,), completion_tokens=1),
            record(first=1.0, gaps=(1.0,), completion_tokens=11),
        )
    )
    assert isinstance(figure, MetricValue)
    assert (figure.n, figure.mean) == (1, 0.1)
