"""Session trees on lanes, in virtual time: every moment below is derived from the trees by hand.

The server answers each request after a second, unless a test says otherwise.
"""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from infx.clock import NS
from infx.load.rules import Rules
from infx.model.record import EndState, Phase
from infx.model.replay import Entry, Seat, Tree
from staged import ANSWER, BROKEN, OVERFLOW, Stage, tree, turn


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_think_times_count_from_the_end_of_the_answer(stage: Stage) -> None:
    """a at 0 ends at 1; b 2.5 s later at 3.5 ends at 4.5; c at once."""
    ran = stage.run([tree("t", [turn("a", None), turn("b", 0, after=2.5), turn("c", 1)])])
    assert ran.asked == [(0, "a"), (3.5, "b"), (4.5, "c")]
    assert [one.state for one in ran.records] == [EndState.OK] * 3
    assert [one.sent_ns - one.due_ns for one in ran.records] == [0, 0, 0]


def test_subagents_run_in_parallel_and_their_parent_waits_for_all(stage: Stage) -> None:
    """x and y start 0.5 s and 1 s after a; y takes 9 s, until 11; b is held by both."""
    stage.server.lasts = lambda text: 9 if text == "y" else 1
    root = [turn("a", None), turn("b", 0, 2, 3)]
    ran = stage.run([tree("t", root, [turn("x", 0, after=0.5)], [turn("y", 0, after=1)])])
    assert ran.asked == [(0, "a"), (1.5, "x"), (2, "y"), (11, "b")]
    streams = [one.headers["X-Correlation-ID"] for one in ran.seen]
    assert streams == ["t-l0-p0-s0", "t-l0-p0-s1", "t-l0-p0-s2", "t-l0-p0-s0"]
    assert {one.lane for one in ran.records} == {0}


def test_lanes_take_turns_in_the_trees_and_recycle_until_time_is_up(stage: Stage) -> None:
    """Two lanes, three trees of one second: lane 0 plays 0, 2, 1, ...; lane 1 plays 1, 0, 2, ..."""
    trees = [tree(name, [turn(name, None)]) for name in "abc"]
    ran = stage.run(trees, lanes=2, duration=3.5)
    assert sorted(ran.asked) == [
        (0, "a"), (0, "b"), (1, "a"), (1, "c"), (2, "b"), (2, "c"), (3, "a"), (3, "b"),
    ]  # fmt: skip
    plays = {(one.lane, one.play) for one in ran.records}
    assert plays == {(lane, play) for lane in (0, 1) for play in range(4)}


def test_without_a_duration_each_tree_is_played_once(stage: Stage) -> None:
    trees = [tree(name, [turn(name, None)]) for name in "abcde"]
    ran = stage.run(trees, lanes=2)
    assert sorted(text for _, text in ran.asked) == list("abcde")


def test_a_silent_system_is_moved_on_and_keeps_distances(stage: Stage) -> None:
    """Both lanes think: for 100 s and 130 s. After 10 s the first goes on; the other 30 s later.

    a and b end at 1. Due at 101 and 131; the cap moves both by 90, to 11 and 41. c ends at 12, and
    then the next is 29 s away: 19 more are left out, and d comes at 22.
    """
    one = tree("one", [turn("a", None), turn("c", 0, after=100)])
    two = tree("two", [turn("b", None), turn("d", 0, after=130)])
    ran = stage.run([one, two], lanes=2)
    assert ran.asked == [(0, "a"), (0, "b"), (11, "c"), (22, "d")]
    assert (ran.replay.idle.times, ran.replay.idle.ns) == (2, 109 * NS)


def test_a_tree_that_idles_alone_is_moved_on_alone(stage: Stage) -> None:
    """The first lane would think for 1,000 s and is moved to 300; the other is always busy."""
    stage.server.lasts = lambda text: 500 if text == "long" else 1
    one = tree("one", [turn("a", None), turn("b", 0, after=1000)])
    ran = stage.run([one, tree("two", [turn("long", None)])], lanes=2)
    assert ran.asked == [(0, "a"), (0, "long"), (301, "b")]
    assert (ran.replay.tree_idle.times, ran.replay.tree_idle.ns) == (1, 700 * NS)
    assert ran.replay.idle.times == 0


def test_an_overflow_ends_the_session_and_an_error_does_not(stage: Stage) -> None:
    stage.server.answer = lambda text: {"b": BROKEN, "c": OVERFLOW}.get(text, ANSWER)
    turns = [turn("a", None), turn("b", 0), turn("c", 1), turn("d", 2)]
    ran = stage.run([tree("t", turns), tree("u", [turn("e", None)])])
    assert [text for _, text in ran.asked] == ["a", "b", "c", "e"]
    states = [one.state for one in ran.records]
    assert states == [EndState.OK, EndState.ERROR, EndState.OVERFLOW, EndState.OK]


def test_a_lane_that_begins_in_the_middle_is_primed_and_warmed_up(stage: Stage) -> None:
    """Two lanes begin in the middle; all warmup requests ask for one token, profiling for 8.

    Lane 0's moment lies 3 s after its a, lane 1's 1 s after its p, and both moments come at 3: a is
    asked at 0 and p at 2. Each lane then asks one more turn of one token at once: b at 1 when a has
    ended, q at 3 when p has. Lane 0 rests from 2 on and c waits 7 s more, lane 1 from 4 on and r
    waits 4 s. Profiling begins at 4 with what waits least: r at 4, c 3 s later.
    """
    one = tree("one", [turn("a", None), turn("b", 0, after=20), turn("c", 1, after=7)])
    two = tree("two", [turn("p", None), turn("q", 0, after=9), turn("r", 1, after=4)])
    seats = [
        Seat(0, (Entry(1, 17 * NS, primer=0, age_ns=3 * NS),)),
        Seat(1, (Entry(1, 8 * NS, primer=0, age_ns=1 * NS),)),
    ]
    rules = Rules(seed=1, cache_bust=False, warmups=1)
    ran = stage.run([one, two], seats=seats, lanes=2, rules=rules)
    warm = [
        (at, text) for (at, text), one in zip(ran.asked, ran.seen, strict=True) if one.limit == 1
    ]
    assert warm == [(0, "a"), (1, "b"), (2, "p"), (3, "q")]
    rest = [pair for pair in ran.asked if pair not in warm]
    assert rest == [(4, "r"), (7, "c")]
    phases = {one.turn: one.phase for one in ran.records if one.lane == 0}
    assert phases == {0: Phase.WARMUP, 1: Phase.WARMUP, 2: Phase.PROFILING}


def test_what_is_skipped_while_priming_moves_no_lane_that_rests(stage: Stage) -> None:
    """Lane 1's primer happened 60 s before its moment, lane 0's 3 s.

    p is asked at 0, and lane 1 rests from 1 on; a would come at 57 and is moved to 2, a second
    after nothing was in flight any more. Profiling begins at 3: q waited 5 s and b 7 s, so q comes
    first and b 2 s later.
    """
    one = tree("one", [turn("a", None), turn("b", 0, after=20)])
    two = tree("two", [turn("p", None), turn("q", 0, after=90)])
    seats = [
        Seat(0, (Entry(1, 7 * NS, primer=0, age_ns=3 * NS),)),
        Seat(1, (Entry(1, 5 * NS, primer=0, age_ns=60 * NS),)),
    ]
    ran = stage.run([one, two], seats=seats, lanes=2)
    assert ran.asked == [(0, "p"), (2, "a"), (3, "q"), (5, "b")]


def test_a_failing_root_primer_aborts_and_a_subagents_does_not(stage: Stage) -> None:
    both = tree("t", [turn("a", None), turn("b", 0)], [turn("x", 0), turn("y", 2)])
    entries = (Entry(1, 0, primer=0, age_ns=2 * NS), Entry(1, 0, primer=0, age_ns=NS))
    stage.server.answer = lambda text: BROKEN if text == "x" else ANSWER
    ran = stage.run([both], seats=[Seat(0, entries)])
    assert ran.replay.aborted is None
    other = Stage(stage.folder)
    (stage.folder / "requests.jsonl.zst").unlink()
    other.server.answer = lambda text: BROKEN if text == "a" else ANSWER
    ran = other.run([both], seats=[Seat(0, entries)])
    assert "the primer of lane 0 failed" in str(ran.replay.aborted)
    assert "b" not in {one.text for one in ran.seen}


def test_a_marker_is_new_for_each_play_and_shared_by_its_streams(stage: Stage) -> None:
    family = tree("t", [turn("a", None)], [turn("x", 0)])
    ran = stage.run([family], rules=Rules(seed=7), duration=3.5)
    markers = [one.text.split("\n\n")[0] for one in ran.seen]
    assert all(re.fullmatch(r"\[rid:[0-9a-f]{12}\]", one) for one in markers)
    assert markers[0] == markers[1] != markers[2] == markers[3]


def test_markers_and_stream_ids_come_from_the_plan_alone(stage: Stage) -> None:
    """`printf 7:0:0:t | sha256sum`: seed, lane, play and trace."""
    ran = stage.run([tree("t", [turn("a", None)])], rules=Rules(seed=7))
    assert ran.seen[0].text == "[rid:9d6aad41d719]\n\na"


def test_dynamo_learns_which_stream_started_another(stage: Stage) -> None:
    names = ("X-Dynamo-Session-ID",)
    rules = Rules(seed=1, cache_bust=False, affinity=names, parents=("X-Dynamo-Parent-Session-ID",))
    ran = stage.run([tree("t", [turn("a", None)], [turn("x", 0)])], rules=rules)
    root, child = (one.headers for one in ran.seen)
    assert "X-Dynamo-Parent-Session-ID" not in root
    assert child["X-Dynamo-Parent-Session-ID"] == root["X-Dynamo-Session-ID"] == "t-l0-p0-s0"


def test_too_many_failures_stop_the_run(stage: Stage) -> None:
    """Ten requests must have ended; all of these fail."""
    stage.server.answer = lambda _: BROKEN
    trees = [tree(str(n), [turn(str(n), None)]) for n in range(40)]
    rules = Rules(seed=1, cache_bust=False, abort_share=0.1)
    ran = stage.run(trees, rules=rules)
    assert len(ran.seen) == 10
    assert "10 of 10 requests failed, above the 10% allowed" in str(ran.replay.aborted)


def test_what_is_open_at_the_end_is_counted_as_cancelled(stage: Stage) -> None:
    """Time is up at 5 s; the answer would take 100, the grace is 20."""
    stage.server.lasts = lambda _: 100
    ran = stage.run([tree("t", [turn("a", None)])], duration=5, grace=20)
    (record,) = ran.records
    assert record.state is EndState.CANCELLED_AT_END
    assert record.end_ns - record.sent_ns == 25 * NS


@pytest.mark.parametrize("how", ["drain", "cancel"])
def test_a_stopped_replay_asks_nothing_more(stage: Stage, how: str) -> None:
    turns = [turn("a", None), turn("b", 0, after=3), turn("c", 1)]
    ran = stage.run([tree("t", turns)], **{how: 2.0})
    assert [text for _, text in ran.asked] == ["a"]
    assert len(ran.records) == 1


def test_an_hour_of_32_lanes_keeps_every_count(stage: Stage) -> None:
    """Joins, idle guards, recycling, overflow, errors and the drain, in virtual time.

    Every request has one end, its due moment is never after its sending, and no lane ever plays
    two trees at once.
    """
    answers = {"over": OVERFLOW, "broken": BROKEN}
    stage.server.answer = lambda text: answers.get(text.split()[0], ANSWER)
    stage.server.lasts = lambda text: 0.2 + len(text) % 7

    def family(n: int) -> Tree:
        word = "over" if n % 17 == 5 else "broken" if n % 11 == 3 else "fine"
        root = [
            turn(f"{n} start", None),
            turn(f"{n} join", 0, 4, 6, after=2),
            turn(f"{word} {n}", 1, after=(n * 37) % 900),
            turn(f"{n} last", 2, after=4),
        ]
        first = [turn(f"{n} x", 0, after=1)]
        second = [turn(f"{n} y", 0), turn(f"{n} yy", 5, after=n % 40)]
        return tree(f"t{n}", root, first, second)

    trees = [family(n) for n in range(60)]
    ran = stage.run(trees, lanes=32, duration=3600)
    assert len(ran.records) == len(ran.seen) == ran.replay.sender.requests
    assert len({(one.lane, one.play, one.session, one.turn) for one in ran.records}) == len(
        ran.seen
    )
    assert all(one.due_ns <= one.sent_ns for one in ran.records)
    assert {one.state for one in ran.records} >= {EndState.OK, EndState.ERROR, EndState.OVERFLOW}
    for lane in range(32):
        own = sorted(
            (one for one in ran.records if one.lane == lane),
            key=lambda one: (one.play, one.sent_ns),
        )
        assert [one.play for one in own] == sorted(one.play for one in own)
        for before, after in pairwise(own):
            if after.play != before.play:
                assert after.sent_ns >= before.end_ns
    assert max(one.at for one in ran.seen) <= 3600
    first = min(one.sent_ns for one in ran.records)
    assert max(one.end_ns for one in ran.records) > first + 3600 * NS, "nothing was drained"
    assert min(max(one.play for one in ran.records if one.lane == n) for n in range(32)) > 1
    assert ran.replay.tree_idle.times > 0
    # Of each family's three streams, the root's second turn waits for the ends of the other two.
    ends = {(one.lane, one.play, one.session, one.turn): one.end_ns for one in ran.records}
    joins = [one for one in ran.records if one.session % 3 == 0 and one.turn == 1]
    assert len(joins) > 100
    for one in joins:
        for stream, last in ((1, 0), (2, 1)):
            assert one.sent_ns >= ends[one.lane, one.play, one.session + stream, last]
