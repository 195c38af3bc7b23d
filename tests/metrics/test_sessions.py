"""Sessions that lanes played: which were finished, how long they took, how even lanes were."""

from handmade import measured, record
from infx.metrics import session_time, turns_per_lane
from infx.metrics.plays import plays
from infx.model.measured import Expected, Measured, Replayed
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.result import Absent, MetricValue

NONE_WHOLE = Absent(reason="no session was played from its first turn to its last")


def turn(lane: int, play: int, sent: float, last: float, **fields: object) -> RequestRecord:
    return record(**{"lane": lane, "play": play, "sent": sent, "first": last} | fields)


def of_lengths(**turns: int) -> Replayed:
    """Sessions of one conversation each, numbered in the order given."""
    return Replayed(
        expected={
            (session, n): Expected(trace, trace, n)
            for session, (trace, count) in enumerate(turns.items())
            for n in range(count)
        }
    )


def told(given: Measured) -> list[tuple[int, int, bool, bool]]:
    return [(one.lane, one.number, one.finished, one.whole) for one in plays(given)]


def test_a_lane_that_went_on_had_finished() -> None:
    """Lane 0 plays three sessions: the first from its middle, the last is not over.

    The second takes from 5 s to 12 s, with a pause between its two turns.
    """
    given = measured(
        turn(0, 0, 0, 4),
        turn(0, 1, 5, 6),
        turn(0, 1, 10, 12, turn=1),
        turn(0, 2, 13, 14),
        replay=Replayed(),
    )
    assert told(given) == [(0, 0, True, False), (0, 1, True, True), (0, 2, False, False)]
    found = session_time.compute(given)
    assert isinstance(found, MetricValue)
    assert (found.n, found.mean) == (1, 7.0)


def test_the_recorded_number_of_turns_finishes_a_play_too() -> None:
    """Of two turns in `a` both are asked, of three in `b` one is missing."""
    replay = of_lengths(a=2, b=3)
    given = measured(
        turn(0, 1, 0, 1, session=0),
        turn(0, 1, 2, 3, session=0, turn=1),
        turn(1, 1, 0, 1, session=1),
        turn(1, 1, 2, 3, session=1, turn=1),
        replay=replay,
    )
    assert told(given) == [(0, 1, True, True), (1, 1, False, False)]


def test_a_first_play_is_whole_only_where_lanes_begin_at_the_start() -> None:
    records = (turn(0, 0, 0, 1), turn(0, 1, 2, 3))
    assert told(measured(*records, replay=Replayed()))[0] == (0, 0, True, False)
    assert told(measured(*records, replay=Replayed(from_start=True)))[0] == (0, 0, True, True)


def test_a_first_play_of_all_recorded_turns_began_at_the_first_of_them() -> None:
    """Lanes begin in the middle here, but of two turns in `a` both were asked in profiling.

    A lane that begins in `b` at its second turn leaves one out, and is primed with it in the warmup
    or not.
    """
    given = measured(
        turn(0, 0, 0, 1, session=0),
        turn(0, 0, 2, 3, session=0, turn=1),
        turn(1, 0, 0, 1, session=1, turn=1),
        turn(2, 0, 0, 1, session=1, phase=Phase.WARMUP),
        turn(2, 0, 2, 3, session=1, turn=1),
        replay=of_lengths(a=2, b=2),
    )
    assert told(given) == [(0, 0, True, True), (1, 0, False, False), (2, 0, True, False)]


def test_a_play_that_began_in_the_warmup_is_not_whole() -> None:
    given = measured(
        turn(0, 1, 0, 1, phase=Phase.WARMUP),
        turn(0, 1, 2, 3),
        turn(1, 2, 4, 5, phase=Phase.WARMUP),
        turn(0, 2, 4, 5),
        replay=Replayed(),
    )
    assert told(given) == [(0, 1, True, False), (0, 2, False, False)]
    assert session_time.compute(given) == NONE_WHOLE


def test_a_failed_turn_does_not_end_a_session_but_an_overflow_does() -> None:
    """A session goes on after an error, so it is finished; its time is not that of a whole one."""
    for state, finished in (
        (EndState.ERROR, True),
        (EndState.OVERFLOW, False),
        (EndState.CANCELLED_AT_END, False),
        (EndState.LOST, False),
    ):
        given = measured(
            turn(0, 1, 0, 1), turn(0, 1, 1, 2, state=state), turn(0, 2, 3, 4), replay=Replayed()
        )
        assert told(given)[0] == (0, 1, finished, False)


def test_turns_of_parallel_conversations_are_one_session() -> None:
    """The subagent's answer comes last: the session took until then."""
    given = measured(
        turn(0, 1, 0, 3), turn(0, 1, 1, 8, session=1), turn(0, 2, 9, 10), replay=Replayed()
    )
    found = session_time.compute(given)
    assert isinstance(found, MetricValue)
    assert found.mean == 8.0


def test_turns_per_lane_by_hand() -> None:
    """Lane 0 has 3 ok turns, lane 1 one of two, lane 2 none: mean 4 / 3 over three lanes."""
    found = turns_per_lane.compute(
        measured(
            *(turn(0, 0, n, n + 1) for n in range(3)),
            turn(1, 0, 0, 1),
            turn(1, 0, 1, 2, state=EndState.ERROR),
            turn(2, 0, 0, 1, state=EndState.CANCELLED_AT_END),
            turn(3, 0, 0, 1, phase=Phase.WARMUP),
        )
    )
    assert isinstance(found, MetricValue)
    assert (found.n, found.mean, found.p50) == (3, 4 / 3, 1)
