"""Which concurrencies a search space comes to, and the three ways in which caps work."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.matrix.concurrencies import agentic, fixed, span
from infx.matrix.options import Options
from infx.model.catalog import AgenticSearchSpace, SearchSpace

SIZES = st.integers(1, 5000)


def ranged(start, end, kind=SearchSpace):
    return kind.model_validate({"conc-start": start, "conc-end": end})


def listed(*concs, kind=SearchSpace):
    return kind.model_validate({"conc-list": concs})


@pytest.mark.parametrize(
    ("start", "end", "step", "expected"),
    [
        (4, 48, 2, (4, 8, 16, 32, 48)),
        (4, 64, 2, (4, 8, 16, 32, 64)),
        (1, 1, 2, (1,)),
        (1, 2, 2, (1, 2)),
        (2, 100, 4, (2, 8, 32, 100)),
        (3, 4, 10, (3, 4)),
    ],
)
def test_a_range_multiplies_and_always_has_its_end(start, end, step, expected):
    assert span(start, end, step) == expected


@given(SIZES, SIZES, st.integers(2, 9))
def test_any_range_is_sorted_unique_and_has_both_ends(a, b, step):
    start, end = sorted((a, b))
    values = span(start, end, step)
    assert list(values) == sorted(set(values))
    assert (values[0], values[-1]) == (start, end)
    assert all(later <= earlier * step for earlier, later in pairwise(values))


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, (4, 8, 16, 32, 48)),
        ({"max_conc": 20}, (4, 8, 16, 20)),  # 20 is in no file
        ({"max_conc": 3}, (3,)),
        ({"min_conc": 10}, (10, 20, 40, 48)),  # nor are these
        ({"min_conc": 48}, (48,)),
        ({"min_conc": 49}, ()),
        ({"min_conc": 10, "max_conc": 30}, (10, 20, 30)),
        ({"conc": (8, 20)}, (8,)),
        ({"max_conc": 20, "conc": (20,)}, (20,)),
        ({"step_size": 3}, (4, 12, 36, 48)),
    ],
)
def test_a_range_on_one_node_is_clipped_before_it_is_expanded(asked, expected):
    assert fixed(ranged(4, 48), Options(**asked), multinode=False) == expected


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"max_conc": 20}, (4, 8, 16)),
        ({"max_conc": 3}, (3,)),
        ({"min_conc": 10}, (16, 32, 48)),
        ({"min_conc": 49}, ()),
        ({"min_conc": 10, "max_conc": 12}, (12,)),  # nothing is left, so the cap itself runs
        ({"max_conc": 3, "conc": (4,)}, ()),
    ],
)
def test_a_range_over_several_nodes_is_filtered_and_falls_back_to_the_cap(asked, expected):
    assert fixed(ranged(4, 48), Options(**asked), multinode=True) == expected


@pytest.mark.parametrize("multinode", [False, True])
def test_a_list_keeps_its_order_and_falls_back_to_the_cap(multinode):
    space = listed(256, 64, 4)
    assert fixed(space, Options(), multinode=multinode) == (256, 64, 4)
    assert fixed(space, Options(max_conc=64), multinode=multinode) == (64, 4)
    assert fixed(space, Options(max_conc=2), multinode=multinode) == (2,)
    assert fixed(space, Options(min_conc=300), multinode=multinode) == ()


@pytest.mark.parametrize(
    ("asked", "expected"),
    [({"max_conc": 20}, (4, 8, 16)), ({"max_conc": 3}, ()), ({"min_conc": 10}, (16, 32, 48))],
)
def test_agent_sessions_are_only_filtered(asked, expected):
    assert agentic(ranged(4, 48, AgenticSearchSpace), Options(**asked)) == expected


@given(
    st.one_of(
        st.tuples(SIZES, SIZES).map(lambda pair: ranged(*sorted(pair))),
        st.lists(SIZES, min_size=1, max_size=6, unique=True).map(lambda c: listed(*c)),
    ),
    st.none() | SIZES,
    st.none() | SIZES,
    st.booleans(),
)
def test_what_is_left_is_inside_the_bounds(space, low, high, multinode):
    if low is not None and high is not None and low > high:
        low, high = high, low
    left = fixed(space, Options(min_conc=low, max_conc=high), multinode=multinode)
    assert all(high is None or conc <= high for conc in left)
    assert all(low is None or conc >= low for conc in left)
    assert len(set(left)) == len(left)
