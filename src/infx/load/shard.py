"""One shard in a process of its own: `python -m infx.load.shard`, its crew on standard input.

It does as it is told (`load/orders.py`) until the crew closes its end of the socket, or dies.
"""

import asyncio
import socket
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from infx.clock import NS, SystemClock, cpu_ns, event_loop
from infx.errors import InfxError
from infx.load.driver import Driver
from infx.load.ensemble import Part, Start
from infx.load.orders import (
    LINE_LIMIT,
    Done,
    Failed,
    Go,
    Going,
    Halt,
    Idle,
    Order,
    Ready,
    Report,
    Run,
    Setup,
    Skip,
    orders,
    report_line,
)
from infx.load.plan import open_plan
from infx.load.progress import Progress
from infx.load.replay import Replay
from infx.load.rules import Rules
from infx.load.target import Target
from infx.store.journal import Journal
from infx.store.journal_parts import held
from infx.wire.address import dial, parse


class Shard:
    """A driver or a replay that is led over a socket.

    Raises InfxError when the plan or the journal cannot be opened; `opened` closes what was.
    """

    def __init__(self, setup: Setup, writer: asyncio.StreamWriter, opened: ExitStack) -> None:
        self._writer = writer
        self._clock = SystemClock()
        self._go: asyncio.Future[Start] = asyncio.get_running_loop().create_future()
        self._cpu_ns = 0
        part = Path(setup.part)
        opened.enter_context(held(part))
        journal = opened.enter_context(Journal(part))
        self._load: Driver | Replay
        if setup.rules is None:
            self._load = self._driver(setup, journal)
        else:
            self._load = self._replay(setup, journal, setup.rules)
        opened.callback(self._load.close)

    def _driver(self, setup: Setup, journal: Journal) -> Driver:
        return Driver(
            open_plan(Path(setup.plan)),
            _target(setup),
            journal,
            self._clock,
            concurrency=setup.concurrency,
            share=setup.share,
            keep_text=frozenset(setup.keep_text),
            on_progress=lambda progress: self._tell(Going(progress)),
            gate=self._moment,
        )

    def _replay(self, setup: Setup, journal: Journal, rules: Rules) -> Replay:
        def going(progress: Progress) -> None:
            self._tell(Going(progress, replay.failures, replay.aborted))

        replay = Replay(
            open_plan(Path(setup.plan)),
            _target(setup),
            journal,
            self._clock,
            concurrency=setup.concurrency,
            rules=rules,
            part=Part(setup.share, self._gate, lambda due, cap: self._tell(Idle(due, cap))),
            keep_text=frozenset(setup.keep_text),
            on_progress=going,
        )
        return replay

    async def follow(self, order: Order) -> None:
        """Carry an order out; that of a run lasts as long as its phases."""
        if isinstance(order, Run):
            await self._run(order)
        elif isinstance(order, Go):
            self._go.set_result(Start(order.moment_ns, order.early_ns))
        elif isinstance(order, Skip) and isinstance(self._load, Replay):
            self._load.skip(order.by_ns)
        elif isinstance(order, Halt):
            halt = self._load.drain if order.word == "drain" else self._load.cancel
            halt()

    async def _run(self, order: Run) -> None:
        try:
            windows = await self._load.run(order.phases, order.stop)
        except InfxError as error:
            self._tell(Failed(error.problems))
            return
        load, spent = self._load, cpu_ns() - self._cpu_ns
        done = Done(windows, load.resets, load.exhausted, load.gone, spent)
        if isinstance(load, Replay):
            done = replace(done, tree_idle=load.tree_idle)
        self._tell(done)

    async def _moment(self) -> int:
        return (await self._gate(None)).moment_ns

    async def _gate(self, first_ns: int | None) -> Start:
        """Tell that the lanes are connected, and wait for the moment that all shards begin at."""
        self._tell(Ready(first_ns))
        start = await self._go
        self._go = asyncio.get_running_loop().create_future()
        # A timer may be late by a grain, so the last of them is waited turn by turn.
        early = start.moment_ns - self._clock.now() - 2 * self._clock.timer_grain_ns
        await asyncio.sleep(max(early, 0) / NS)
        while self._clock.now() < start.moment_ns:
            await asyncio.sleep(0)
        self._cpu_ns = cpu_ns()
        return start

    def _tell(self, report: Report) -> None:
        self._writer.write(report_line(report))


def _target(setup: Setup) -> Target:
    address = parse(setup.url)
    opening, middle, closing = (text.encode("latin-1") for text in setup.frame)
    return Target(
        address=address,
        dial=dial(address),
        head=setup.head.encode("latin-1"),
        frame=(opening, middle, closing),
        name=setup.name,
    )


async def serve(channel: socket.socket) -> None:
    """Be set up, and follow orders until the other end of the socket is closed."""
    reader, writer = await asyncio.open_unix_connection(sock=channel, limit=LINE_LIMIT)
    told = orders(reader)
    with ExitStack() as opened:
        setup = await anext(told)
        if not isinstance(setup, Setup):
            raise TypeError(f"told {setup.kind} before setup")
        try:
            shard = Shard(setup, writer, opened)
        except InfxError as error:
            writer.write(report_line(Failed(error.problems)))
            await writer.drain()
            await reader.read()
            return
        async with asyncio.TaskGroup() as tasks:  # a defect in one ends the process
            begun = [tasks.create_task(shard.follow(order)) async for order in told]
            for task in begun:  # what is in flight is lost, as when a lone client is stopped so
                task.cancel()
    writer.close()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=event_loop) as runner, socket.socket(fileno=0) as stdin:
        runner.run(serve(stdin))
