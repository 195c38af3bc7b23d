"""A read is as late as the timer that was overdue when it came up."""

import asyncio
from collections.abc import Callable

import pytest

from infx.load.lag import PERIOD_NS, LagProbe

MS = 1_000_000


class HandClock:
    """A clock that moves by hand; its loop's timers may be a millisecond late."""

    timer_grain_ns = MS

    def __init__(self) -> None:
        self.moment = 100 * MS

    def now(self) -> int:
        return self.moment

    def wall(self) -> int:
        return self.moment


@pytest.fixture
def clock():
    return HandClock()


@pytest.fixture
def probe(clock):
    async def begun() -> LagProbe:
        probe = LagProbe(clock)
        probe.start()
        return probe

    loop = asyncio.new_event_loop()
    yield loop.run_until_complete(begun()), loop
    loop.close()


def turn(loop: asyncio.AbstractEventLoop, *calls: Callable[[], None]) -> None:
    """Let the loop turn once: what was to be called soon, then these."""
    for call in (*calls, loop.stop):
        loop.call_soon(call)
    loop.run_forever()


def test_an_idle_loop_is_never_late(probe, clock):
    probe, loop = probe
    for _ in range(5):
        clock.moment += PERIOD_NS + MS // 2  # within the grain of a timer
        turn(loop, probe._check)
        assert probe.of(clock.moment) == 0
    assert probe.slowest_ns == 0


def test_a_blocked_loop_makes_the_reads_after_it_late(probe, clock):
    probe, loop = probe
    due = clock.moment + PERIOD_NS + MS
    clock.moment = due + 20 * MS
    assert probe.of(clock.moment) == 20 * MS  # before the timer had its turn
    turn(loop, probe._check)
    assert probe.slowest_ns == 20 * MS
    turn(loop)
    clock.moment += MS // 2
    assert probe.of(clock.moment) == 20.5 * MS  # right after it
    assert probe.of(due + 5 * MS) == 5 * MS  # within it
    turn(loop)
    clock.moment += PERIOD_NS
    turn(loop, probe._check)
    assert probe.of(clock.moment) == 0  # and no more, once it is idle again
    assert probe.of(due - MS) == 0


def test_reads_that_pile_up_behind_a_block_waited_through_it(probe, clock):
    """The loop was blocked for 20 ms; its timer has its turn first, then 64 reads take 3.2 ms.

    What the next turn reads came after the loop had looked for those 64.
    """
    probe, loop = probe
    due = clock.moment + PERIOD_NS + MS
    clock.moment = due + 20 * MS
    turn(loop, probe._check)
    turn(loop)
    looked = clock.moment
    reads = [looked + number * MS // 20 for number in range(1, 65)]
    clock.moment = reads[-1]
    assert [probe.of(read) for read in reads] == [read - due for read in reads]
    turn(loop)
    assert [probe.of(read) for read in reads] == [read - due for read in reads]
    assert probe.slowest_ns == 23.2 * MS
    clock.moment += MS // 2
    assert probe.of(clock.moment) == clock.moment - looked
    turn(loop)
    assert probe.of(clock.moment) == clock.moment - looked
    assert probe.of(clock.moment + 1) == 0


def test_every_long_turn_counts_until_one_is_short(probe, clock):
    """Turns of 5, 4 and 1 ms after a block: each read waited at most since the turn before began.

    A timer that comes up meanwhile changes nothing.
    """
    probe, loop = probe
    due = clock.moment + PERIOD_NS + MS
    clock.moment = due + MS
    turn(loop, probe._check)
    turn(loop)
    begins = [clock.moment]
    for lasts in (5, 4, 1):
        clock.moment += lasts * MS
        turn(loop, probe._check)
        begins.append(clock.moment)
    first, second, third, fourth = begins
    assert probe.of(second) == second - due
    assert probe.of(second + MS) == second + MS - first
    assert probe.of(third + MS) == third + MS - second
    assert probe.of(fourth + 1) == 0
    assert probe.slowest_ns == second + 4 * MS - first
