"""A lane that plays session trees: what it plays, and how far its warmup is."""

from collections.abc import Iterable, Sequence

from infx.load.lane import Lane
from infx.load.plan import Plan, PlannedEntry
from infx.load.play import Play, Primers
from infx.model.record import Phase


class Seat:
    """One of `of` lanes. Lane l plays the trees l, l + of, l + 2 of, ... and then begins anew.

    `kept` are its connections that are free. `rest_ns` is when its warmup ended; what waits in its
    play keeps its distance to that moment.
    """

    def __init__(self, plan: Plan, lane: int, *, of: int, warmups: int) -> None:
        self._plan = plan
        self._of = of
        self._warmups = warmups
        self.lane = lane
        self.play: Play
        self.primers: Primers | None = None
        self.kept: list[Lane] = []
        self.rest_ns: int | None = None

    @property
    def current(self) -> Play | Primers:
        """What its next turn comes from."""
        return self.primers or self.play

    def rests(self, phase: Phase) -> bool:
        """Whether it asks nothing now: in the warmup it asks turn by turn, then rests."""
        if phase is Phase.PROFILING or self.primers is not None:
            return False
        return self.rest_ns is not None or bool(self.play.in_flight)

    def open(self, now: int, *, endless: bool) -> Sequence[PlannedEntry]:
        """Set the lane on its first tree, where the plan lets it begin; return where that is.

        Unless `endless`, a lane after the last tree has none to play.
        """
        entries: Sequence[PlannedEntry] = ()
        tree = self.lane % self._plan.trees
        if not endless and self.lane >= self._plan.trees:
            entries = _over(self._plan, tree)
        elif self._plan.lanes:
            tree, entries = self._plan.seat(self.lane)
        self.play = Play(self._plan, tree, number=0, now=now, entries=entries)
        return entries

    def recycle(self, now: int, *, endless: bool) -> None:
        """Give the lane its next tree once one is over; each tree only once unless `endless`."""
        while self.play.over:
            number = self.play.number + 1
            position = self.lane + number * self._of
            if not endless and position >= self._plan.trees:
                return
            self.play = Play(self._plan, position % self._plan.trees, number=number, now=now)

    def warm(self, now: int, *, endless: bool) -> None:
        """Go on with the warmup: primers, then turns one by one without a pause, then rest."""
        if self.primers is not None and self.primers.over:
            self.primers = None
            self.play.shift(self.play.opened_ns - now)
        if self.primers is not None or self.play.in_flight:
            return
        self.recycle(now, endless=endless)
        first = self.play.next()
        if not self._warmups or first is None:
            self.rest_ns = now
            return
        self._warmups -= 1
        self.play.shift(first[0] - now)

    def resume(self, now: int, *, endless: bool) -> None:
        """Go on where the warmup left the lane, or begin where there was none."""
        if self.rest_ns is None:
            self.open(now, endless=endless)
        else:
            self.play.shift(self.rest_ns - now)
        self.primers = None
        self.recycle(now, endless=endless)


def _over(plan: Plan, tree: int) -> Sequence[PlannedEntry]:
    """Return where a tree stands when all of it was played."""
    streams = plan.streams_of(tree)
    return [PlannedEntry(one, plan.turns_of(one).stop, None, None, 0) for one in streams]


def oldest_primer_ns(plan: Plan, lanes: Iterable[int]) -> int:
    """Return how long before their moment the first primer of these lanes is due."""
    entries = (entry for lane in lanes for entry in plan.seat(lane)[1]) if plan.lanes else ()
    return max((one.age_ns for one in entries if one.primer is not None), default=0)


def requests(plan: Plan, phase: Phase, lanes: Sequence[int], *, of: int, warmups: int) -> int:
    """Return how many requests these of `of` lanes make: in the warmup, or playing trees once."""
    if phase is Phase.PROFILING:
        trees = [tree for tree in range(plan.trees) if tree % of in lanes]
        streams = (stream for tree in trees for stream in plan.streams_of(tree))
        return sum(len(plan.turns_of(stream)) for stream in streams)
    seats = [plan.seat(lane)[1] for lane in lanes] if plan.lanes else []
    primers = sum(entry.primer is not None for entries in seats for entry in entries)
    return primers + warmups * len(lanes)
