"""Paces a plan's sessions over lanes, in closed or open loop, and ends phases.

One event loop a shard, no lock and no queue between an answer's end and the next request: both
happen in the same socket read. Decoding, journal and progress are done beside it.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

from infx.clock import NS, Clock
from infx.errors import Problem
from infx.load.lag import no_collection
from infx.load.lane import Lane
from infx.load.plan import Plan
from infx.load.progress import Progress, Tally
from infx.load.sender import Hooks, Sender, Share
from infx.load.target import Stop, Target
from infx.model.bundle import PhaseWindow
from infx.model.record import Phase, RequestRecord
from infx.store.journal import Journal

TICK_S = 0.25
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
        self._journal = journal
        self._now = clock.now
        self._grain_ns = clock.timer_grain_ns
        self._share = share
        self._concurrency = concurrency
        self._lanes = [Lane(index) for index in range(share.index, concurrency, share.of)]
        self._sender = Sender(
            plan,
            target,
            journal,
            clock,
            share=share,
            keep_text=keep_text,
            lanes=len(self._lanes),
            hooks=Hooks(self._advance, self._take, self._check_done, self._fail),
        )
        self._on_progress = on_progress
        self._gate = gate
        self._done: asyncio.Future[None] | None = None
        self._timers: dict[str, asyncio.Handle] = {}
        self._due: deque[tuple[int, int]] = deque()
        self._windows: list[PhaseWindow] = []
        self._tally: Tally | None = None
        self._stopped = False
        self._failure: BaseException | None = None
        self.exhausted = False

    @property
    def gone(self) -> Problem | None:
        """Why the server is taken to be gone, if it is."""
        return self._sender.gone

    @property
    def sender(self) -> Sender:
        """What sends the requests, and knows how many there were and how late the loop was."""
        return self._sender

    @property
    def resets(self) -> int:
        """How many requests were sent again; see `Sender`."""
        return self._sender.resets

    async def run(self, phases: Sequence[Phase], stop: Stop) -> tuple[PhaseWindow, ...]:
        """Ask the sessions of these phases, one after the other without a drain between.

        Return each phase's window, the last one to the last answer's end. After `drain` or
        `cancel` it asks nothing. When the server is gone the last phase ends early. Raise
        MachineError when the first connections cannot be made, or the journal cannot be written.
        """
        self._loop = asyncio.get_running_loop()
        self._stop, self._windows = stop, []
        self._done = done = self._loop.create_future()
        self._sender.stopping = self._stopped
        self._divide(phases)
        if not self._stopped:
            used = 1 if self._due else sum(self._totals.values())
            await self._sender.connect(self._lanes[:used])
        self._start = await self._gate() if self._gate else self._now()
        self._enter(phases[0])
        self._tick()
        self._sender.lag.start()
        self._start_lanes()
        self._arrive()
        self._check_done()
        try:
            with no_collection():
                await done
        finally:
            self._sender.lag.stop()
            for timer in self._timers.values():
                timer.cancel()
            self._timers.clear()
        self._journal.flush()
        self._leave()
        return tuple(self._windows)

    def drain(self) -> None:
        """Issue nothing more in any phase; what is in flight gets the grace, then is cancelled."""
        self._stopped = True
        self._stop_issuing()

    def cancel(self) -> None:
        """Issue nothing more in any phase, and cancel what is in flight."""
        self._stopped = True
        self._stop_issuing()
        self._cut()

    def close(self) -> None:
        """Close every connection, and send nothing more."""
        self._sender.stopping = True
        for lane in self._lanes:
            if lane.connection is not None:
                lane.connection.close()

    # Phases

    def _divide(self, phases: Sequence[Phase]) -> None:
        """Set out this shard's sessions: those that lanes take, and those that are due by time."""
        share, plan = self._share, self._plan
        mine = {phase: plan.sessions(phase)[share.index :: share.of] for phase in phases}
        starts = [(plan.start_of(number), number) for part in mine.values() for number in part]
        self._totals = {phase: len(part) for phase, part in mine.items()}
        self._closed = iter([number for start, number in starts if start is None])
        self._due = deque(sorted((start, n) for start, n in starts if start is not None))
        self._free = list(reversed(self._lanes)) if self._due else []

    def _enter(self, phase: Phase) -> None:
        """Begin a phase now; a duration counts from the beginning of profiling."""
        self._leave()
        duration = self._stop.duration_ns if phase is Phase.PROFILING else None
        if duration is not None:
            self._after("deadline", duration, self._stop_issuing)
        self._tally = Tally(phase, len(self._lanes), self._totals[phase], self._now(), duration)

    def _leave(self) -> None:
        tally, self._tally = self._tally, None
        if tally is not None:
            end = self._now()
            self._on_progress(tally.progress(end, self._sender.in_flight))
            window = PhaseWindow(phase=tally.phase, start_ns=tally.start_ns, end_ns=end)
            self._windows.append(window)

    # Pacing

    def _start_lanes(self) -> None:
        """Give every lane its first session, evenly spread over the ramp."""
        for lane in [] if self._due else self._lanes:
            wait = self._stop.ramp_ns * lane.index // self._concurrency
            lane.due_ns = self._start + wait
            if wait:
                lane.timer = self._loop.call_later(wait / NS, self._wake, lane)
            else:
                self._advance(lane)

    def _wake(self, lane: Lane) -> None:
        lane.timer = None
        self._advance(lane)
        self._check_done()

    def _advance(self, lane: Lane) -> None:
        """Send the lane's next turn, from its session or the next one; or leave the lane free."""
        if self._sender.gone:
            self._stop_issuing()
        if self._sender.stopping:
            return
        number = next(lane.turns, None)
        while number is None:
            session = next(self._closed, None)
            if session is None:
                self._free.append(lane)
                self.exhausted |= "deadline" in self._timers and "arrival" not in self._timers
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
            wait = due - self._now()
            if wait > 0:
                self._await_arrival(wait)
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
        self._check_done()

    def _await_arrival(self, wait_ns: int) -> None:
        # A timer may be late by a grain, so the last grain is waited turn by turn.
        if wait_ns > self._grain_ns:
            self._after("arrival", wait_ns - self._grain_ns, self._arrive)
        else:
            self._timers["arrival"] = self._loop.call_soon(self._arrive)

    def _send(self, lane: Lane, number: int) -> None:
        lane.timer = None
        phase = self._plan.phase_of(self._plan.turn(number).session)
        if self._tally is not None and phase is not self._tally.phase:
            self._enter(phase)
        self._sender.send(lane, number)

    # Ends

    def _after(self, name: str, delay_ns: int, call: Callable[[], None]) -> None:
        self._timers[name] = self._loop.call_later(delay_ns / NS, call)

    def _stop_issuing(self) -> None:
        if self._sender.stopping:
            return
        self._sender.stopping = True
        for lane in self._lanes:
            if lane.timer:
                lane.timer.cancel()
                lane.timer = None
        self._due.clear()
        self._after("grace", self._stop.grace_ns, self._cut)
        self._check_done()

    def _cut(self) -> None:
        for lane in self._lanes:
            if lane.connection is not None:
                lane.connection.cancel("cancelled", "the run ended before the answer did")
        self._check_done()

    def _fail(self, error: BaseException) -> None:
        self._failure = self._failure or error
        self.cancel()

    def _check_done(self) -> None:
        if self._done is None or self._done.done() or not self._sender.at_rest:
            return
        if self._due or any(lane.timer for lane in self._lanes):
            return
        if self._failure:
            self._done.set_exception(self._failure)
        else:
            self._done.set_result(None)

    # Beside the load

    def _take(self, record: RequestRecord) -> None:
        if self._tally is not None and record.phase is self._tally.phase:
            self._tally.take(record)

    def _tick(self) -> None:
        self._sender.flush()
        now, limit = self._now(), self._stop.request_limit_ns
        if limit is not None:
            self._sender.expire(self._lanes, now - limit)
        if self._tally is not None:
            self._on_progress(self._tally.progress(now, self._sender.in_flight))
        self._after("tick", int(TICK_S * NS), self._tick)
