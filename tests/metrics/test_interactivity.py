"""Interactivity keeps the meaning of ITL's percentiles."""

import pytest

from handmade import measured, record
from infx.metrics import interactivity
from infx.model.result import Absent, MetricValue


def test_golden_vector() -> None:
    """Chunks at 0.5, 1.0 ... 2.5 s with 41 tokens: 40 tokens in 2 s are 20 a second."""
    figure = interactivity.compute(
        measured(record(first=0.5, gaps=(0.5,) * 4, completion_tokens=41))
    )
    assert isinstance(figure, MetricValue)
    assert figure.unit == "tok/s/user"
    assert figure.mean == pytest.approx(20.0)
    assert figure.p50 == pytest.approx(20.0)


def test_tokens_of_a_full_first_chunk_are_no_speed() -> None:
    """T5: 40 tokens, 4 of them in the first chunk, so 36 took the 2 s: 18 a second and not 19.5."""
    figure = interactivity.compute(
        measured(record(first=0.5, gaps=(0.5,) * 4, completion_tokens=40, first_chunk_tokens=4))
    )
    assert isinstance(figure, MetricValue)
    assert figure.mean == pytest.approx(18.0)


def test_a_percentile_is_one_over_the_percentile_of_itl() -> None:
    # ITL 1, 2, 3, 4 s: p50 2.5, p90 3.7, mean 2.5; reciprocals 1, 1/2, 1/3, 1/4 with mean 25/48.
    figure = interactivity.compute(
        measured(*(record(first=1.0, gaps=(s,), completion_tokens=2) for s in (1, 2, 3, 4)))
    )
    assert isinstance(figure, MetricValue)
    assert figure.p50 == pytest.approx(1 / 2.5)
    assert figure.p75 == pytest.approx(1 / 3.25)
    assert figure.p90 == pytest.approx(1 / 3.7)
    assert figure.p95 == pytest.approx(1 / 3.85)
    assert figure.p99 == pytest.approx(1 / 3.97)
    assert figure.mean == pytest.approx(1 / 2.5)
    # Mean square (1 + 1/4 + 1/9 + 1/16) / 4 = 205/576, less (25/48) squared = 625/2304.
    assert figure.std == pytest.approx((195 / 2304) ** 0.5)


def test_no_itl_no_interactivity() -> None:
    assert interactivity.compute(measured(record(first=1.0, completion_tokens=9))) == Absent(
        reason="no ok request has usage, tokens after its first chunk and content at two moments"
    )
