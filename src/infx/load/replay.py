"""Plays session trees on lanes: primers, warmup, then think times, joins, idle caps and recycling.

A lane always holds one live tree. Its streams ask in parallel where the recording did, so a lane
may have several requests in flight; each goes on a connection that the lane keeps for the next.
"""

import heapq
from collections.abc import Callable, Iterable, Sequence
from itertools import count

from infx.clock import NS, Clock
from infx.errors import Problem
from infx.load.course import Course
from infx.load.ensemble import Part, Start
from infx.load.lane import Lane
from infx.load.plan import Plan
from infx.load.play import Play, Primers
from infx.load.progress import Progress
from infx.load.rules import Failures, Manners, Rules, Skipped
from infx.load.seat import Seat, oldest_primer_ns, requests
from infx.load.sender import Sender, Share
from infx.load.target import Stop, Target
from infx.model.bundle import PhaseWindow
from infx.model.record import EndState, Phase, RequestRecord
from infx.store.journal import Journal

ALONE = Share()
PRIMER_IDLE_NS = NS
"""While lanes are primed nothing idles for longer than this: what came before is never measured."""
FAILED = (EndState.ERROR, EndState.LOST)


class Replay:
    """Runs the phases of one agentic point, or one shard's share; has the surface of `Driver`.

    Lane l plays the trees l, l + C, l + 2C, ... of C lanes, again from the first after the last;
    without a duration each tree is played once. `part` ties a shard to the others. `failures`
    count profiling; `idle` and `tree_idle` say what was skipped, and `aborted` why it gave up.
    """

    def __init__(
        self,
        plan: Plan,
        target: Target,
        journal: Journal,
        clock: Clock,
        *,
        concurrency: int,
        rules: Rules,
        part: Part | None = None,
        keep_text: frozenset[int] = frozenset(),
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> None:
        self._plan = plan
        self._now = clock.now
        self._concurrency = concurrency
        self._rules = rules
        self._manners = Manners(plan, rules, target.name)
        self._part = part
        share = part.share if part is not None else ALONE
        self._seats = {
            lane: Seat(plan, lane, of=concurrency, warmups=rules.warmups)
            for lane in range(share.index, concurrency, share.of)
        }
        self._asked: dict[tuple[int, int, int, int], tuple[Seat, Play | Primers, int]] = {}
        self._heap: list[tuple[int, int, Seat]] = []
        self._serial = count()
        self._all: list[Lane] = []
        self.failures, self.idle, self.tree_idle = Failures(), Skipped(), Skipped()
        self.aborted: Problem | None = None
        self.exhausted = self._endless = False
        self._resumed_ns = self._early_ns = 0
        self._course = Course(
            plan,
            target,
            journal,
            clock,
            pacing=self,
            share=share,
            keep_text=keep_text,
            lanes=len(self._seats),
            on_progress=on_progress,
        )

    @property
    def gone(self) -> Problem | None:
        """Why the server is taken to be gone, if it is."""
        return self.sender.gone or self._course.stalled

    @property
    def sender(self) -> Sender:
        """What sends the requests, and knows how many there were and how late the loop was."""
        return self._course.sender

    @property
    def resets(self) -> int:
        """How many requests were sent again; see `Sender`."""
        return self.sender.resets

    @property
    def waits(self) -> bool:
        """Whether a turn waits for its moment."""
        return bool(self._heap)

    @property
    def channels(self) -> Iterable[Lane]:
        """Every connection of every lane."""
        return self._all

    async def run(self, phases: Sequence[Phase], stop: Stop) -> tuple[PhaseWindow, ...]:
        """Run the warmup (primers, then turns of one token) or profiling, as `Driver.run` does."""
        (phase,) = phases
        self._phase = phase
        self._endless = stop.duration_ns is not None
        most = self._concurrency
        self._playing = range(most if self._endless else min(most, self._plan.trees))
        self._course.open(stop)
        seats = self._seats.values()
        if not self._course.stopped:
            for seat in (one for one in seats if not one.kept):
                seat.kept.append(self._channel(seat))
            await self.sender.connect([lane for seat in seats for lane in seat.kept])
        first = self._resume(self._now()) if phase is Phase.PROFILING else None
        start = Start(self._now(), first or 0)
        if self._part is not None:
            start = await self._part.gate(first)
        self._early_ns = start.early_ns
        lanes = [lane for lane in self._seats if lane in self._playing]
        total = requests(self._plan, phase, lanes, of=most, warmups=self._rules.warmups)
        return await self._course.run(phase, total, start.moment_ns)

    def drain(self) -> None:
        """Issue nothing more in any phase; what is in flight gets the grace, then is cancelled."""
        self._course.drain()

    def cancel(self) -> None:
        """Issue nothing more in any phase, and cancel what is in flight."""
        self._course.cancel()

    def close(self) -> None:
        """Close every connection, and send nothing more."""
        self._course.close()

    # Phases

    def begin(self, now: int) -> None:
        """Set every lane on its tree, or let it go on where its warmup ended; then ask."""
        if self._phase is Phase.WARMUP:
            self._prime(now)
        else:
            self._move(self._early_ns - (now - self._resumed_ns))
            for seat in self._seats.values():
                self._skip_tree_idle(seat, now)
        self._line_up()
        self._dispatch()

    def _prime(self, now: int) -> None:
        """Give every lane its first tree, and the primers of its streams."""
        moment = now + oldest_primer_ns(self._plan, self._playing)
        for seat in self._seats.values():
            seat.primers = Primers(seat.open(now, endless=self._endless), moment)
            if seat.primers.over:
                seat.warm(now, endless=self._endless)

    def _resume(self, now: int) -> int | None:
        """Let lanes go on from where they rest; return how long until their first turn is due."""
        self._resumed_ns = now
        for seat in self._seats.values():
            seat.resume(now, endless=self._endless)
        firsts = [first[0] for seat in self._seats.values() if (first := seat.play.next())]
        return min(firsts) - now if firsts else None

    # Pacing

    def _line_up(self) -> None:
        """Line lanes up by what each has due first."""
        self._heap = []
        for seat in self._seats.values():
            self._stand(seat)

    def _stand(self, seat: Seat) -> None:
        first = seat.current.next()
        if first is not None and not seat.rests(self._phase):
            heapq.heappush(self._heap, (first[0], next(self._serial), seat))

    def _dispatch(self) -> None:
        """Ask all that is due by now, and wait for the next."""
        while self._heap and not self.sender.stopping:
            due, _, seat = self._heap[0]
            first = seat.current.next()
            if first is None or first[0] != due or seat.rests(self._phase):
                heapq.heappop(self._heap)  # what stood here was asked, or moved and stands again
                continue
            wait = due - self._now()
            if wait > 0 and self._skip_idle(due, wait):
                continue
            if wait > 0:
                self._course.at("due", due, self._dispatch)
                return
            heapq.heappop(self._heap)
            self._send(seat, first[1])
            self._stand(seat)
        self._course.check_done()

    def _skip_idle(self, due: int, wait_ns: int) -> bool:
        """Move all that waits when nothing is in flight and the next turn is too far away."""
        priming = self._phase is Phase.WARMUP
        cap = PRIMER_IDLE_NS if priming else self._rules.idle_cap_ns
        if self._asked or cap is None or wait_ns <= cap:
            return False
        if self._part is not None:  # others may be busy
            self._part.idle(due, cap)
            return False
        self._move(wait_ns - cap)
        if not priming:
            self.idle.add(wait_ns - cap)
        self._line_up()
        return True

    def skip(self, by_ns: int) -> None:
        """Move all that waits earlier by so many nanoseconds, since every shard is silent."""
        if not self.sender.stopping:
            self._move(by_ns)
            self._line_up()
            self._dispatch()

    def _move(self, by_ns: int) -> None:
        for seat in self._seats.values():
            if not seat.rests(self._phase):
                seat.current.shift(by_ns)

    def _send(self, seat: Seat, number: int) -> None:
        if self.sender.gone:
            self._course.stop_issuing()
            return
        source, turn = seat.current, self._plan.turn(number)
        lane = seat.kept.pop() if seat.kept else self._channel(seat)
        lane.due_ns = source.take(number, self._now())
        lane.manner = self._manners.of(self._phase, seat.lane, seat.play, turn.session)
        self._asked[seat.lane, seat.play.number, turn.session, turn.turn] = seat, source, number
        self.sender.send(lane, number)

    def _channel(self, seat: Seat) -> Lane:
        self._all.append(Lane(seat.lane))
        return self._all[-1]

    # What comes back

    def free(self, lane: Lane) -> None:
        """Keep a connection whose answer has ended for the lane's next request."""
        self._seats[lane.index].kept.append(lane)

    def took(self, record: RequestRecord) -> None:
        """Go on from an answer: with what follows it, or without where it did not fit."""
        key = (record.lane, record.play, record.session, record.turn)
        seat, source, number = self._asked.pop(key)
        end = record.end_ns if record.end_ns is not None else self._now()
        if isinstance(source, Play):
            source.hear(number, record, self.sender.said(record.request), end)
        else:
            source.end(number, end)
        self._watch(seat, record, priming=isinstance(source, Primers))
        if self.sender.stopping:
            self._course.check_done()
            return
        if self._phase is Phase.WARMUP:
            seat.warm(end, endless=self._endless)
        else:
            seat.recycle(end, endless=self._endless)
            self._skip_tree_idle(seat, end)
        self._stand(seat)
        self._dispatch()

    def _watch(self, seat: Seat, record: RequestRecord, *, priming: bool) -> None:
        """Stop where too many requests fail, or a session's own primer does."""
        failed = record.state in FAILED
        if priming and failed and self._plan.parent_of(record.session) is None:
            what = f"the primer of lane {seat.lane} failed: {record.detail or record.reason}"
            where = self._manners.trace(seat.play)
            self._abort(Problem(what, where, "its session was never set up"))
        if self._phase is Phase.PROFILING:
            self.failures.count(failed=failed)
            too_many = self.failures.above(self._rules.abort_share, least=self._concurrency)
            if too_many is not None:
                self._abort(too_many)

    def _abort(self, why: Problem) -> None:
        self.aborted = self.aborted or why
        self._course.stop_issuing()

    def _skip_tree_idle(self, seat: Seat, now: int) -> None:
        first, cap = seat.play.next(), self._rules.tree_idle_cap_ns
        if first is None or seat.play.in_flight or cap is None or first[0] - now <= cap:
            return
        self.tree_idle.add(first[0] - now - cap)
        seat.play.shift(first[0] - now - cap)

    def halt(self) -> None:
        """Forget every turn that waits."""
        self._heap.clear()
