"""Idle guards, joins and the live abort, on sessions as they are recorded.

The session has three levels: main starts five subagents, and the first of them three workers. All
answers take a second, recorded ones too; every moment is derived by hand from the recorded times.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from infx.clock import NS
from infx.load.rules import Rules
from infx.model.record import EndState, Phase
from infx.model.replay import Entry, Seat, Tree
from recorded import only_trace, request, subagent
from sessions import played
from staged import ANSWER, BROKEN, OVERFLOW, Ran, Stage, tree, turn

BUSY = 5000.0


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def session(folder: Path) -> Tree:
    """Main asks at 0 and at 1000 s, which waits for all five; a's second turn for its workers."""
    rows = [
        request(0, [1]),
        subagent(2, "a", [
            request(2, [10, 11]),
            *(request(4, [10, n]) for n in (20, 21, 22)),
            request(500, [10, 11, 12]),
        ]),
        subagent(2, "b", [request(2, [30]), request(400, [30, 31])]),
        subagent(3, "c", [request(3, [40])]),
        subagent(3, "d", [request(3, [50]), request(905, [50, 51])]),
        subagent(3, "e", [request(3, [60])]),
        request(1000, [1, 2]),
    ]  # fmt: skip
    made = played(only_trace(folder, *rows))
    assert [one.parent for one in made.streams] == [None, 0, 1, 1, 1, 0, 0, 0, 0]
    return made


NAMES = {
    (0, 0): "main0", (0, 1): "main1", (1, 0): "a0", (1, 1): "a1", (2, 0): "w0", (3, 0): "w1",
    (4, 0): "w2", (5, 0): "b0", (5, 1): "b1", (6, 0): "c0", (7, 0): "d0", (7, 1): "d1",
    (8, 0): "e0", (9, 0): "x0", (9, 1): "x1",
}  # fmt: skip


def sent(ran: Ran) -> dict[str, float]:
    """When each turn was sent, in seconds after the first one."""
    first = min(one.sent_ns for one in ran.records)
    return {NAMES[one.session, one.turn]: (one.sent_ns - first) / NS for one in ran.records}


EARLY = {"main0": 0, "a0": 1, "b0": 1, "c0": 2, "d0": 2, "e0": 2, "w0": 3, "w1": 3, "w2": 3}
"""The spawn was recorded 2 s after main began, so a and b come when main's answer ends, at 1 s, and
the others as much later as they were recorded after the spawn: 1 s, and the workers 2 s."""


def text_of(made: Tree, stream: int, turn_: int) -> str:
    messages = made.streams[stream].turns[turn_].turn.messages
    return "".join("".join(one.parts) for one in messages)


def lasting(text: str, seconds: float) -> Callable[[str], float]:
    return lambda asked: seconds if asked == text else 1


def test_a_tree_that_idles_is_moved_on_whole_and_keeps_its_distances(stage: Stage) -> None:
    """Another lane is busy all the time, so that only the guard of the tree, 300 s, may act.

    From 4 s on nothing is in flight: b1 is due at 2 + (400 - 3) = 399 s, a1 at 2 + (500 - 3) = 499,
    d1 at 3 + (905 - 4) = 904 and main1 at 1 + (1000 - 1) = 1000. b1 is 395 s away, so all come 95 s
    earlier: b1 at 304, a1 at 404. At 405 d1 is due at 904 - 95 = 809, 404 s away, so all come 104 s
    earlier: d1 at 705, and main1 at 1000 - 199 = 801.
    """
    stage.server.lasts = lasting("x", BUSY)
    ran = stage.run([session(stage.folder), tree("busy", [turn("x", None)])], lanes=2)
    found = sent(ran)
    del found["x0"]
    assert found == {**EARLY, "b1": 304, "a1": 404, "d1": 705, "main1": 801}
    assert (ran.replay.tree_idle.times, ran.replay.tree_idle.ns) == (2, 199 * NS)
    assert (ran.replay.idle.times, ran.replay.idle.ns) == (0, 0)


def test_a_silent_system_is_moved_on_whole_and_keeps_its_distances(stage: Stage) -> None:
    """The other lane thinks too: x1 is due at 1 + 100 = 101 s.

    At 4 s the tree's own guard moves b1 from 399 to 304. Then x1 is the next of all, 97 s away, and
    comes at 14; b1 follows 203 s after it, at 217. At 15 s it is 202 s away and comes at 25; a1 is
    100 s after it, at 125. At 26 s it comes at 36; d1, 405 s after it at 441, is 404 s away at 37:
    104 s by the tree's guard and 290 by the system's move it to 47. main1 is 96 s after it, at 143;
    at 48 s it comes at 58. So 87 + 192 + 89 + 290 + 85 = 743 s are left out by the one guard, and
    95 + 104 by the other.
    """
    pair = [turn("x0", None), turn("x1", 0, after=100)]
    ran = stage.run([session(stage.folder), tree("other", pair)], lanes=2)
    late = {"x0": 0, "x1": 14, "b1": 25, "a1": 36, "d1": 47, "main1": 58}
    assert sent(ran) == {**EARLY, **late}
    assert (ran.replay.idle.times, ran.replay.idle.ns) == (5, 743 * NS)
    assert (ran.replay.tree_idle.times, ran.replay.tree_idle.ns) == (2, 199 * NS)


def test_a_join_waits_for_the_slowest_and_a_tree_with_one_in_flight_is_not_idle(
    stage: Stage,
) -> None:
    """Worker w1 takes from 3 to 603 s: a1, due at 499, waits for it, and b1 comes at 399 as ever.

    At 604 s d1, due at 904, is 300 s away, which is no more than the guard allows.
    """
    made = session(stage.folder)
    stage.server.lasts = lasting(text_of(made, 3, 0), 600)
    rules = Rules(seed=1, cache_bust=False, idle_cap_ns=None)
    ran = stage.run([made], rules=rules)
    assert sent(ran) == {**EARLY, "b1": 399, "a1": 603, "d1": 904, "main1": 1000}
    assert ran.replay.tree_idle.times == 0


def test_a_lane_that_begins_in_a_long_pause_idles_no_longer_than_others(stage: Stage) -> None:
    """Lane 0 is busy; lane 1 begins 2 s after its a, with 5000 s to wait for b, and 100 more for c.

    Both are primed by 2 s, when the answers to a and x0 have ended. Profiling begins then, with x1;
    b comes 300 s later instead of 5000, and c 100 s after b's end.
    """
    stage.server.lasts = lasting("x1", BUSY)
    busy = tree("busy", [turn("x0", None), turn("x1", 0)])
    long = tree("long", [turn("a", None), turn("b", 0, after=5000), turn("c", 1, after=100)])
    seats = [
        Seat(0, (Entry(1, 0, primer=0, age_ns=NS),)),
        Seat(1, (Entry(1, 5000 * NS, primer=0, age_ns=2 * NS),)),
    ]
    ran = stage.run([busy, long], seats=seats, lanes=2)
    assert ran.asked == [(0, "a"), (1, "x0"), (2, "x1"), (302, "b"), (403, "c")]
    assert (ran.replay.tree_idle.times, ran.replay.tree_idle.ns) == (1, 4700 * NS)


def test_main_waits_for_the_last_of_five(stage: Stage) -> None:
    """e takes from 2 to 1502 s, so main1, due at 1000, comes then."""
    made = session(stage.folder)
    stage.server.lasts = lasting(text_of(made, 8, 0), 1500)
    ran = stage.run([made])
    assert sent(ran)["main1"] == 1502


def test_an_overflow_deep_down_ends_its_stream_and_holds_nobody_up(stage: Stage) -> None:
    """a0 does not fit: a1, which it would be followed by, never comes, and main1 does not wait.

    It is the subagent's own stream that is over. The others, its workers among them, were started
    by main0 and go on.
    """
    made = session(stage.folder)
    too_long = text_of(made, 1, 0)
    stage.server.answer = lambda text: OVERFLOW if text == too_long else ANSWER
    rules = Rules(seed=1, cache_bust=False, idle_cap_ns=None, tree_idle_cap_ns=None)
    found = sent(stage.run([made], rules=rules))
    assert found == {**EARLY, "b1": 399, "d1": 904, "main1": 1000}


def test_a_failing_subagent_goes_on_and_releases_who_waits_for_it(stage: Stage) -> None:
    """a0 fails as e0 does: its workers and a1 come as ever, and so does main1 after all of them."""
    made = session(stage.folder)
    broken = {text_of(made, 1, 0), text_of(made, 8, 0)}
    stage.server.answer = lambda text: BROKEN if text in broken else ANSWER
    rules = Rules(seed=1, cache_bust=False, idle_cap_ns=None, tree_idle_cap_ns=None)
    ran = stage.run([made], rules=rules)
    assert sent(ran) == {**EARLY, "b1": 399, "a1": 499, "d1": 904, "main1": 1000}
    assert sum(one.state is EndState.ERROR for one in ran.records) == 2


def test_an_answer_within_the_grace_counts(stage: Stage) -> None:
    """Time is up at 5 s, the answer ends at 12 and the grace at 25: it is ok, and of profiling."""
    stage.server.lasts = lambda _: 12
    ran = stage.run([tree("t", [turn("a", None), turn("b", 0)])], duration=5, grace=20)
    ends = [(one.phase, one.state, (one.end_ns - one.sent_ns) / NS) for one in ran.records]
    assert ends == [(Phase.PROFILING, EndState.OK, 12)]


def test_the_duration_counts_from_the_beginning_of_profiling(stage: Stage) -> None:
    """Answers take 10 s: the primer and two turns of the warmup take 30, of a duration of 15.

    Profiling asks at 30 and 40 s; its time is up at 45, before e at 50.
    """
    stage.server.lasts = lambda _: 10
    turns = [turn(name, n - 1 if n else None) for n, name in enumerate("pabcde")]
    rules = Rules(seed=1, cache_bust=False, warmups=2)
    seats = [Seat(0, (Entry(1, 0, primer=0, age_ns=0),))]
    ran = stage.run([tree("t", turns)], seats=seats, rules=rules, duration=15)
    assert ran.asked == [(0, "p"), (10, "a"), (20, "b"), (30, "c"), (40, "d")]
    phases = [one.phase for one in ran.records]
    assert phases == [Phase.WARMUP] * 3 + [Phase.PROFILING] * 2


def failing(count: int) -> Callable[[str], bytes]:
    """So many of every ten requests fail, the last ones."""
    return lambda text: BROKEN if int(text) % 10 >= 10 - count else ANSWER


def lone(count: int) -> list[Tree]:
    return [tree(str(n), [turn(str(n), None)]) for n in range(count)]


@pytest.mark.parametrize(("failed", "asked"), [(2, 40), (3, 10)])
def test_a_share_of_failures_that_is_met_exactly_goes_on(
    stage: Stage, failed: int, asked: int
) -> None:
    """Of 10 requests 2 or 3 fail, where a fifth may: 3 of the first 10 are too many."""
    stage.server.answer = failing(failed)
    rules = Rules(seed=1, cache_bust=False, abort_share=0.2)
    ran = stage.run(lone(40), rules=rules)
    assert len(ran.seen) == asked
    assert bool(ran.replay.aborted) == (failed == 3)


def test_as_many_as_there_are_lanes_must_have_ended_before_failures_are_judged(
    stage: Stage,
) -> None:
    """All of 12 lanes fail: the load is given up when the 12th has ended, not the 10th."""
    stage.server.answer = lambda _: BROKEN
    stage.server.lasts = lambda text: 1 + int(text) / 100
    rules = Rules(seed=1, cache_bust=False, abort_share=0.1)
    ran = stage.run(lone(60), lanes=12, rules=rules)
    assert str(ran.replay.aborted).startswith("12 of 12 requests failed")


def test_prompts_that_do_not_fit_are_no_failures(stage: Stage) -> None:
    stage.server.answer = lambda _: OVERFLOW
    rules = Rules(seed=1, cache_bust=False, abort_share=0.1)
    ran = stage.run(lone(20), rules=rules)
    assert (ran.replay.aborted, len(ran.seen)) == (None, 20)


def test_failures_of_the_warmup_are_not_judged(stage: Stage) -> None:
    """12 requests of one token fail, and then one of 12 of profiling."""
    turns = [turn(str(n), n - 1 if n else None) for n in range(25)]
    stage.server.answer = lambda text: BROKEN if int(text) <= 13 else ANSWER
    rules = Rules(seed=1, cache_bust=False, abort_share=0.1, warmups=13)
    ran = stage.run([tree("t", turns)], seats=[Seat(0, (Entry(0, 0),))], rules=rules)
    failed = [one.phase for one in ran.records if one.state is EndState.ERROR]
    assert (failed.count(Phase.WARMUP), failed.count(Phase.PROFILING)) == (13, 1)
    assert (ran.replay.aborted, len(ran.seen)) == (None, 25)
