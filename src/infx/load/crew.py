"""Several shards as if they were one driver: processes that share one plan and one moment to begin.

Each writes a part of the journal; when the crew is closed they are merged into one.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from infx.clock import NS, Clock
from infx.errors import MachineError, Problem
from infx.load.ensemble import Silence
from infx.load.member import Member
from infx.load.orders import (
    LINE_LIMIT,
    Done,
    Failed,
    Go,
    Going,
    Halt,
    Idle,
    Ready,
    Report,
    Run,
    Setup,
    Skip,
    reports,
)
from infx.load.progress import Progress, merged
from infx.load.rules import Failures, Rules, Skipped
from infx.load.sender import Share
from infx.load.stall import stalled
from infx.load.target import Stop, Target
from infx.model.bundle import PhaseWindow
from infx.model.record import Phase
from infx.process import start_worker
from infx.store.journal_parts import gather, merge, part_path, parts_of

SHARD = "infx.load.shard"
LEAD_NS = 20_000_000
"""How long before its moment the order to begin is sent."""
GRACE_S = 10.0
"""How long a shard may take to close its journal."""
WELL = "exit code 0"


class Crew:
    """Runs the phases of one point in several processes; has the surface of `Driver`.

    With `rules` session trees are played, and it has that of `Replay`. `plan` and `journal` are
    paths; the journal is nobody else's while the crew is open. `first` is the number of requests of
    the point that were issued before. `cpu_s` is what the load cost each shard so far.

    What concerns all shards is decided here, from what each tells every quarter of a second: that
    too many of a replay's requests failed, that none ends any more; and at once, that all are
    silent.
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
        rules: Rules | None = None,
        keep_text: frozenset[int] = frozenset(),
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> None:
        self._journal = journal
        self._now = clock.now
        self._on_progress = on_progress
        self._halted: Halt | None = None
        self._concurrency = concurrency
        self._abort_share = rules.abort_share if rules is not None else None
        self._silence = Silence(shards)
        self._phases: Sequence[Phase] = ()
        self._stop = Stop()
        self._ended, self._ended_ns = 0, 0
        self._dead: Problem | None = None
        self._stalled: Problem | None = None
        self.aborted: Problem | None = None
        self.idle = Skipped()
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
                rules=None if rules is None else replace(rules, abort_share=None),
            )
            for index in range(shards)
        ]
        self._members: list[Member] = []
        self._last: list[Done] = []
        self.cpu_s = [0.0] * shards

    @property
    def gone(self) -> Problem | None:
        """Why nothing more can be asked: the server is taken to be gone, or a shard died."""
        found = (done.gone for done in self._last if done.gone)
        return self._dead or self._stalled or next(found, None)

    @property
    def resets(self) -> int:
        """How many requests were sent again; see `Sender`."""
        return sum(done.resets for done in self._last)

    @property
    def exhausted(self) -> bool:
        """Whether a phase ended by time found no session left before its end, in any shard."""
        return any(done.exhausted for done in self._last)

    @property
    def tree_idle(self) -> Skipped:
        """What was skipped of trees that idled alone."""
        parts = [done.tree_idle for done in self._last]
        return Skipped(sum(one.times for one in parts), sum(one.ns for one in parts))

    @property
    def pids(self) -> tuple[int, ...]:
        """The process ids of the shards that were started, in their order."""
        return tuple(member.worker.pid for member in self._members)

    async def run(self, phases: Sequence[Phase], stop: Stop) -> tuple[PhaseWindow, ...]:
        """Ask the sessions of these phases in all shards, from one moment on; see `Driver.run`.

        A phase's window lasts from its first shard's beginning to its last one's end. When a shard
        dies the others are drained. Raise MachineError as a driver does.
        """
        if not self._members:
            await self._muster()
        self._phases, self._stop = phases, stop
        self._silence.begin()
        for member in self._members:
            member.begin()
            member.tell(Run(tuple(phases), replace(stop, stall_ns=None)))
        ready = [await member.ready for member in self._members]
        if self._dead is not None:
            return ()
        _check(ready)
        firsts = [one.first_ns for one in ready if isinstance(one, Ready)]
        moment = self._ended_ns = self._now() + LEAD_NS
        for member in self._members:
            member.tell(Go(moment, min((one for one in firsts if one is not None), default=0)))
        ends = [await member.done for member in self._members]
        if self._dead is None:
            _check(ends)
        self._last = [end for end in ends if isinstance(end, Done)]
        for index, end in enumerate(ends):
            if isinstance(end, Done):
                self.cpu_s[index] += end.cpu_ns / NS
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
            member = Member(index, start_worker(SHARD))
            self._members.append(member)
            channel = member.worker.channel
            reader, member.writer = await asyncio.open_unix_connection(
                sock=channel, limit=LINE_LIMIT
            )
            member.listener = asyncio.create_task(self._listen(member, reader))
            member.tell(setup)
            if self._halted is not None:
                member.tell(self._halted)

    async def _listen(self, member: Member, reader: asyncio.StreamReader) -> None:
        """Hear a shard until it is gone, which it never is of its own will."""
        async for report in reports(reader):
            self._hear(member, report)
        if member.failure is None:
            self._dead = self._died(member.index, member.worker.end(GRACE_S))
            self._fail(member, Failed((self._dead,)))

    def _hear(self, member: Member, report: Report) -> None:
        if isinstance(report, Ready):
            member.ready.set_result(report)
        elif isinstance(report, Going):
            member.progress, member.failures = report.progress, report.failures
            self._watch(report.aborted)
        elif isinstance(report, Idle):
            self._silence.tell(member.index, report.until_ns, report.cap_ns)
            self._skip_idle()
        elif isinstance(report, Done):
            member.done.set_result(report)
            self._silence.over(member.index)
            self._skip_idle()
        else:
            self._fail(member, report)

    def _watch(self, aborted: Problem | None) -> None:
        """Tell how all shards go, and stop them where one gave up, or all should."""
        known = [one.progress for one in self._members if one.progress is not None]
        self._on_progress(merged(known))
        ended, in_flight = sum(one.done for one in known), sum(one.in_flight for one in known)
        now = self._now()
        if ended != self._ended or not in_flight:
            self._ended, self._ended_ns = ended, now
        elif self._stalled is None:
            silent = now - self._ended_ns
            self._stalled = stalled(self._stop.stall_ns, silent, in_flight=in_flight)
            if self._stalled is not None:
                self.cancel()
        if self.aborted is None:
            self.aborted = aborted or self._too_many()
            if self.aborted is not None:
                self.drain()

    def _too_many(self) -> Problem | None:
        parts = [member.failures for member in self._members]
        sums = Failures(sum(one.ended for one in parts), sum(one.failed for one in parts))
        return sums.above(self._abort_share, least=self._concurrency)

    def _skip_idle(self) -> None:
        by = self._silence.skip(self._now())
        if not by:
            return
        for member in self._members:
            member.tell(Skip(by))
        if Phase.PROFILING in self._phases:
            self.idle.add(by)

    def _fail(self, member: Member, failure: Failed) -> None:
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


def _windows(ends: Sequence[Done]) -> tuple[PhaseWindow, ...]:
    found: dict[Phase, PhaseWindow] = {}
    for window in (window for end in ends for window in end.windows):
        known = found.get(window.phase, window)
        start, end = min(known.start_ns, window.start_ns), max(known.end_ns, window.end_ns)
        found[window.phase] = PhaseWindow(phase=window.phase, start_ns=start, end_ns=end)
    return tuple(found[phase] for phase in Phase if phase in found)
