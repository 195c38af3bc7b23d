"""Paces a plan's sessions over lanes, in closed or open loop.

One event loop a shard, no lock and no queue between an answer's end and the next request: both
happen in the same socket read. Decoding, journal and progress are done beside it.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

from infx.clock import NS, Clock
from infx.errors import Problem
from infx.load.course import Course
from infx.load.lane import Lane
from infx.load.plan import Plan
from infx.load.progress import Progress
from infx.load.sender import Sender, Share
from infx.load.target import Stop, Target
from infx.model.bundle import PhaseWindow
from infx.model.record import Phase, RequestRecord
from infx.store.journal import Journal

WHOLE = Share()


class Driver:
    """Runs the phases of one point, or one shard's share of them.

    `concurrency` is the number of lanes over all shards: how many requests are always in flight in
    a closed loop, and may be at most in an open one. `keep_text` are the sessions whose answers are
    kept. `gate` is passed between the connecting and the start, whose moment it returns.
    `exhausted` tells that a phase ended by time found no session left before its end.
    """

    def __init__(
        self,
        plan: Plan,
        target: Target,
        journal: Journal,
        clock: Clock,
        *,
        concurrency: int,
        share: Share = WHOLE,
        keep_text: frozenset[int] = frozenset(),
        on_progress: Callable[[Progress], None] = lambda _: None,
        gate: Callable[[], Awaitable[int]] | None = None,
    ) -> None:
        self._plan = plan
        self._now = clock.now
        self._share = share
        self._concurrency = concurrency
        self._gate = gate
        self._due: deque[tuple[int, int]] = deque()
        self.channels = [Lane(index) for index in range(share.index, concurrency, share.of)]
        self._course = Course(
            plan,
            target,
            journal,
            clock,
            pacing=self,
            share=share,
            keep_text=keep_text,
            lanes=len(self.channels),
            on_progress=on_progress,
        )
        self._sender = self._course.sender
        self.exhausted = False

    @property
    def gone(self) -> Problem | None:
        """Why the server is taken to be gone, if it is."""
        return self._sender.gone or self._course.stalled

    @property
    def sender(self) -> Sender:
        """What sends the requests, and knows how many there were and how late the loop was."""
        return self._sender

    @property
    def resets(self) -> int:
        """How many requests were sent again; see `Sender`."""
        return self._sender.resets

    @property
    def waits(self) -> bool:
        """Whether a lane or an arrival waits for its moment."""
        return bool(self._due) or any(lane.timer for lane in self.channels)

    async def run(self, phases: Sequence[Phase], stop: Stop) -> tuple[PhaseWindow, ...]:
        """Ask the sessions of these phases, one after the other without a drain between.

        Return each phase's window, the last one to the last answer's end. After `drain` or
        `cancel` it asks nothing. When the server is gone the last phase ends early. Raise
        MachineError when the first connections cannot be made, or the journal cannot be written.
        """
        self._loop = asyncio.get_running_loop()
        self._stop = stop
        self._course.open(stop)
        self._divide(phases)
        if not self._course.stopped:
            used = 1 if self._due else sum(self._totals.values())
            await self._sender.connect(self.channels[:used])
        start = await self._gate() if self._gate else self._now()
        return await self._course.run(phases[0], self._totals[phases[0]], start)

    def drain(self) -> None:
        """Issue nothing more in any phase; what is in flight gets the grace, then is cancelled."""
        self._course.drain()

    def cancel(self) -> None:
        """Issue nothing more in any phase, and cancel what is in flight."""
        self._course.cancel()

    def close(self) -> None:
        """Close every connection, and send nothing more."""
        self._course.close()

    # Pacing

    def _divide(self, phases: Sequence[Phase]) -> None:
        """Set out this shard's sessions: those that lanes take, and those that are due by time."""
        share, plan = self._share, self._plan
        mine = {phase: plan.sessions(phase)[share.index :: share.of] for phase in phases}
        starts = [(plan.start_of(number), number) for part in mine.values() for number in part]
        self._totals = {phase: len(part) for phase, part in mine.items()}
        self._closed = iter([number for start, number in starts if start is None])
        self._due = deque(sorted((start, n) for start, n in starts if start is not None))
        self._free = list(reversed(self.channels)) if self._due else []

    def begin(self, now: int) -> None:
        """Give every lane its first session, evenly spread over the ramp, or await arrivals."""
        self._start = now
        for lane in [] if self._due else self.channels:
            wait = self._stop.ramp_ns * lane.index // self._concurrency
            lane.due_ns = now + wait
            if wait:
                lane.timer = self._loop.call_later(wait / NS, self._wake, lane)
            else:
                self.free(lane)
        if self._due and self._course.has("deadline"):
            self._end_arrivals()
        self._arrive()

    def _wake(self, lane: Lane) -> None:
        lane.timer = None
        self.free(lane)
        self._course.check_done()

    def free(self, lane: Lane) -> None:
        """Send the lane's next turn, from its session or the next one; or leave the lane free."""
        if self._sender.gone:
            self._course.stop_issuing()
        if self._sender.stopping:
            return
        number = next(lane.turns, None)
        while number is None:
            session = next(self._closed, None)
            if session is None:
                self._free.append(lane)
                timed = self._course.has("deadline") and not self._course.has("arrival")
                self.exhausted |= timed
                return
            lane.turns = iter(self._plan.turns_of(session))
            number = next(lane.turns, None)
        delay = self._plan.turn(number).delay_ns
        if delay:
            lane.due_ns += delay
            wait = max(lane.due_ns - self._now(), 0) / NS
            lane.timer = self._loop.call_later(wait, self._send, lane, number)
        else:
            self._send(lane, number)

    def _arrive(self) -> None:
        """Send every session that is due by now, and wait for the next."""
        while self._due and not self._sender.stopping:
            start, session = self._due[0]
            due = self._start + start
            if due > self._now():
                self._course.at("arrival", due, self._arrive)
                return
            self._due.popleft()
            lane = self._free.pop() if self._free else None
            turns = iter(self._plan.turns_of(session))
            number = next(turns)
            if lane is None:
                self._sender.refuse(number, due)
            else:
                lane.turns, lane.due_ns = turns, due
                self._send(lane, number)
        self._course.check_done()

    def _end_arrivals(self) -> None:
        """End an open loop at its time, and not before what was due by then is sent."""
        end = self._start + (self._stop.duration_ns or 0)
        if self._now() < end:
            self._course.at("deadline", end, self._end_arrivals)
        else:
            self._arrive()
            self._course.stop_issuing()

    def _send(self, lane: Lane, number: int) -> None:
        lane.timer = None
        phase = self._plan.phase_of(self._plan.turn(number).session)
        if self._course.phase not in (None, phase):
            self._course.enter(phase, self._totals[phase])
        self._sender.send(lane, number)

    def took(self, record: RequestRecord) -> None:
        """Nothing waits for what became of a request: lanes go on where its answer ended."""

    def halt(self) -> None:
        """Forget every timer and arrival."""
        for lane in self.channels:
            if lane.timer:
                lane.timer.cancel()
                lane.timer = None
        self._due.clear()
