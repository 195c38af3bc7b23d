"""Sends turns on the connections of lanes, and sees each of them to its end."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from infx.clock import NS, Clock
from infx.errors import InfxError, MachineError, Problem
from infx.load.decoding import Decoding
from infx.load.lag import LagProbe
from infx.load.lane import Lane
from infx.load.plan import Plan
from infx.load.target import Target
from infx.model.record import Issue, Phase, RequestRecord
from infx.store.journal import Journal
from infx.wire.address import explain
from infx.wire.connection import Connection, Exchange

IDLE_LIMIT_NS = 4 * NS
"""Servers cut idle connections, some after 5 s; one idle for longer than this is made anew."""
NO_LANE = -1
"""The lane of a request that was never sent."""
RESETS_ENDURED = 3
"""After more kept connections than these were closed under a request, none is kept any more."""


@dataclass(frozen=True, slots=True)
class Share:
    """Which part of a plan one process takes: every `of`-th session and lane, from `index` on.

    Its requests are numbered likewise, from `first` on: fewer were issued by others before.
    """

    index: int = 0
    of: int = 1
    first: int = 0


@dataclass(frozen=True, slots=True)
class Hooks:
    """Who is told what: `free` of a lane whose answer ended, `record` of what became of a request,
    `rest` when nothing waits to be decoded or sent, `failure` of a defect.
    """

    free: Callable[[Lane], None]
    record: Callable[[RequestRecord], None]
    rest: Callable[[], None]
    failure: Callable[[BaseException], None]


class Sender:
    """Carries one shard's requests.

    `requests` counts those that were issued. `resets` counts those that were sent again because the
    server closed a connection that it had kept open before a byte of their answer; their `sent_ns`
    is the second sending. `gone` says why the server is taken to be gone: more attempts than there
    are lanes were refused in a row.
    """

    def __init__(
        self,
        plan: Plan,
        target: Target,
        journal: Journal,
        clock: Clock,
        *,
        share: Share,
        keep_text: frozenset[int],
        lanes: int,
        hooks: Hooks,
    ) -> None:
        self._plan = plan
        self._target = target
        self._journal = journal
        self._now = clock.now
        self._share = share
        self._keep_text = keep_text
        self._endured = lanes
        self._hooks = hooks
        self.lag = LagProbe(clock)
        self._answers = Decoding(clock.now, self._keep, hooks.rest, self.lag.of)
        self._connecting: set[asyncio.Task[None]] = set()
        self.requests = 0
        self._refusals = 0
        self.stopping = True
        self.resets = 0
        self.gone: Problem | None = None

    def said(self, request: int) -> bytes | None:
        """Return the message that a request was answered with, once; None where none was kept.

        Kept are those of profiling that a later prompt has a place for.
        """
        return self._answers.said.pop(request, None)

    @property
    def in_flight(self) -> int:
        """How many requests have no record yet."""
        return len(self._answers)

    @property
    def at_rest(self) -> bool:
        """Whether no request is open and none is about to be sent."""
        return not self._answers and not self._connecting

    async def connect(self, lanes: Iterable[Lane]) -> None:
        """Connect the lanes that are not; raise MachineError when the server cannot be reached."""
        lacking = [lane for lane in lanes if lane.connection is None or not lane.connection.open]
        try:
            await asyncio.gather(*map(self._connect, lacking))
        except OSError as error:
            raise MachineError(explain(error, self._target.address)) from None

    def send(self, lane: Lane, number: int) -> None:
        """Send a turn on a lane: at once on its open connection, else on a new one."""
        lane.number = number
        connection = lane.connection
        if (
            connection is not None
            and connection.open
            and self.resets <= RESETS_ENDURED
            and self._now() - connection.idle_since_ns <= IDLE_LIMIT_NS
        ):
            self._write(lane, connection, self._issue(lane))
        else:
            self._send_anew(lane, None)

    def refuse(self, number: int, due_ns: int) -> None:
        """Write down a turn that was due and is not sent, as too many are in flight already."""
        nowhere = Lane(NO_LANE)
        nowhere.number, nowhere.due_ns = number, due_ns
        detail = "as many requests as are allowed were in flight"
        self._end_unsent(self._issue(nowhere), "in-flight-limit", detail)

    def expire(self, lanes: Iterable[Lane], before_ns: int) -> None:
        """Give up the requests that were sent before a moment and have not ended."""
        for lane in lanes:
            connection = lane.connection
            exchange = connection.exchange if connection is not None else None
            if connection is not None and exchange is not None and exchange.sent_ns < before_ns:
                connection.cancel("timed-out", "the answer did not end within the request's limit")

    def flush(self) -> None:
        """Bring the journal to the kernel, a part in each turn of the loop: reads wait for it."""
        try:
            if self._journal.flush_part():
                asyncio.get_running_loop().call_soon(self.flush)
        except InfxError as error:
            self._hooks.failure(error)

    async def _connect(self, lane: Lane) -> None:
        connection = Connection(self._now, lambda end: self._ended(lane, end), self._answers.soon)
        await self._target.dial(lambda: connection)
        lane.connection = connection

    def _send_anew(self, lane: Lane, issue: Issue | None) -> None:
        task = asyncio.get_running_loop().create_task(self._connect_and_send(lane, issue))
        self._connecting.add(task)
        task.add_done_callback(self._sent_anew)

    async def _connect_and_send(self, lane: Lane, issue: Issue | None) -> None:
        if lane.connection is not None:
            lane.connection.close()
        try:
            await self._connect(lane)
        except OSError as error:
            self._refused(lane, issue or self._issue(lane), error)
            return
        if lane.connection is not None and not self.stopping:
            self._write(lane, lane.connection, issue or self._issue(lane))
        elif issue is not None:
            self._end_unsent(issue, "cancelled", "the run ended before it was sent again")

    def _sent_anew(self, task: asyncio.Task[None]) -> None:
        self._connecting.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self._hooks.failure(error)
        self._hooks.rest()

    def _refused(self, lane: Lane, issue: Issue, error: OSError) -> None:
        problem = explain(error, self._target.address)
        self._refusals += 1
        if self._refusals > self._endured:
            what = f"the server went away: {problem.what}"
            self.gone = Problem(what, problem.where, "its own log says why; the bundle is kept")
        word = "refused" if isinstance(error, ConnectionRefusedError) else "unreached"
        self._end_unsent(issue, word, problem.what)
        lane.due_ns = self._now()
        self._hooks.free(lane)

    def _end_unsent(self, issue: Issue, fault: str, detail: str) -> None:
        exchange = Exchange(issue.sent_ns)
        exchange.fault, exchange.fault_detail = fault, detail
        exchange.end_ns = max(self._now(), issue.sent_ns)
        self._answers.begin(exchange, issue, keep_text=False)
        self._answers.soon(exchange)

    def _issue(self, lane: Lane) -> Issue:
        """Write down that the lane's turn is sent now."""
        turn, now, manner = self._plan.turn(lane.number), self._now(), lane.manner
        asked_output = manner.asked_output if manner else None
        issue = Issue(
            request=self._share.first + self.requests * self._share.of + self._share.index,
            session=turn.session,
            turn=turn.turn,
            lane=lane.index,
            phase=manner.phase if manner else self._plan.phase_of(turn.session),
            due_ns=min(lane.due_ns, now),
            sent_ns=now,
            asked_input=turn.asked_input,
            asked_output=turn.asked_output if asked_output is None else asked_output,
            play=manner.play if manner else 0,
        )
        self.requests += 1
        self._journal.issue(issue)
        return issue

    def _write(self, lane: Lane, connection: Connection, issue: Issue) -> None:
        payload = self._target.payload(self._plan, issue, lane.number, lane.manner)
        exchange = connection.send(payload)
        sent = replace(issue, sent_ns=exchange.sent_ns)
        whole = self._plan.keeps(lane.number) and issue.phase is Phase.PROFILING
        keep = issue.session in self._keep_text
        self._answers.begin(exchange, sent, keep_text=keep, keep_message=whole)

    def _ended(self, lane: Lane, exchange: Exchange) -> None:
        if exchange.fault == "stale":
            self.resets += 1
            self._send_anew(lane, self._answers.forget(exchange))
            return
        self._answers.soon(exchange)
        if exchange.status is not None:
            self._refusals = 0
        lane.due_ns = exchange.end_ns or self._now()
        self._hooks.free(lane)

    def _keep(self, record: RequestRecord) -> None:
        self._journal.end(record)
        self._hooks.record(record)
