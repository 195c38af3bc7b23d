"""One play of a session tree: which of its turns are due when, as answers end.

Holds no clock and sends nothing; moments are nanoseconds and come from who leads it.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from infx.load.plan import Plan, PlannedEntry
from infx.model.record import EndState, Phase, RequestRecord


class Primers:
    """The primers of a lane: for each stream that is live where it begins, its last turn before.

    They are spread as they were recorded, so that all are done at `moment`; see `Play` for the
    rest.
    """

    def __init__(self, entries: Sequence[PlannedEntry], moment: int) -> None:
        self.in_flight: set[int] = set()
        self.waiting = {
            entry.primer: moment - entry.age_ns for entry in entries if entry.primer is not None
        }

    @property
    def over(self) -> bool:
        """Whether all were asked and have ended."""
        return not self.waiting and not self.in_flight

    def next(self) -> tuple[int, int] | None:
        """Return the due moment of the next primer, and its turn."""
        return min(((due, turn) for turn, due in self.waiting.items()), default=None)

    def take(self, turn: int, _now: int) -> int:
        """Say that one is asked now; return the moment that it was due."""
        self.in_flight.add(turn)
        return self.waiting.pop(turn)

    def end(self, turn: int, _now: int) -> None:
        """Say that one has ended, however."""
        self.in_flight.discard(turn)

    def shift(self, by: int) -> None:
        """Move what waits earlier by so many nanoseconds."""
        for turn in self.waiting:
            self.waiting[turn] -= by


class Play:
    """A tree on a lane. `number` counts the plays of the lane from 0.

    `waiting` holds the turns that can be asked, each with its due moment, and `in_flight` those
    that are asked and have not ended. `opened_ns` is the moment that its first delays count from.
    `said` has the messages that later prompts of the play have a place for, as JSON, by the turn
    that was answered with them.
    """

    def __init__(
        self,
        plan: Plan,
        tree: int,
        *,
        number: int,
        now: int,
        entries: Sequence[PlannedEntry] = (),
    ) -> None:
        self._plan = plan
        self.tree = tree
        self.number = number
        self.opened_ns = now
        self.waiting: dict[int, int] = {}
        self.in_flight: set[int] = set()
        self.said: dict[int, bytes] = {}
        self._followers: dict[int | None, list[int]] = defaultdict(list)
        self._beside: dict[int, list[int]] = defaultdict(list)
        self._held: dict[int, list[int]] = defaultdict(list)
        self._holds: dict[int, int] = {}
        self._based: dict[int, int] = {}
        begins = {entry.stream: entry.begin for entry in entries}
        self._set_out(begins)
        first = self._followers.pop(None, ())
        for turn in () if entries else first:
            self._ground(turn, now + plan.turn(turn).delay_ns, now)
        for entry in entries:
            if entry.wait_ns is not None and entry.begin < plan.turns_of(entry.stream).stop:
                self._ground(entry.begin, now + entry.wait_ns, now)

    @property
    def over(self) -> bool:
        """Whether no turn is in flight, and none can be asked any more."""
        return not self.waiting and not self.in_flight

    def next(self) -> tuple[int, int] | None:
        """Return the due moment and the turn that is due first; of equal ones the first by number.

        None while nothing can be asked before an answer ends.
        """
        return min(((due, turn) for turn, due in self.waiting.items()), default=None)

    def take(self, turn: int, now: int) -> int:
        """Say that a turn is asked now, which starts what overlaps it; return its due moment."""
        self.in_flight.add(turn)
        due = self.waiting.pop(turn)
        for follower in self._beside.pop(turn, ()):
            self._ground(follower, now + self._plan.turn(follower).delay_ns, now)
        return due

    def hear(self, turn: int, record: RequestRecord, message: bytes | None, now: int) -> None:
        """Say what became of a turn: what follows it goes on, unless it cannot be asked.

        It cannot where the turn did not fit into the context, and where it was asked in full and
        failed to give the answer that a later prompt has a place for.
        """
        ok = record.state is EndState.OK
        if ok and message is not None:
            self.said[turn] = message
        lacking = not ok and record.phase is Phase.PROFILING and self._plan.keeps(turn)
        if lacking or record.state is EndState.OVERFLOW:
            self.cut(turn, now)
        else:
            self.end(turn, now)

    def end(self, turn: int, now: int) -> None:
        """Say that a turn's answer ended, however: what follows it or is held by it goes on."""
        self.in_flight.discard(turn)
        for follower in self._followers.pop(turn, ()):
            self._ground(follower, now + self._plan.turn(follower).delay_ns, now)
        self._release(turn, now)

    def cut(self, turn: int, now: int) -> None:
        """Say that nothing can follow a turn: its stream ends, with all it would start.

        What waited for any of those turns waits no longer.
        """
        self.in_flight.discard(turn)
        self._release(turn, now)
        ended = [turn]
        while ended:
            for follower in self._followers.pop(ended.pop(), ()):
                self._holds.pop(follower, None)
                self._release(follower, now)
                ended.append(follower)

    def shift(self, by: int) -> None:
        """Move everything that waits earlier by so many nanoseconds; later where it is negative."""
        for dues in (self.waiting, self._based):
            for turn in dues:
                dues[turn] -= by

    def _set_out(self, begins: dict[int, int]) -> None:
        """Note what waits for what, from where each stream begins."""
        plan = self._plan
        past = set(self._past(begins))
        for stream in plan.streams_of(self.tree):
            for turn in plan.turns_of(stream):
                if turn in past:
                    continue
                base = plan.base_of(turn)
                if base is not None and plan.overlaps(turn) and base not in past:
                    self._beside[base].append(turn)
                elif base not in past:
                    self._followers[base].append(turn)
                holds = [hold for hold in plan.holds_of(turn) if hold not in past]
                self._holds[turn] = len(holds)
                for hold in holds:
                    self._held[hold].append(turn)

    def _past(self, begins: dict[int, int]) -> Iterator[int]:
        for stream, begin in begins.items():
            yield from range(self._plan.turns_of(stream).start, begin)

    def _ground(self, turn: int, due: int, now: int) -> None:
        """Give a turn its due moment, as what it follows has ended."""
        if self._holds[turn]:
            self._based[turn] = due
        else:
            self._ready(turn, due, now)

    def _release(self, turn: int, now: int) -> None:
        """Let go of the turns that one turn held back."""
        for held in self._held.pop(turn, ()):
            if held in self._holds:
                self._holds[held] -= 1
                if not self._holds[held] and held in self._based:
                    self._ready(held, max(self._based.pop(held), now), now)

    def _ready(self, turn: int, due: int, now: int) -> None:
        del self._holds[turn]
        self.waiting[turn] = max(due, now)
