"""A read is as late as the timer that was overdue when it came up."""

import asyncio

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


async def check(probe: LagProbe) -> None:
    probe._check()


def test_an_idle_loop_is_never_late(probe, clock):
    probe, loop = probe
    for _ in range(5):
        clock.moment += PERIOD_NS + MS // 2  # within the grain of a timer
        loop.run_until_complete(check(probe))
        assert probe.of(clock.moment) == 0
    assert probe.slowest_ns == 0


def test_a_blocked_loop_makes_the_reads_after_it_late(probe, clock):
    probe, loop = probe
    due = clock.moment + PERIOD_NS + MS
    clock.moment = due + 20 * MS
    assert probe.of(clock.moment) == 20 * MS  # before the timer had its turn
    loop.run_until_complete(check(probe))
    assert probe.slowest_ns == 20 * MS
    assert probe.of(clock.moment + MS // 2) == 20 * MS  # right after it
    assert probe.of(due + 5 * MS) == 5 * MS  # within it
    clock.moment += PERIOD_NS + MS
    loop.run_until_complete(check(probe))
    assert probe.of(clock.moment) == 0  # and no more, once it is idle again
    assert probe.of(due - MS) == 0
