"""Asks a plan's turns over a fixed number of lanes, and writes down what happened.

One event loop, no lock and no queue between an answer's end and the next request: both happen in
the same socket read. Everything else (decoding, journal, progress) is done beside it.
"""

import asyncio
import gc
from collections.abc import Callable
from dataclasses import replace

from infx.clock import NS, Clock
from infx.errors import InfxError, MachineError, Problem
from infx.load.decoding import Decoding
from infx.load.lane import Lane
from infx.load.plan import Plan
from infx.load.progress import Progress, Tally
from infx.load.target import Stop, Target
from infx.model.bundle import PhaseWindow
from infx.model.record import Issue, Phase, RequestRecord
from infx.store.journal import Journal
from infx.wire.address import explain
from infx.wire.connection import Connection, Exchange

TICK_S = 0.25
IDLE_LIMIT_NS = 4 * NS
"""Servers cut idle connections, some after 5 s; one idle for longer than this is made anew."""
RESETS_ENDURED = 3
"""After more kept connections than these were closed under a request, none is kept any more."""


class Driver:
    """Runs the phases of one point. `keep_text` are the sessions whose answers are kept.

    `resets` counts requests that were sent again, because the server closed a connection that it
    had kept open before a byte of their answer; their `sent_ns` is the second sending.
    `exhausted` tells that a phase ended by time found no session left to ask before its end.
    """

    def __init__(
        self,
        plan: Plan,
        target: Target,
        journal: Journal,
        clock: Clock,
        *,
        concurrency: int,
        keep_text: frozenset[int] = frozenset(),
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> None:
        self._plan = plan
        self._target = target
        self._journal = journal
        self._now = clock.now
        self._lanes = [Lane(index) for index in range(concurrency)]
        self._keep_text = keep_text
        self._on_progress = on_progress
        self._answers = Decoding(clock.now, self._keep, self._check_done)
        self._connecting: set[asyncio.Task[None]] = set()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._requests = 0
        self._refusals = 0
        self.resets = 0
        self.exhausted = False
        self._stopping = False
        self._stopped = False
        self._failure: BaseException | None = None
        self.gone: Problem | None = None

    async def run(self, phase: Phase, stop: Stop) -> PhaseWindow:
        """Ask a phase's sessions and return its window, from before the first send to the last end.

        After `drain` or `cancel` it asks nothing. When every lane was refused in turn, the phase
        ends early and `gone` says why. Raise MachineError when the first connections cannot be
        made, or the journal cannot be written.
        """
        self._loop = asyncio.get_running_loop()
        if not self._stopped:
            await self._connect_all()
        sessions = self._plan.sessions(phase)
        self._phase, self._sessions = phase, iter(sessions)
        self._stopping, self._grace_ns = self._stopped, stop.grace_ns
        self._done = self._loop.create_future()
        start = self._now()
        self._tally = Tally(phase, len(self._lanes), len(sessions), start, stop.duration_ns)
        if stop.duration_ns is not None:
            self._after("deadline", stop.duration_ns, self._stop_issuing)
        self._tick()
        for lane in self._lanes:
            lane.due_ns = start
            self._advance(lane)
        self._check_done()
        # A collection of the oldest objects would stop the reads for tens of milliseconds.
        gc.freeze()
        gc.disable()
        try:
            await self._done
        finally:
            gc.enable()
            gc.unfreeze()
            for timer in self._timers.values():
                timer.cancel()
        self._journal.flush()
        self._on_progress(self._tally.progress(self._now(), 0))
        return PhaseWindow(phase=phase, start_ns=start, end_ns=self._now())

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
        """Close every connection."""
        for lane in self._lanes:
            if lane.connection is not None:
                lane.connection.close()

    # Ends

    def _after(self, name: str, delay_ns: int, call: Callable[[], None]) -> None:
        self._timers[name] = self._loop.call_later(delay_ns / NS, call)

    def _stop_issuing(self) -> None:
        if self._stopping:
            return
        self._stopping = True
        for lane in self._lanes:
            if lane.timer:
                lane.timer.cancel()
                lane.timer = None
        self._after("grace", self._grace_ns, self._cut)
        self._check_done()

    def _cut(self) -> None:
        for lane in self._lanes:
            if lane.connection is not None:
                lane.connection.cancel("the run ended before the answer did")
        self._check_done()

    def _fail(self, error: BaseException) -> None:
        self._failure = self._failure or error
        self.cancel()

    def _check_done(self) -> None:
        waiting = any(lane.timer for lane in self._lanes)
        if self._done.done() or self._answers or waiting or self._connecting:
            return
        if self._failure:
            self._done.set_exception(self._failure)
        else:
            self._done.set_result(None)

    # Connections

    async def _connect_all(self) -> None:
        lacking = [x for x in self._lanes if x.connection is None or not x.connection.open]
        try:
            await asyncio.gather(*map(self._connect, lacking))
        except OSError as error:
            raise MachineError(explain(error, self._target.address)) from None

    async def _connect(self, lane: Lane) -> None:
        connection = Connection(self._now, lambda end: self._ended(lane, end), self._answers.soon)
        await self._target.dial(lambda: connection)
        lane.connection = connection

    # Sending

    def _advance(self, lane: Lane) -> None:
        """Send the lane's next turn, from its session or the next one; or leave the lane idle."""
        if self._stopping:
            return
        number = next(lane.turns, None)
        while number is None:
            session = next(self._sessions, None)
            if session is None:
                self.exhausted = self.exhausted or "deadline" in self._timers
                return
            lane.turns = iter(self._plan.turns_of(session))
            number = next(lane.turns, None)
        delay = self._plan.turn(number).delay_ns
        if delay:
            lane.due_ns += delay
            wait = max(lane.due_ns - self._now(), 0) / NS
            lane.timer = self._loop.call_later(wait, self._dispatch, lane, number)
        else:
            self._dispatch(lane, number)

    def _dispatch(self, lane: Lane, number: int) -> None:
        lane.timer, lane.number = None, number
        connection = lane.connection
        if (
            connection is not None
            and connection.open
            and self.resets <= RESETS_ENDURED
            and self._now() - connection.idle_since_ns <= IDLE_LIMIT_NS
        ):
            self._send(lane, connection, self._issue(lane))
        else:
            self._dispatch_anew(lane, None)

    def _dispatch_anew(self, lane: Lane, issue: Issue | None) -> None:
        task = self._loop.create_task(self._connect_and_send(lane, issue))
        self._connecting.add(task)
        task.add_done_callback(self._dispatched)

    async def _connect_and_send(self, lane: Lane, issue: Issue | None) -> None:
        if lane.connection is not None:
            lane.connection.close()
        try:
            await self._connect(lane)
        except OSError as error:
            self._refused(lane, issue or self._issue(lane), error)
            return
        if lane.connection is not None and not self._stopping:
            self._send(lane, lane.connection, issue or self._issue(lane))
        elif issue is not None:
            self._end_unsent(lane, issue, "cancelled", "the run ended before it was sent again")

    def _dispatched(self, task: asyncio.Task[None]) -> None:
        self._connecting.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self._fail(error)
        self._check_done()

    def _refused(self, lane: Lane, issue: Issue, error: OSError) -> None:
        problem = explain(error, self._target.address)
        self._refusals += 1
        if self._refusals > len(self._lanes):
            what = f"the server went away: {problem.what}"
            self.gone = Problem(what, problem.where, "its own log says why; the bundle is kept")
            self._stop_issuing()
        word = "refused" if isinstance(error, ConnectionRefusedError) else "unreached"
        self._end_unsent(lane, issue, word, problem.what)

    def _end_unsent(self, lane: Lane, issue: Issue, fault: str, detail: str) -> None:
        exchange = Exchange(issue.sent_ns)
        exchange.fault, exchange.fault_detail = fault, detail
        exchange.end_ns = max(self._now(), issue.sent_ns)
        self._answers.begin(exchange, issue, keep_text=False)
        self._ended(lane, exchange)

    def _issue(self, lane: Lane) -> Issue:
        """Write down that the lane's turn is sent now."""
        turn, now = self._plan.turn(lane.number), self._now()
        issue = Issue(
            request=self._requests,
            session=turn.session,
            turn=turn.turn,
            lane=lane.index,
            phase=self._phase,
            due_ns=min(lane.due_ns, now),
            sent_ns=now,
            asked_input=turn.asked_input,
            asked_output=turn.asked_output,
        )
        self._requests += 1
        self._journal.issue(issue)
        return issue

    def _send(self, lane: Lane, connection: Connection, issue: Issue) -> None:
        payload = self._target.payload(self._plan, lane.number, issue.asked_output, issue.request)
        exchange = connection.send(payload)
        sent = replace(issue, sent_ns=exchange.sent_ns)
        self._answers.begin(exchange, sent, keep_text=issue.session in self._keep_text)

    # Answers

    def _ended(self, lane: Lane, exchange: Exchange) -> None:
        if exchange.fault == "stale":
            self.resets += 1
            self._dispatch_anew(lane, self._answers.forget(exchange))
            return
        self._answers.soon(exchange)
        if exchange.status is not None:
            self._refusals = 0
        lane.due_ns = exchange.end_ns or self._now()
        self._advance(lane)

    def _keep(self, record: RequestRecord) -> None:
        self._journal.end(record)
        self._tally.take(record)

    def _tick(self) -> None:
        try:
            self._journal.flush()
        except InfxError as error:
            self._fail(error)
            return
        self._on_progress(self._tally.progress(self._now(), len(self._answers)))
        self._after("tick", int(TICK_S * NS), self._tick)
