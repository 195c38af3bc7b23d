"""Which points are worth having: nothing else is as good on both axes and better on one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.curves.frontier import XY, frontier, reference_frontier
from infx.model.result import Better

# Few distinct values, so that ties on one axis, on both, and duplicates are common.
POINTS = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), max_size=12)
BETTER = st.sampled_from(["smaller", "larger"])
OTHER: dict[Better, Better] = {"smaller": "larger", "larger": "smaller"}
GOLDEN = [(1, 100), (2, 90), (2, 120), (3, 120), (3, 120), (4, 110), (5, 130)]


def at_least_as_good(a: float, b: float, better: Better) -> bool:
    return a <= b if better == "smaller" else a >= b


def dominates(a: XY, b: XY, x: Better, y: Better) -> bool:
    return a != b and at_least_as_good(a[0], b[0], x) and at_least_as_good(a[1], b[1], y)


def test_golden_vector_of_the_reference() -> None:
    """By x, of equal x the largest y first: 100, 120 (90 is below it), 120, 110, 130.

    A point stays where its y is at least the best so far: 100; 120; 120, a plateau; not 110; 130.
    """
    assert reference_frontier(GOLDEN, "smaller", "larger") == [
        (1, 100),
        (2, 120),
        (3, 120),
        (5, 130),
    ]


def test_a_plateau_is_dominated() -> None:
    """(3, 120) is as good as (2, 120) in y and worse in x."""
    assert frontier(GOLDEN, "smaller", "larger") == [(1, 100), (2, 120), (5, 130)]


@pytest.mark.parametrize(
    ("x", "y", "strict", "reference"),
    [
        ("smaller", "larger", [(1, 2), (3, 4)], [(1, 2), (2, 2), (3, 4)]),
        ("larger", "larger", [(3, 4)], [(3, 4)]),
        ("larger", "smaller", [(2, 2), (3, 4)], [(1, 2), (2, 2), (3, 4)]),
        ("smaller", "smaller", [(1, 2)], [(1, 2), (2, 2)]),
    ],
)
def test_the_four_corners(x: Better, y: Better, strict: list[XY], reference: list[XY]) -> None:
    points = [(3, 4), (2, 2), (1, 2)]
    assert frontier(points, x, y) == strict
    assert reference_frontier(points, x, y) == reference


def test_no_points_no_frontier() -> None:
    assert frontier([], "smaller", "larger") == reference_frontier([], "smaller", "larger") == []


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_coordinate_is_finite(bad: float) -> None:
    for rule in (frontier, reference_frontier):
        with pytest.raises(ValueError, match="finite"):
            rule([(1.0, bad)], "smaller", "larger")


@given(POINTS, BETTER, BETTER)
def test_exactly_the_dominated_are_left_out(points: list[XY], x: Better, y: Better) -> None:
    kept = frontier(points, x, y)
    assert kept == sorted(set(kept))
    for point in points:
        dominated = any(dominates(other, point, x, y) for other in points)
        assert (point in kept) != dominated


@given(POINTS, BETTER, BETTER)
def test_the_reference_keeps_what_no_better_x_beats_in_y(
    points: list[XY], x: Better, y: Better
) -> None:
    kept = reference_frontier(points, x, y)
    assert set(frontier(points, x, y)) <= set(kept)
    for point in points:
        beaten = any(
            at_least_as_good(other[0], point[0], x) and not at_least_as_good(point[1], other[1], y)
            for other in points
        )
        assert (point in kept) != beaten


@given(POINTS.flatmap(lambda ps: st.tuples(st.just(ps), st.permutations(ps))), BETTER, BETTER)
def test_order_and_duplicates_do_not_matter(
    orders: tuple[list[XY], list[XY]], x: Better, y: Better
) -> None:
    for rule in (frontier, reference_frontier):
        assert rule(orders[0], x, y) == rule(orders[1], x, y) == rule(orders[0] * 2, x, y)


@given(POINTS, BETTER, BETTER)
def test_mirrored_axes_give_the_mirrored_frontier(points: list[XY], x: Better, y: Better) -> None:
    for rule in (frontier, reference_frontier):
        mirrored_x = rule([(-a, b) for a, b in points], OTHER[x], y)
        mirrored_y = rule([(a, -b) for a, b in points], x, OTHER[y])
        assert sorted((-a, b) for a, b in mirrored_x) == rule(points, x, y)
        assert sorted((a, -b) for a, b in mirrored_y) == rule(points, x, y)
