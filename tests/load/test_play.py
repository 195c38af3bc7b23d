"""Which turns of a session tree are due when, derived by hand from each tree's own times."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from infx.load.plan import Plan
from infx.load.planner import plan_chunks
from infx.load.play import Play
from infx.model.replay import Entry, Seat, Tree, TreeStream, TreeTurn
from infx.model.workload import Message, Turn


def turn(base: int | None, *holds: int, delay: int = 0) -> TreeTurn:
    return TreeTurn(Turn((Message("user", ("x",)),), 8, 5, delay), base, holds)


def planned(*streams: Sequence[TreeTurn], entries: tuple[Entry, ...] = ()) -> Plan:
    """Return a plan of one tree, and of one lane where entries are given."""
    rows = tuple(
        TreeStream(f"s{n}", 0 if n else None, tuple(turns)) for n, turns in enumerate(streams)
    )
    seats = [Seat(0, entries)] if entries else []
    chunks = plan_chunks(api="chat", trees=[Tree("t", rows)], seats=seats)
    return Plan(memoryview(b"".join(chunks)))


def test_turns_follow_each_other_after_their_delay() -> None:
    """Due at 100 + 5; the answer ends at 130; the next is due 20 after that."""
    play = Play(planned([turn(None, delay=5), turn(0, delay=20)]), 0, number=0, now=100)
    assert play.next() == (105, 0)
    assert play.take(0, 0) == 105
    assert (play.next(), play.over) == (None, False)
    play.end(0, 130)
    assert play.next() == (150, 1)
    play.take(1, 0)
    play.end(1, 160)
    assert play.over


def test_a_subagent_may_start_while_its_parent_is_still_answered() -> None:
    """The root's turn is sent at 5, its subagent 3 later, long before the root's answer at 40."""
    beside = TreeTurn(Turn((Message("user", ("x",)),), 8, 5, 3), 0, (), overlaps=True)
    play = Play(planned([turn(None), turn(0)], [beside]), 0, number=0, now=0)
    play.take(0, 5)
    assert play.waiting == {2: 8}
    play.take(2, 8)
    play.end(2, 20)
    play.end(0, 40)
    assert play.waiting == {1: 40}


def test_a_parent_waits_for_all_its_subagents() -> None:
    """Turn 0 starts two subagents (turns 2 and 3); turn 1 is held by both, and due at 10 + 3.

    The first ends at 12, the second at 40: turn 1 may be asked at 40 and no earlier.
    """
    root = [turn(None), turn(0, 2, 3, delay=3)]
    play = Play(planned(root, [turn(0, delay=1)], [turn(0, delay=2)]), 0, number=0, now=0)
    play.take(0, 0)
    play.end(0, 10)
    assert play.waiting == {2: 11, 3: 12}
    for child in (2, 3):
        play.take(child, 0)
    play.end(2, 12)
    assert play.next() is None
    play.end(3, 40)
    assert play.waiting == {1: 40}


def test_a_join_that_is_over_early_does_not_hurry_the_parent() -> None:
    """The subagent ends at 12, the parent's own pause only at 10 + 30."""
    play = Play(planned([turn(None), turn(0, 2, delay=30)], [turn(0)]), 0, number=0, now=0)
    play.take(0, 0)
    play.end(0, 10)
    play.take(2, 0)
    play.end(2, 12)
    assert play.waiting == {1: 40}


def test_an_overflow_ends_its_stream_and_releases_who_waits_for_it() -> None:
    """Stream 1 (turns 2, 3) overflows at turn 2; turn 3 would have started stream 2 (turn 4).

    The root's turn 1 waits for 3 and 4, which will never be: it goes on at 50.
    """
    root, child, grandchild = [turn(None), turn(0, 3, 4)], [turn(0), turn(2)], [turn(3)]
    play = Play(planned(root, child, grandchild), 0, number=0, now=0)
    play.take(0, 0)
    play.end(0, 10)
    play.take(2, 0)
    play.cut(2, 50)
    assert play.waiting == {1: 50}
    play.take(1, 0)
    play.end(1, 60)
    assert play.over


def test_an_overflow_of_the_root_ends_the_play_once_its_subagents_are_over() -> None:
    play = Play(planned([turn(None), turn(0)], [turn(0), turn(2)]), 0, number=0, now=0)
    play.take(0, 0)
    play.end(0, 1)
    assert sorted(play.waiting) == [1, 2]
    play.take(1, 0)
    play.cut(1, 2)
    for one in (2, 3):
        assert not play.over
        play.take(one, 0)
        play.end(one, 3)
    assert play.over


def test_shifting_keeps_order_and_distance_also_of_what_is_still_held() -> None:
    """Turn 1 is held by turn 3 and due at 1,000; moved earlier by 900 it may be asked at 100."""
    root, child = [turn(None), turn(0, 3, delay=1000)], [turn(0, delay=950), turn(2)]
    play = Play(planned(root, child), 0, number=0, now=0)
    play.take(0, 0)
    play.end(0, 0)
    play.shift(900)
    assert play.waiting == {2: 50}
    for one in (2, 3):
        play.take(one, 0)
        play.end(one, 60)
    assert play.waiting == {1: 100}


def test_a_lane_that_begins_in_the_middle_asks_only_what_is_left() -> None:
    """The root's turn 0 and the child's turn 3 are past. Turn 1 waits 70, the child's next 20."""
    root, child = [turn(None), turn(0, 4), turn(1)], [turn(0), turn(3)]
    entries = (Entry(1, 70, primer=0, age_ns=9), Entry(1, 20, primer=0, age_ns=4))
    plan = planned(root, child, entries=entries)
    tree, seat = plan.seat(0)
    play = Play(plan, tree, number=0, now=1000, entries=seat)
    assert play.waiting == {4: 1020}
    play.take(4, 0)
    play.end(4, 1030)
    assert play.waiting == {1: 1070}


@st.composite
def forests(draw: st.DrawFn) -> list[list[TreeTurn]]:
    """Streams whose turns follow an earlier one and are held by earlier ones only: no cycles."""
    streams, count = [], 0
    for _ in range(draw(st.integers(1, 5))):
        base = draw(st.integers(0, count - 1)) if count else None
        rows = []
        for _ in range(draw(st.integers(1, 4))):
            holds = draw(st.sets(st.integers(0, count - 1), max_size=3)) if count else set()
            rows.append(turn(base, *sorted(holds - {base}), delay=draw(st.integers(0, 50))))
            base, count = count, count + 1
        streams.append(rows)
    return streams


@given(forests(), st.lists(st.integers(1, 30), min_size=1), st.randoms(use_true_random=False))
def test_every_turn_is_asked_once_and_never_before_what_it_waits_for(streams, lasts, chance):
    """Whatever order answers end in; `lasts` are their durations."""
    flat = [one for rows in streams for one in rows]
    play, now, ended = Play(planned(*streams), 0, number=0, now=0), 0, {}
    while not play.over:
        first = play.next()
        if first is not None and (not play.in_flight or chance.random() < 0.5):
            now = max(now, first[0])
            one = flat[first[1]]
            assert all(hold in ended for hold in one.holds)
            if one.base is not None:
                assert now >= ended[one.base] + one.turn.delay_ns
            play.take(first[1], now)
        else:
            done = chance.choice(sorted(play.in_flight))
            now += lasts[done % len(lasts)]
            assert done not in ended
            ended[done] = now
            play.end(done, now)
    assert sorted(ended) == list(range(len(flat)))
