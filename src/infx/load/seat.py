"""A lane that plays session trees: what it plays, and how far its warmup is."""

from collections.abc import Sequence

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

    def open(self, now: int) -> Sequence[PlannedEntry]:
        """Set the lane on its first tree, where the plan lets it begin; return where that is."""
        entries: Sequence[PlannedEntry] = ()
        tree = self.lane % self._plan.trees
        if self._plan.lanes:
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

    def warm(self, now: int) -> None:
        """Go on with the warmup: primers, then turns one by one without a pause, then rest."""
        if self.primers is not None and self.primers.over:
            self.primers = None
            self.play.shift(self.play.opened_ns - now)
        if self.primers is not None or self.play.in_flight:
            return
        self.recycle(now, endless=True)
        first = self.play.next()
        if not self._warmups or first is None:
            self.rest_ns = now
            return
        self._warmups -= 1
        self.play.shift(first[0] - now)

    def resume(self, now: int, *, endless: bool) -> None:
        """Go on where the warmup left the lane, or begin where there was none."""
        if self.rest_ns is None:
            self.open(now)
        else:
            self.play.shift(self.rest_ns - now)
        self.primers = None
        self.recycle(now, endless=endless)
