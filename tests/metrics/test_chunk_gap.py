"""Chunk gaps are pooled over requests, and are not called time per token."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handmade import measured, record
from infx.metrics import chunk_gap
from infx.model.result import Absent, MetricValue
from infx.stats.percentile import describe


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


TIMES = st.lists(st.integers(0, 5_000_000_000), min_size=1, max_size=20)


@given(st.lists(TIMES, min_size=1, max_size=5))
def test_packed_gaps_give_the_figures_of_all_gaps(answers: list[list[int]]) -> None:
    """Those above 2^32 ns and those below are pooled; the spread may differ by its rounding."""
    made = [record(first=1.0, gaps=tuple(gap / 1e9 for gap in gaps)) for gaps in answers]
    figure = chunk_gap.compute(measured(*made))
    assert isinstance(figure, MetricValue)
    told = describe([gap / 1_000_000_000 for one in made for gap in one.gaps_ns], "s")
    assert figure.model_copy(update={"std": told.std}) == told
    assert figure.std == pytest.approx(told.std, rel=1e-12, abs=1e-15)
