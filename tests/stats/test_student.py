"""Student's t without tables: close to the printed ones, and never bolder."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.stats.student import critical, two_sided_p

# Two-sided 5 % points as every table prints them.
TABLE = [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (10, 2.228), (30, 2.042), (1000, 1.962)]


@pytest.mark.parametrize(("df", "t"), TABLE)
def test_the_table(df: int, t: float) -> None:
    assert 0.0499 <= two_sided_p(t, df) <= (0.066 if df == 1 else 0.054)
    assert t * 0.999 <= critical(0.95, df) <= t * (1.4 if df == 1 else 1.05)
    if df >= 4:
        assert two_sided_p(t, df) == pytest.approx(0.05, rel=0.02)
        assert critical(0.95, df) == pytest.approx(t, rel=0.01)


def test_no_difference_is_always_chance() -> None:
    assert two_sided_p(0.0, 3) == 1.0


@given(st.floats(-50, 50), st.floats(1, 500))
def test_both_directions_are_alike_and_p_is_a_share(t: float, df: float) -> None:
    assert two_sided_p(t, df) == two_sided_p(-t, df)
    assert 0 <= two_sided_p(t, df) <= 1


@given(st.floats(0.5, 0.999), st.floats(1, 500))
def test_one_is_the_inverse_of_the_other(level: float, df: float) -> None:
    assert two_sided_p(critical(level, df), df) == pytest.approx(1 - level, rel=1e-6)
