"""End-to-end interactivity counts the wait for the first token too."""

import pytest

from handmade import measured, record
from infx.metrics import e2e_interactivity
from infx.model.result import Absent, MetricValue


def test_golden_vector() -> None:
    """41 tokens in 2.5 s, the wait for the first one included: 16.4 a second."""
    figure = e2e_interactivity.compute(
        measured(record(first=0.5, gaps=(0.5,) * 4, completion_tokens=41))
    )
    assert isinstance(figure, MetricValue)
    assert figure.mean == pytest.approx(16.4)
    assert figure.p99 == pytest.approx(16.4)


def test_the_slow_tail_is_low() -> None:
    """Times a token 1, 2, 3, 4 s: p90 is 3.7 s, and the mean 2.5 s; speeds are one over these."""
    figure = e2e_interactivity.compute(
        measured(*(record(first=float(s), completion_tokens=1) for s in (1, 2, 3, 4)))
    )
    assert isinstance(figure, MetricValue)
    assert figure.p90 == pytest.approx(1 / 3.7)
    assert figure.mean == pytest.approx(0.4)


@pytest.mark.parametrize("tokens", [None, 0])
def test_needs_usage(tokens: int | None) -> None:
    assert e2e_interactivity.compute(
        measured(record(first=1.0, completion_tokens=tokens))
    ) == Absent(reason="no ok request has content and usage")
