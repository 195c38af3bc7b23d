"""The frame of a load, whatever paces it: its phases, its ticks, and its ends."""

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Protocol

from infx.clock import NS, Clock
from infx.errors import Problem
from infx.load.lag import no_collection
from infx.load.lane import Lane
from infx.load.plan import Plan
from infx.load.progress import Progress, Tally
from infx.load.sender import Hooks, Sender, Share
from infx.load.stall import stalled
from infx.load.target import Stop, Target
from infx.model.bundle import PhaseWindow
from infx.model.record import Phase, RequestRecord
from infx.store.journal import Journal

TICK_S = 0.25


class Pacing(Protocol):
    """Who decides what is asked when."""

    @property
    def waits(self) -> bool:
        """Whether something is still to be asked at a later moment."""

    @property
    def channels(self) -> Iterable[Lane]:
        """Whatever may have a connection."""

    def begin(self, now: int) -> None:
        """Ask what is due when the phases begin, and set timers for the rest."""

    def free(self, lane: Lane) -> None:
        """Hear that the answer on a lane has ended; called in the read that ended it."""

    def took(self, record: RequestRecord) -> None:
        """Hear what became of a request, soon after its end."""

    def halt(self) -> None:
        """Forget everything that waits."""


class Course:
    """Runs phases of one point, or one shard's share of them, for one pacing.

    `lanes` is how many of them this process has.
    """

    def __init__(
        self,
        plan: Plan,
        target: Target,
        journal: Journal,
        clock: Clock,
        *,
        pacing: Pacing,
        share: Share,
        keep_text: frozenset[int],
        lanes: int,
        on_progress: Callable[[Progress], None],
    ) -> None:
        self._journal = journal
        self._now = clock.now
        self._grain_ns = clock.timer_grain_ns
        self._pacing = pacing
        self._lanes = lanes
        self._on_progress = on_progress
        self._done: asyncio.Future[None] | None = None
        self._timers: dict[str, asyncio.Handle] = {}
        self._dues: dict[str, int] = {}
        self._windows: list[PhaseWindow] = []
        self._tally: Tally | None = None
        self._failure: BaseException | None = None
        self._stopped = False
        self._ended_ns = 0
        self.stalled: Problem | None = None
        self.sender = Sender(
            plan,
            target,
            journal,
            clock,
            share=share,
            keep_text=keep_text,
            lanes=lanes,
            hooks=Hooks(pacing.free, self._take, self.check_done, self._fail),
        )

    @property
    def stopped(self) -> bool:
        """Whether nothing may be issued any more, in any phase."""
        return self._stopped

    @property
    def phase(self) -> Phase | None:
        """The phase that runs now."""
        return self._tally.phase if self._tally is not None else None

    def open(self, stop: Stop) -> None:
        """Get ready for phases that end as `stop` says."""
        self._stop, self._windows = stop, []
        self._done = asyncio.get_running_loop().create_future()
        self.sender.stopping = self._stopped

    async def run(self, phase: Phase, total: int, start: int) -> tuple[PhaseWindow, ...]:
        """Let the pacing ask from `start` on; return the windows of the phases when all has ended.

        Raise MachineError when the journal cannot be written, and a defect that is met on the way.
        """
        assert self._done is not None
        self._ended_ns = self._now()
        self.enter(phase, total)
        self._tick()
        self.sender.lag.start()
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._met)
        self._pacing.begin(start)
        self.check_done()
        try:
            with no_collection():
                await self._done
        finally:
            loop.set_exception_handler(None)
            self.sender.lag.stop()
            for timer in self._timers.values():
                timer.cancel()
            self._timers.clear()
            self._dues.clear()
        self._journal.flush()
        self._leave()
        return tuple(self._windows)

    def enter(self, phase: Phase, total: int) -> None:
        """Begin a phase of `total` requests now; a duration counts from that of profiling."""
        self._leave()
        duration = self._stop.duration_ns if phase is Phase.PROFILING else None
        if duration is not None:
            self.after("deadline", duration, self.stop_issuing)
        self._tally = Tally(phase, self._lanes, total, self._now(), duration)

    def after(self, name: str, delay_ns: int, call: Callable[[], None]) -> None:
        """Set the timer of that name in place of its last; it ends with the phases."""
        self._set(name, asyncio.get_running_loop().call_later(delay_ns / NS, call))

    def at(self, name: str, due_ns: int, call: Callable[[], None]) -> None:
        """Set the timer of that name to a moment, unless it is set to that already."""
        if self._dues.get(name) == due_ns:
            return
        self._dues[name] = due_ns
        ring = partial(self._ring, name, call)
        # A timer may be late by a grain, so the last grain is waited turn by turn.
        wait_ns = due_ns - self._now() - self._grain_ns
        if wait_ns > 0:
            self.after(name, wait_ns, ring)
        else:
            self._set(name, asyncio.get_running_loop().call_soon(ring))

    def _ring(self, name: str, call: Callable[[], None]) -> None:
        del self._dues[name]
        call()

    def _set(self, name: str, timer: asyncio.Handle) -> None:
        if (last := self._timers.get(name)) is not None:
            last.cancel()
        self._timers[name] = timer

    def has(self, name: str) -> bool:
        """Whether a timer of that name was set in these phases."""
        return name in self._timers

    def drain(self) -> None:
        """Issue nothing more in any phase; what is in flight gets the grace, then is cancelled."""
        self._stopped = True
        self.stop_issuing()

    def cancel(self) -> None:
        """Issue nothing more in any phase, and cancel what is in flight."""
        self._stopped = True
        self.stop_issuing()
        self._cut()

    def close(self) -> None:
        """Close every connection, and send nothing more."""
        self.sender.stopping = True
        for lane in self._pacing.channels:
            if lane.connection is not None:
                lane.connection.close()

    def stop_issuing(self) -> None:
        """Issue nothing more in these phases."""
        if self.sender.stopping:
            return
        self.sender.stopping = True
        self._pacing.halt()
        self.after("grace", self._stop.grace_ns, self._cut)
        self.check_done()

    def check_done(self) -> None:
        """End the phases once nothing is open and nothing is still to be asked."""
        if self._done is None or self._done.done() or not self.sender.at_rest:
            return
        if self._pacing.waits:
            return
        if self._failure:
            self._done.set_exception(self._failure)
        else:
            self._done.set_result(None)

    def _leave(self) -> None:
        tally, self._tally = self._tally, None
        if tally is not None:
            end = self._now()
            self._on_progress(tally.progress(end, self.sender.in_flight))
            window = PhaseWindow(phase=tally.phase, start_ns=tally.start_ns, end_ns=end)
            self._windows.append(window)

    def _cut(self) -> None:
        for lane in self._pacing.channels:
            if lane.connection is not None:
                lane.connection.cancel("cancelled", "the run ended before the answer did")
        self.check_done()

    def _met(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """End the phases by a defect that a read or a callback met: its answer would never end."""
        error = context.get("exception")
        ours = "protocol" in context or "handle" in context
        if error is not None and ours and self._done is not None and not self._done.done():
            self._done.set_exception(error)
        else:
            loop.default_exception_handler(context)

    def _fail(self, error: BaseException) -> None:
        self._failure = self._failure or error
        self.cancel()

    def _take(self, record: RequestRecord) -> None:
        self._ended_ns = self._now()
        if self._tally is not None and record.phase is self._tally.phase:
            self._tally.take(record)
        self._pacing.took(record)

    def _tick(self) -> None:
        self.sender.flush()
        now, limit = self._now(), self._stop.request_limit_ns
        if limit is not None:
            self.sender.expire(self._pacing.channels, now - limit)
        self._watch(now)
        if self._tally is not None:
            self._on_progress(self._tally.progress(now, self.sender.in_flight))
        self.after("tick", int(TICK_S * NS), self._tick)

    def _watch(self, now: int) -> None:
        """Give the server up when requests are open and none has ended for the stall's limit."""
        if not self.sender.in_flight:
            self._ended_ns = now
        elif self.stalled is None:
            silent, in_flight = now - self._ended_ns, self.sender.in_flight
            self.stalled = stalled(self._stop.stall_ns, silent, in_flight=in_flight)
            if self.stalled is not None:
                self.cancel()
