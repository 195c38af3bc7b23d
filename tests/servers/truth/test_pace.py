"""Steps run in order of their due moments, never early, on loops of any resolution."""

import asyncio
from collections.abc import Callable

import pytest

from infx.clock import NS, VirtualTimeLoop
from infx.servers.truth.pace import Pacer, Turns

MS = 1_000_000


@pytest.fixture
def ran(loop):
    """Run steps that are due after so many milliseconds; return (name, when)."""

    def ran(*steps, grain_ns=1, wait=1.0):
        seen = []
        pacer = Pacer(loop, grain_ns=grain_ns)

        async def main():
            for name, due in steps:
                pacer.at(
                    NS + round(due * MS), lambda name=name: seen.append((name, loop.now() - NS))
                )
            await asyncio.sleep(wait)

        loop.run_until_complete(main())
        return seen

    return ran


def test_steps_run_at_their_moments_in_order(ran):
    seen = ran(("c", 7), ("a", 0.5), ("b", 3))
    assert seen == [("a", 500_000), ("b", 3 * MS), ("c", 7 * MS)]


def test_equal_moments_keep_the_order_of_asking(ran):
    assert [name for name, _ in ran(("x", 2), ("y", 2), ("z", 2))] == ["x", "y", "z"]


def test_what_is_already_due_runs_at_once(ran):
    assert ran(("late", -5)) == [("late", 0)]


def test_on_a_coarse_timer_a_step_is_late_by_less_than_a_grain(ran):
    seen = ran(("a", 0.3), ("b", 2.2), grain_ns=MS)
    assert [name for name, _ in seen] == ["a", "b"]
    assert 300_000 <= seen[0][1] <= 1_300_000
    assert 2_200_000 <= seen[1][1] <= 3_200_000


def test_a_step_that_returns_a_moment_runs_again_then(loop):
    seen = []
    pacer = Pacer(loop)

    def step():
        seen.append(loop.now() - NS)
        return loop.now() + 2 * MS if len(seen) < 3 else None

    async def main():
        pacer.at(NS + MS, step)
        await asyncio.sleep(1)

    loop.run_until_complete(main())
    assert seen == [MS, 3 * MS, 5 * MS]


class EarlyLoop(VirtualTimeLoop):
    """Its timers fire up to a millisecond early, as those of a loop that rounds its time down."""

    def call_later(self, delay, callback, *args, context=None):
        return super().call_later(max(0, delay - 0.0007), callback, *args, context=context)


def test_a_timer_that_fires_early_sends_nothing_early():
    loop = EarlyLoop()
    seen = []
    pacer = Pacer(loop, grain_ns=MS)

    async def main():
        pacer.at(NS + 5 * MS, lambda: seen.append(loop.now() - NS))
        await asyncio.sleep(1)

    loop.run_until_complete(main())
    loop.close()
    assert len(seen) == 1
    assert 5 * MS <= seen[0] <= 6 * MS


def in_turns(*calls: Callable[[], None], order: list[str]) -> list[str]:
    """Return the order in which calls were made, that of each turn's reads among them."""
    loop = VirtualTimeLoop()

    async def run() -> None:
        turns = Turns()
        for call in calls:
            turns.add(call)
        for _ in range(len(calls) + 1):
            order.append("read")
            await asyncio.sleep(0)

    try:
        loop.run_until_complete(run())
    finally:
        loop.close()
    return order


def test_a_turn_of_reads_comes_between_two_calls() -> None:
    order: list[str] = []
    seen = in_turns(lambda: order.append("a"), lambda: order.append("b"), order=order)
    assert seen == ["read", "a", "read", "b", "read"]


def test_a_call_that_fails_does_not_hold_up_the_next() -> None:
    order: list[str] = []

    def fail() -> None:
        raise ValueError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(VirtualTimeLoop, "call_exception_handler", lambda *_: order.append("failed"))
        seen = in_turns(fail, lambda: order.append("b"), order=order)
    assert seen == ["read", "failed", "read", "b", "read"]
