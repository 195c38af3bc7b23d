"""Shards of a replay ask what one process asks, at the same moments, in virtual time.

Only what crosses shards takes time in the field: there a silence is skipped, and a phase begins,
some milliseconds later than one process would do it.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from infx.clock import NS
from infx.load.ensemble import Silence
from infx.load.rules import Rules
from infx.model.record import RequestRecord
from infx.model.replay import Entry, Seat, Tree
from staged import Ran, Stage, tree, turn

Plays = Callable[[int], Ran]
Asked = tuple[int, int, int, int, str, int, int]


def what(one: RequestRecord) -> Asked:
    """Return which turn a request asked, when it was due, and when it was sent."""
    return (
        one.lane, one.play, one.session, one.turn, one.phase, one.due_ns, one.sent_ns
    )  # fmt: skip


def branching(name: str, think: float) -> Tree:
    """A session that thinks, with two subagents that it waits for, and a long pause at its end."""
    root = [
        turn(f"{name}0", None),
        turn(f"{name}1", 0, 4, 6, after=think),
        turn(f"{name}2", 1, after=think / 2),
        turn(f"{name}3", 2, after=40 * think),
    ]
    one = [turn(f"{name}x", 0, after=0.2), turn(f"{name}y", 4, after=think)]
    return tree(name, root, one, [turn(f"{name}z", 0, after=0.5)])


TREES = [branching(name, 0.7 + 1.3 * n) for n, name in enumerate("abcde")]


def entered(lane: int) -> Seat:
    """Begin at the second turn, after a primer, with one subagent to come and one over."""
    entries = (
        Entry(1, (3 + 2 * lane) * NS, primer=0, age_ns=(2 + 7 * lane) * NS),
        Entry(1, (5 + lane) * NS, primer=0, age_ns=(1 + 5 * lane) * NS),
        Entry(1, None),
    )
    return Seat(lane % len(TREES), entries)


def once(folder: Path, shards: int) -> Ran:
    return Stage(folder).run(TREES, lanes=3, shards=shards)


def recycled(folder: Path, shards: int) -> Ran:
    return Stage(folder).run(TREES, lanes=4, shards=shards, duration=300)


def from_the_middle(folder: Path, shards: int) -> Ran:
    seats = [entered(lane) for lane in range(7)]
    rules = Rules(seed=1, warmups=2, tree_idle_cap_ns=20 * NS)
    return Stage(folder).run(
        TREES, lanes=7, shards=shards, seats=seats, rules=rules, duration=200, grace=0.5
    )


def drained(folder: Path, shards: int) -> Ran:
    stage = Stage(folder)
    stage.server.lasts = lambda text: 3 if text.endswith("z") else 0.25
    return stage.run(TREES, lanes=5, shards=shards, duration=120, drain=90.0)


@pytest.mark.parametrize("plays", [once, recycled, from_the_middle, drained])
def test_any_number_of_shards_asks_the_same_at_the_same_moments(
    tmp_path: Path, plays: Callable[[Path, int], Ran]
) -> None:
    seen, idled = [], False
    for shards in (1, 2, 3):
        folder = tmp_path / str(shards)
        folder.mkdir()
        ran = plays(folder, shards)
        assert len({one.request for one in ran.records}) == len(ran.records)
        start = min(one.sent_ns for one in ran.records)
        seen.append(sorted(map(what, ran.records)))
        assert start == min(one.due_ns for one in ran.records)
        idled = idled or ran.replay.idle.times > 0
    assert (idled, len(seen[0]) > 20) == (True, True)
    assert seen[0] == seen[1] == seen[2]


def test_a_silence_lasts_as_long_as_the_first_of_all_turns_waits() -> None:
    """At 5 both wait, until 100 and 130, and 10 are allowed: all move by 85, to 15 and 45."""
    both = Silence(2)
    both.tell(0, 100, 10)
    assert both.skip(4) == 0, "the other may be busy"
    both.tell(1, 130, 10)
    assert both.skip(5) == 85
    assert both.skip(5) == 0, "15 and 45"
    both.tell(0, 300, 10)
    assert both.skip(34) == 1, "the next is due at 45, now at 44"
    assert both.skip(50) == 0, "what was due has been asked: who told that is not silent"


def test_who_asks_nothing_more_is_silent_and_all_such_have_nothing_to_skip() -> None:
    both = Silence(2)
    both.over(0)
    assert both.skip(0) == 0
    both.tell(1, 100, 10)
    assert both.skip(20) == 70
    both.over(1)
    assert both.skip(20) == 0
    both.begin()
    both.tell(1, 500, 10)
    assert both.skip(20) == 0, "in the next phase both ask"
