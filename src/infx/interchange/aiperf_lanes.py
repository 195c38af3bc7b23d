"""Which lane played which session tree: aiperf keeps the tree of a request, and not its lane.

A lane goes on with its next tree as soon as the one before has drained. So a tree belongs to the
lane that became free last before its first request; where none was free, another lane began.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from infx.model.aiperf import AiperfRecord


@dataclass(slots=True)
class Play:
    """One play of a tree: its requests, its lane, and how many trees the lane played before.

    `over` tells that the lane went on to another tree.
    """

    lines: list[AiperfRecord] = field(default_factory=list)
    lane: int = 0
    number: int = 0
    over: bool = False

    @property
    def whole(self) -> bool:
        """Whether it was played from its first turn to its end, and no request failed."""
        first = any(one.metadata.turn_index == 0 for one in self.lines if not depth(one))
        return self.over and first and all(one.error is None for one in self.lines)


def stream_of(line: AiperfRecord) -> tuple[str, str]:
    """Return the trace and the stream that a record is of; old ones name only the stream."""
    name = line.metadata.conversation_id or ""
    return line.metadata.source_trace_id or name.partition("::")[0], name


def depth(line: AiperfRecord) -> int:
    """Return how many streams stand above that of a record."""
    return line.metadata.agent_depth


def tree_of(line: AiperfRecord) -> str:
    """Return what names the play of a tree that a record belongs to."""
    said = line.metadata
    return said.root_correlation_id or said.x_correlation_id or said.x_request_id or ""


def plays(lines: Sequence[AiperfRecord]) -> Mapping[str, Play]:
    """Return every play by the name of its tree, each with its lane."""
    found: dict[str, Play] = defaultdict(Play)
    for line in lines:
        found[tree_of(line)].lines.append(line)
    latest: list[tuple[int, Play]] = []
    for start, end, play in sorted(_spans(found), key=lambda span: span[:2]):
        free = [one for one in latest if one[0] <= start]
        if free:
            before = max(free, key=lambda one: one[0])
            latest.remove(before)
            before[1].over = True
            play.lane, play.number = before[1].lane, before[1].number + 1
        else:
            play.lane = len(latest)
        latest.append((end, play))
    return dict(found)


def _spans(found: Mapping[str, Play]) -> Iterator[tuple[int, int, Play]]:
    for play in found.values():
        said = [line.metadata for line in play.lines]
        yield (
            min(one.request_start_ns for one in said),
            max(one.request_end_ns for one in said),
            play,
        )
