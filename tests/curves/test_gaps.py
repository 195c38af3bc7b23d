"""Where a frontier has no points: vectors by hand, one of them a reviewer's complaint."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.curves.frontier import frontier, reference_frontier
from infx.curves.gaps import covered, gaps
from infx.model.result import Curve, CurvePoint


def curve(*places, better="smaller", rate=None):
    """Return a curve of (concurrency, x, y)."""
    xy = [(float(x), float(y)) for _, x, y in places]
    kept = reference_frontier(xy, better, "larger")
    strict = frontier(xy, better, "larger")
    points = tuple(
        CurvePoint(
            point_id=f"p{concurrency}", repetition=0, concurrency=concurrency, rate=rate,
            x=x, y=y, on_frontier=(x, y) in strict, on_reference_frontier=(x, y) in kept,
        )
        for (concurrency, _, _), (x, y) in zip(places, xy, strict=True)
    )  # fmt: skip
    return Curve(
        x_metric="e2el", x_statistic="p90", x_unit="s", x_better=better, y_metric="t",
        y_statistic="mean", y_unit="tok/s/gpu", y_better="larger",
        points=tuple(sorted(points, key=lambda one: one.x)), missing={},
    )  # fmt: skip


def told(found):
    return [
        (gap.place, gap.start, gap.end, round(gap.ratio, 2), gap.concurrencies) for gap in found
    ]


COMPLAINT = curve(
    (1, 6, 40), (4, 11, 130), (64, 20, 900), (128, 100, 1500), (400, 150, 2100), (800, 210, 2600)
)
"""Six concurrencies of a review whose reader found nothing between 20 s and 100 s."""


def test_the_complaint_is_found_with_concurrencies_to_try():
    # 100 / 20 is 5: two more points make each step 1.71, and 64 to 128 in three steps is 81, 102.
    assert told(gaps(COMPLAINT)) == [("between", 20, 100, 5, (81, 102))]


def test_a_step_of_twice_is_no_gap_and_of_more_is_one():
    assert gaps(curve((1, 1, 1), (2, 2, 2), (4, 4, 3))) == ()
    assert told(gaps(curve((1, 1, 1), (2, 2.01, 2)))) == [("between", 1, 2.01, 2.01, ())]
    assert told(gaps(curve((4, 1, 1), (8, 2.01, 2)))) == [("between", 1, 2.01, 2.01, (6,))]


def test_what_was_measured_already_is_not_to_be_tried():
    # 4.3 is more than 2 squared: 1 to 4 in three steps is 1.59 and 2.52, and 2 is dominated.
    found = gaps(curve((1, 1, 3), (2, 2.1, 2), (4, 4.3, 4)))
    assert told(found) == [("between", 1, 4.3, 4.3, (3,))]
    assert found[0].inside == 1


def test_another_limit():
    assert told(gaps(COMPLAINT, limit=5.1)) == []
    assert [gap.start for gap in gaps(COMPLAINT, limit=1.45)] == [6, 11, 20, 100]
    with pytest.raises(ValueError, match="ratio"):
        gaps(COMPLAINT, limit=1)


def test_what_comparable_curves_cover_counts_at_both_ends():
    mine = curve((8, 10, 1), (16, 18, 2))
    theirs = curve((1, 3, 1), (2, 5, 2), (4, 9, 3), (8, 16, 4), (16, 30, 5), (64, 90, 6))
    reach = covered([theirs])
    assert reach == (3, 90)
    assert told(gaps(mine, reach=reach)) == [
        ("before", 3, 10, 3.33, (2,)),
        ("after", 18, 90, 5, (80,)),
    ]
    assert gaps(mine, reach=(6, 36)) == ()
    assert gaps(mine, reach=(12, 15)) == ()


def test_one_session_is_the_least_that_can_be_tried():
    (before,) = gaps(curve((1, 10, 1)), reach=(1, 10))
    assert before.concurrencies == ()


def test_against_interactivity_more_sessions_are_slower():
    fast = curve((64, 10, 9), (1, 50, 1), better="larger")
    assert told(gaps(fast, reach=(2, 200))) == [
        ("before", 2, 10, 5, (320,)),
        ("between", 10, 50, 5, (4, 16)),
        ("after", 50, 200, 4, ()),
    ]


def test_a_dominated_point_does_not_fill_a_gap_but_is_told():
    found = gaps(curve((1, 1, 5), (2, 3, 4), (4, 10, 9)))
    assert [(gap.start, gap.end, gap.inside) for gap in found] == [(1, 10, 1)]


def test_rates_are_no_concurrencies():
    (gap,) = gaps(curve((64, 1, 1), (64, 9, 2), rate=2.0))
    assert gap.concurrencies == ()


def test_no_points_no_gaps_and_no_range():
    assert gaps(curve()) == ()
    assert covered([]) is None
    assert gaps(curve((1, 1, 1))) == ()


@given(st.lists(st.integers(1, 500), min_size=1, max_size=8, unique=True))
def test_the_points_to_try_close_the_gap(xs):
    """With x in proportion to concurrency, adding what is advised leaves no wide step."""
    places = [(x * 100, x, x) for x in sorted(xs)]
    tried = [c for gap in gaps(curve(*places)) for c in gap.concurrencies]
    filled = curve(*places, *((c, c / 100, c / 100) for c in tried))
    left = gaps(filled)
    assert all(gap.ratio < 2.02 for gap in left), "only what rounding leaves"
    assert len(tried) == sum(
        math.ceil(round(math.log2(gap.ratio), 9)) - 1 for gap in gaps(curve(*places))
    )
