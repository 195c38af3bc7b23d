"""What a call waits for in other streams."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from infx.model.trace import Ref
from infx.workloads.trace import order
from recorded import call


def waits(calls):
    """The waits of streams that share a scope."""
    return order.waits(calls, [0] * len(calls))


def streams(*rows: list[tuple[float, float]]):
    """Streams of calls, each a start and a duration in seconds."""
    return [[call(start, [1], took=took) for start, took in row] for row in rows]


def test_what_had_ended_is_waited_for_and_what_overlaps_is_not():
    """A 0-10, B 1-9, C 2-7, D from 10: D waits for all three, none of them for another."""
    found = waits(streams([(0, 10)], [(1, 8)], [(2, 5)], [(10, 1)]))
    assert found == (((),), ((),), ((),), ((Ref(0, 0), Ref(1, 0), Ref(2, 0)),))


def test_a_chain_waits_for_its_last_member_alone():
    """B had ended before C began and waited for A itself, so C waits for B only."""
    found = waits(streams([(0, 10)], [(10, 10)], [(20, 10)]))
    assert found == (((),), ((Ref(0, 0),),), ((Ref(1, 0),),))


def test_an_end_that_is_the_start_is_before_it_and_equal_starts_have_no_order():
    """A ends at 5, where B and C begin with no width: both wait for A, neither for the other."""
    found = waits(streams([(0, 5)], [(5, 0)], [(5, 0)]))
    assert found == (((),), ((Ref(0, 0),),), ((Ref(0, 0),),))


def test_of_a_stream_only_the_latest_call_is_waited_for():
    """X asks at 0-1, 2-3 and 4-9; Y, from 5 s, waits for the second, which had ended by then."""
    assert waits(streams([(0, 1), (2, 1), (4, 5)], [(5, 1)]))[1] == ((Ref(0, 1),),)


def test_what_the_call_before_waited_for_is_not_waited_for_again():
    """Y's first call, from 2 s, waits for X; its second needs not say so."""
    assert waits(streams([(0, 1)], [(2, 1), (4, 1)]))[1] == ((Ref(0, 0),), ())


def test_streams_of_another_scope_are_not_waited_for():
    """X ends at 1; Y of its scope waits from 2 s on, Z of another one does not, nor for Y."""
    found = order.waits(streams([(0, 1)], [(2, 1)], [(9, 1)]), [0, 0, 2])
    assert found == (((),), ((Ref(0, 0),),), ((),))


times = st.tuples(st.integers(0, 9), st.integers(0, 4))


@given(st.lists(st.lists(times, min_size=1, max_size=4).map(sorted), min_size=1, max_size=4))
def test_with_each_streams_own_order_the_waits_imply_every_recorded_order(rows):
    """Against the definition: all pairs of calls of which one had ended before the other began."""
    calls = streams(*rows)
    edges: dict[Ref, set[Ref]] = {}
    for stream, found in enumerate(waits(calls)):
        for index, before in enumerate(found):
            edges[Ref(stream, index)] = set(before)
        for earlier, later in pairwise(range(len(calls[stream]))):
            edges[Ref(stream, later)].add(Ref(stream, earlier))

    def implied(ref: Ref) -> set[Ref]:
        return edges[ref].union(*(implied(before) for before in edges[ref]))

    for later in edges:
        start = calls[later.stream][later.call].start_ns
        for earlier in edges:
            other = calls[earlier.stream][earlier.call]
            if other.end_ns <= start and other.start_ns < start:
                assert earlier in implied(later)
        for before in edges[later]:
            assert before.stream == later.stream or (
                calls[before.stream][before.call].end_ns <= start
            )
