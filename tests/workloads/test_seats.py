"""Where lanes begin: at moments of their own, with what was live then."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infx.load.plan import Plan
from infx.load.planner import plan_chunks
from infx.load.play import Play
from infx.model.replay import Entry, Seat
from infx.model.trace import Trace
from infx.workloads.seats import moment_ns, outline, seat, seats
from recorded import S, call
from sessions import played, stream, three_levels, trace, traces, workload


def test_a_moment_is_drawn_from_seed_trace_and_lane() -> None:
    """sha256 of 42:t:0 begins fc7a645a31c4bbd7, that of 42:t:1 begins 5312774dad986612.

    Over 2**64 they are 0.98624255 and 0.32450052 of the window, which is 25 to 75 of 100 seconds:
    25 s and 50 s times that are 74.312 s and 41.225 s.
    """
    of = outline(three_levels())
    found = [moment_ns(workload(), of, lane) for lane in (0, 1)]
    assert found == [74_312_127_686, 41_225_025_962]
    assert moment_ns(workload(seed=43), of, 0) != found[0]


def test_a_session_of_three_levels_is_entered_at_thirty_seconds() -> None:
    """Main asked at 0 and goes on at 60: 30 s to wait, and 30 s since.

    a asked at 12 and goes on at 40. b is over: its last request began at 20. c and d asked at 14
    and 15. e was spawned, as turn 0 is past, but its first request comes at 31 only: nothing to
    prime. The worker asked at 26 and goes on at 32. The last starts after main's turn at 60.
    """
    found = seat(workload(window=(0.3, 0.3)), outline(three_levels()), tree=4, lane=7)
    assert found == Seat(
        4,
        (
            Entry(1, 30 * S, 0, 30 * S),
            Entry(1, 10 * S, 0, 18 * S),
            Entry(2, None),
            Entry(1, 5 * S, 0, 16 * S),
            Entry(1, 8 * S, 0, 15 * S),
            Entry(0, 1 * S),
            Entry(1, 2 * S, 0, 4 * S),
            Entry(0, None),
        ),
    )


def test_what_begins_at_the_moment_is_still_to_be_asked() -> None:
    """Of requests at 0, 10 and 20 the second begins at half of the time."""
    of = outline(trace(stream([call(0, [1]), call(10, [1, 2]), call(20, [1, 2, 3])])))
    assert seat(workload(window=(0.5, 0.5)), of, tree=0, lane=0).entries == (
        Entry(1, 0, 0, 10 * S),
    )
    assert seat(workload(window=(0, 0)), of, tree=0, lane=0).entries == (Entry(0, 0),)
    assert seat(workload(window=(1, 1)), of, tree=0, lane=0).entries == (Entry(2, 0, 1, 10 * S),)


def test_a_session_of_one_request_is_entered_at_it() -> None:
    of = outline(trace(stream([call(3, [1], took=60)])))
    assert seat(workload(), of, tree=0, lane=0).entries == (Entry(0, 0),)


def test_without_a_window_lanes_begin_with_the_first_turn() -> None:
    found = seat(workload(window=None), outline(three_levels()), tree=0, lane=0)
    assert found.entries == (Entry(0, 0), *(Entry(0, None),) * 7)


def test_lanes_take_the_trees_in_turn() -> None:
    outlines = [outline(trace(stream([call(0, [1]), call(9, [1])]), id=name)) for name in "abc"]
    found = list(seats(workload(), outlines, 7))
    assert [one.tree for one in found] == [0, 1, 2, 0, 1, 2, 0]
    assert len({one.entries for one in found}) == 7, "lanes of one tree begin at other moments"
    with pytest.raises(ValueError, match="without a tree"):
        next(seats(workload(), [], 1))


shares = st.floats(0, 1)


@settings(max_examples=150, deadline=None)
@given(traces(), shares, st.integers(0, 400))
def test_what_was_before_the_moment_is_past_and_distances_are_the_recorded_ones(
    drawn: Trace, share: float, lane: int
) -> None:
    of = outline(drawn)
    stated = workload(window=(share, 1.0))
    moment = moment_ns(stated, of, lane)
    found = seat(stated, of, tree=0, lane=lane)
    assert of.span[0] + share * (of.span[1] - of.span[0]) - 1 <= moment <= of.span[1]
    assert any(
        one.begin < len(s.calls) for one, s in zip(found.entries, drawn.streams, strict=True)
    )
    for one, recorded in zip(found.entries, drawn.streams, strict=True):
        starts = [call.start_ns for call in recorded.calls]
        assert all(start < moment for start in starts[: one.begin])
        assert all(start >= moment for start in starts[one.begin :])
        live = 0 < one.begin < len(starts)
        assert one.primer == (one.begin - 1 if live else None)
        assert moment - one.age_ns == (starts[one.begin - 1] if live else moment)
        if one.wait_ns is not None:
            assert moment + one.wait_ns == starts[one.begin]
        elif one.begin < len(starts):
            spawn = recorded.spawn
            assert spawn is not None
            assert one.begin == 0
            assert drawn.call(spawn).start_ns >= moment


def asked(plan: Plan, play: Play) -> list[int]:
    """Ask every turn when it is due, each answered a second later, in order."""
    found = []
    while (due := play.next()) is not None:
        moment, turn = due
        play.take(turn, moment)
        play.end(turn, moment + S)
        found.append(turn)
    assert play.over
    return found


def whole(streams: Sequence[range], begins: Sequence[int]) -> list[int]:
    return [turn for one, begin in zip(streams, begins, strict=True) for turn in one[begin:]]


@settings(max_examples=150, deadline=None)
@given(traces(), st.integers(0, 20))
def test_a_play_asks_every_turn_after_the_moment_once_and_none_before(
    drawn: Trace, lane: int
) -> None:
    found = seat(workload(window=(0.0, 1.0)), outline(drawn), tree=0, lane=lane)
    plan = Plan(memoryview(b"".join(plan_chunks(api="chat", trees=[played(drawn)], seats=[found]))))
    streams = [plan.turns_of(number) for number in plan.streams_of(0)]
    _, entries = plan.seat(0)
    entered = asked(plan, Play(plan, 0, number=0, now=0, entries=entries))
    assert sorted(entered) == whole(streams, [one.begin for one in found.entries])
    anew = asked(plan, Play(plan, 0, number=1, now=0))
    assert sorted(anew) == whole(streams, [0] * len(streams))
