"""Several shards as if they were one driver: processes that share one plan and one moment to begin.

Each writes a part of the journal; when the crew is closed they are merged into one.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from infx.clock import NS, Clock
from infx.errors import MachineError, Problem
from infx.load.orders import (
    LINE_LIMIT,
    Done,
    Failed,
    Go,
    Going,
    Halt,
    Order,
    Ready,
    Run,
    Setup,
    order_line,
    reports,
)
from infx.load.progress import Progress, merged
from infx.load.sender import Share
from infx.load.target import Stop, Target
from infx.model.bundle import PhaseWindow
from infx.model.record import Phase
from infx.process import Worker, start_worker
from infx.store.journal_parts import gather, merge, part_path, parts_of

SHARD = "infx.load.shard"
LEAD_NS = 20_000_000
"""How long before its moment the order to begin is sent."""
GRACE_S = 10.0
"""How long a shard may take to close its journal."""
WELL = "exit code 0"


class _Member:
    """One shard as its crew knows it."""

    def __init__(self, index: int, worker: Worker) -> None:
        self.index = index
        self.worker = worker
        self.listener: asyncio.Task[None] | None = None
        self.writer: asyncio.StreamWriter | None = None
        self.ready: asyncio.Future[Ready | Failed]
        self.done: asyncio.Future[Done | Failed]
        self.progress: Progress | None = None
        self.failure: Failed | None = None
        self.cpu_ns = 0
        self.begin()

    def begin(self) -> None:
        """Expect reports of a new run."""
        loop = asyncio.get_running_loop()
        self.ready, self.done = loop.create_future(), loop.create_future()
        self.progress = None
        if self.failure is not None:
            self.fail(self.failure)

    def tell(self, order: Order) -> None:
        """Send an order; one that is gone does not hear it."""
        if self.writer is not None and self.failure is None:
            self.writer.write(order_line(order))

    def leave(self) -> None:
        """Hear nothing more, and tell the shard to end."""
        if self.listener is not None:
            self.listener.cancel()
        self.worker.leave()
        if self.writer is not None:
            self.writer.transport.abort()

    def fail(self, failure: Failed) -> None:
        """Take a failure for the answer to everything that is still expected."""
        self.failure = self.failure or failure
        for expected in (self.ready, self.done):
            if not expected.done():
                expected.set_result(failure)


class Crew:
    """Runs the phases of one point in several processes; has the surface of `Driver`.

    `plan` and `journal` are paths; the journal is nobody else's while the crew is open. `first` is
    the number of requests of the point that were issued before. `cpu_s` is what the load cost each
    shard so far.
    """

    def __init__(
        self,
        plan: Path,
        target: Target,
        journal: Path,
        clock: Clock,
        *,
        concurrency: int,
        shards: int,
        first: int = 0,
        keep_text: frozenset[int] = frozenset(),
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> None:
        self._journal = journal
        self._now = clock.now
        self._on_progress = on_progress
        self._halted: Halt | None = None
        self._setups = [
            Setup(
                share=Share(index, shards, first),
                plan=str(plan),
                part=str(part_path(journal, index)),
                url=target.address.url,
                head=target.head.decode("latin-1"),
                frame=_texts(target.frame),
                name=target.name,
                concurrency=concurrency,
                keep_text=tuple(keep_text),
            )
            for index in range(shards)
        ]
        self._members: list[_Member] = []
        self._last: list[Done] = []
        self.cpu_s = [0.0] * shards

    @property
    def gone(self) -> Problem | None:
        """Why the server is taken to be gone, if a shard found it so."""
        return next((done.gone for done in self._last if done.gone), None)

    @property
    def resets(self) -> int:
        """How many requests were sent again; see `Sender`."""
        return sum(done.resets for done in self._last)

    @property
    def exhausted(self) -> bool:
        """Whether a phase ended by time found no session left before its end, in any shard."""
        return any(done.exhausted for done in self._last)

    @property
    def pids(self) -> tuple[int, ...]:
        """The process ids of the shards that were started, in their order."""
        return tuple(member.worker.pid for member in self._members)

    async def run(self, phases: Sequence[Phase], stop: Stop) -> tuple[PhaseWindow, ...]:
        """Ask the sessions of these phases in all shards, from one moment on; see `Driver.run`.

        A phase's window lasts from its first shard's beginning to its last one's end. Raise
        MachineError as a driver does, and when a shard dies; the others are drained before.
        """
        if not self._members:
            await self._muster()
        for member in self._members:
            member.begin()
            member.tell(Run(tuple(phases), stop))
        _check([await member.ready for member in self._members])
        moment = self._now() + LEAD_NS
        for member in self._members:
            member.tell(Go(moment))
        ends = [await member.done for member in self._members]
        _check(ends)
        self._last = [end for end in ends if isinstance(end, Done)]
        self.cpu_s = [sum(pair) for pair in zip(self.cpu_s, map(_cpu_s, self._last), strict=True)]
        return _windows(self._last)

    def drain(self) -> None:
        """Issue nothing more in any shard and phase; see `Driver.drain`."""
        self._halt("drain")

    def cancel(self) -> None:
        """Issue nothing more in any shard and phase, and cancel what is in flight."""
        self._halt("cancel")

    def close(self) -> None:
        """End every shard and merge what they wrote; raise MachineError when that fails. Blocks.

        What a dead shard had issued and not seen to its end is written down as lost.
        """
        members, self._members = self._members, []
        for member in members:
            member.leave()
        ends = [member.worker.end(GRACE_S) for member in members]
        if all(end == WELL for end in ends):
            merge(self._journal, parts_of(self._journal))
            return
        gather(self._journal)
        known = [member.failure is not None for member in members]
        for index, (end, told) in enumerate(zip(ends, known, strict=True)):
            if end != WELL and not told:
                raise MachineError(self._died(index, end))

    def _halt(self, word: Literal["drain", "cancel"]) -> None:
        self._halted = Halt(word)
        for member in self._members:
            member.tell(self._halted)

    async def _muster(self) -> None:
        for index, setup in enumerate(self._setups):
            member = _Member(index, start_worker(SHARD))
            self._members.append(member)
            channel = member.worker.channel
            reader, member.writer = await asyncio.open_unix_connection(
                sock=channel, limit=LINE_LIMIT
            )
            member.listener = asyncio.create_task(self._listen(member, reader))
            member.tell(setup)
            if self._halted is not None:
                member.tell(self._halted)

    async def _listen(self, member: _Member, reader: asyncio.StreamReader) -> None:
        """Hear a shard until it is gone, which it never is of its own will."""
        async for report in reports(reader):
            if isinstance(report, Ready):
                member.ready.set_result(report)
            elif isinstance(report, Going):
                member.progress = report.progress
                known = [one.progress for one in self._members]
                self._on_progress(merged([progress for progress in known if progress]))
            elif isinstance(report, Done):
                member.done.set_result(report)
            else:
                self._fail(member, report)
        if member.failure is None:
            end = member.worker.end(GRACE_S)
            self._fail(member, Failed((self._died(member.index, end),)))

    def _fail(self, member: _Member, failure: Failed) -> None:
        member.fail(failure)
        self.drain()

    def _died(self, index: int, end: str) -> Problem:
        what = f"shard {index} of {len(self._setups)} of the load client died ({end})"
        return Problem(what, str(self._journal), "what it had open is counted as lost")


def _texts(frame: tuple[bytes, bytes, bytes]) -> tuple[str, str, str]:
    opening, middle, closing = (part.decode("latin-1") for part in frame)
    return opening, middle, closing


def _check(answers: Sequence[Ready | Done | Failed]) -> None:
    for answer in answers:
        if isinstance(answer, Failed):
            raise MachineError(*answer.problems)


def _cpu_s(done: Done) -> float:
    return done.cpu_ns / NS


def _windows(ends: Sequence[Done]) -> tuple[PhaseWindow, ...]:
    found: dict[Phase, PhaseWindow] = {}
    for window in (window for end in ends for window in end.windows):
        known = found.get(window.phase, window)
        start, end = min(known.start_ns, window.start_ns), max(known.end_ns, window.end_ns)
        found[window.phase] = PhaseWindow(phase=window.phase, start_ns=start, end_ns=end)
    return tuple(found[phase] for phase in Phase if phase in found)
