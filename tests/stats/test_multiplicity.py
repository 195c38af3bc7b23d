"""Among many comparisons only few of the named differences are chance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.stats.multiplicity import adjusted

P_VALUES = st.lists(st.floats(0, 1), max_size=20)


def test_by_hand() -> None:
    # Ranks 1..5 of 5: .001 x 5, .008 x 5/2, .039 x 5/3, .041 x 5/4, .6; then no value above a
    # later one: .039 x 5/3 = .065 gives way to .05125.
    assert adjusted([0.041, 0.001, 0.6, 0.039, 0.008]) == pytest.approx(
        [0.05125, 0.005, 0.6, 0.05125, 0.02]
    )


def test_one_is_as_it_is_and_none_are_none() -> None:
    assert adjusted([0.03]) == [0.03]
    assert adjusted([]) == []


@given(P_VALUES)
def test_never_smaller_never_above_one_and_in_the_same_order(given_values: list[float]) -> None:
    found = adjusted(given_values)
    assert all(p <= q <= 1 for p, q in zip(given_values, found, strict=True))
    order = sorted(range(len(found)), key=lambda place: given_values[place])
    assert [found[place] for place in order] == sorted(found)
