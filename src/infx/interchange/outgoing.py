"""What goes out of a bundle: one point with all that is known of it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property

from infx.model.bundle import Manifest, PhaseWindow, PointFile
from infx.model.record import Phase, RequestRecord
from infx.model.result import Absent, PointSummary, ServerMetrics
from infx.model.scrape import Page
from infx.store.expected import RecordedStream, RecordedTurn

UNREAD = Absent(reason="no metrics page was read")


@dataclass(frozen=True)
class Outgoing:
    """A point that is written for other tools.

    `streams` are what its recording says, by number in the plan; empty where nothing was replayed.
    `pages` gives the server's metrics pages, each whole, in the order of time; `server` is what
    they say of profiling, or why they say nothing.
    """

    manifest: Manifest
    point: PointFile
    summary: PointSummary
    records: tuple[RequestRecord, ...]
    streams: Mapping[int, RecordedStream] = field(default_factory=dict)
    pages: Callable[[], Iterable[Page]] = tuple
    server: ServerMetrics | Absent = UNREAD

    def window(self, phase: Phase) -> PhaseWindow | None:
        """Return when a phase began and ended, None where nobody kept it."""
        return next((one for one in self.point.phases if one.phase is phase), None)

    def wall(self, moment_ns: int) -> int:
        """Return a moment of the monotonic clock on the wall clock."""
        anchor = self.manifest.anchor
        return anchor.wall_ns + moment_ns - anchor.monotonic_ns

    def stamp(self, moment_ns: int) -> str:
        """Return a moment as aiperf writes it, to the microsecond and without its zone: UTC."""
        seconds, ns = divmod(self.wall(moment_ns), 1_000_000_000)
        moment = datetime.fromtimestamp(seconds, UTC).replace(microsecond=ns // 1000, tzinfo=None)
        return moment.isoformat(timespec="microseconds")

    def recorded(self, record: RequestRecord) -> RecordedTurn | None:
        """Return what was recorded of a request, None where nobody kept it."""
        stream = self.streams.get(record.session)
        turns = stream.turns if stream is not None else ()
        return turns[record.turn] if record.turn < len(turns) else None

    @cached_property
    def parents(self) -> Mapping[int, int]:
        """The stream that each stream of a tree belongs under, by number; roots have none.

        The name of a stream begins with that of its parent, and a colon.
        """
        numbers = {(one.trace, one.name): one.stream for one in self.streams.values()}
        found = {}
        for one in self.streams.values():
            name = one.name
            while ":" in name:
                name = name.rpartition(":")[0]
                if (parent := numbers.get((one.trace, name))) is not None:
                    found[one.stream] = parent
                    break
        return found

    def root(self, stream: int) -> int:
        """Return the stream at the root of a stream's tree."""
        while stream in self.parents:
            stream = self.parents[stream]
        return stream

    def depth(self, stream: int) -> int:
        """Return how many streams stand above one."""
        parent = self.parents.get(stream)
        return 0 if parent is None else 1 + self.depth(parent)
