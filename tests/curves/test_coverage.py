"""The count of a frontier by the public rule, and what is no evidence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.curves.coverage import FLAG, coverage, coverages, upper_right
from infx.errors import InputError


def points(*pairs):
    return [{"x": x, "y": y} for x, y in pairs]


GOLDEN = points((1, 100), (2, 90), (2, 120), (3, 120), (3, 120), (4, 110), (5, 130))


def test_golden_vector_of_the_reference():
    """By x, of equal x the largest y first: 100, 120 (90 is below it), 120, 110, 130.

    A point stays where its y is at least the best so far: 100; 120; 120, a plateau; not 110; 130.
    Of the seven points (3, 120) stands twice and counts once; four are fewer than five.
    """
    found = coverage("curve", GOLDEN)
    kept = [(one.x, one.y) for one in found.frontier]
    assert kept == [(1, 100), (2, 120), (3, 120), (5, 130)]
    assert (found.frontier_points, found.measured_points, found.invalid_points) == (4, 6, 0)
    assert found.status == "WARN"


def test_five_points_pass_and_four_warn():
    five = points((1, 1), (2, 2), (3, 3), (4, 4), (5, 5))
    assert coverage("c", five).status == "PASS"
    assert coverage("c", five[:4]).status == "WARN"
    assert coverage("c", five[:4], least=4).status == "PASS"


@pytest.mark.parametrize(
    "bad",
    [
        {"x": True, "y": 6},
        {"x": 6, "y": False},
        {"x": "6", "y": 6},
        {"x": None, "y": 6},
        {"y": 6},
        {"x": 0, "y": 6},
        {"x": -1, "y": 6},
        {"x": float("nan"), "y": 6},
        {"x": 6, "y": float("inf")},
        {"x": 10**400, "y": 6},
        [6, 6],
        None,
    ],
)
def test_what_is_no_positive_finite_number_forces_a_warning(bad):
    found = coverage("c", [*points((1, 1), (2, 2), (3, 3), (4, 4), (5, 5)), bad])
    assert (found.status, found.frontier_points, found.invalid_points) == ("WARN", 5, 1)


def test_the_flag_chooses_from_the_frontier_and_promotes_nothing():
    flagged = points((1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 2))
    for place in (0, 1, 2, 3, 4, 5):  # the last one is dominated
        flagged[place][FLAG] = place != 3
    found = coverage("c", flagged)
    assert [one.x for one in found.frontier] == [1, 2, 3, 5]
    assert (found.status, found.measured_points) == ("WARN", 6)


def test_a_flag_on_no_point_keeps_none():
    assert coverage("c", [{"x": 1, "y": 1, FLAG: False}]).frontier_points == 0


def test_a_point_that_stands_twice_has_the_flag_of_either():
    twice = [{"x": 1, "y": 1, FLAG: False}, {"x": 1, "y": 1, FLAG: True}]
    assert coverage("c", twice).frontier_points == 1


@pytest.mark.parametrize(
    ("curves", "said"),
    [
        ([], "no curves"),
        ({}, "no curves"),
        ([{"key": "a", "points": []}], "'a' has no list of points"),
        ([{"points": GOLDEN}], "its key is no text"),
        ([{"key": 3, "points": GOLDEN}], "its key is no text"),
        (["a"], "curve 0: its key is no text"),
        ([{"key": "a", "points": GOLDEN}] * 2, "the key 'a' stands twice"),
    ],
)
def test_input_that_is_none_is_refused(curves, said):
    with pytest.raises(InputError, match=said):
        coverages(curves)


def test_all_problems_are_told_together():
    with pytest.raises(InputError) as caught:
        coverages([{"key": "a", "points": []}, {"points": []}, 3])
    assert len(caught.value.problems) == 3


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1))
def test_a_frontier_rises_and_no_measured_point_beats_it(pairs):
    kept = upper_right(pairs)
    assert [x for x, _ in kept] == sorted({x for x, _ in kept})
    assert [y for _, y in kept] == sorted(y for _, y in kept)
    assert all(any(x <= a and y >= b for x, y in kept) for a, b in pairs)
