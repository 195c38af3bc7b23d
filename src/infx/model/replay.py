"""What a replay asks: session trees with prompts, and where in them each lane begins.

A tree is one play of a recorded session. Its streams are conversations; a turn waits for the turn
it follows, for its delay after that, and for the turns that hold it back. Times are nanoseconds.
"""

from dataclasses import dataclass

from infx.model.workload import Turn


@dataclass(frozen=True, slots=True)
class TreeTurn:
    """One request of a tree.

    `base` is the turn it follows: the one before it in its stream, or the one that started its
    stream; None is the start of the tree. It is due `turn.delay_ns` after the end of `base`, or
    after its sending where it `overlaps` it, but not before all turns in `holds` have ended. Turns
    are numbered over all streams of the tree, in their order.
    """

    turn: Turn
    base: int | None
    holds: tuple[int, ...] = ()
    overlaps: bool = False


@dataclass(frozen=True, slots=True)
class TreeStream:
    """One conversation of a tree; `parent` is the index of the stream that started it."""

    name: str
    parent: int | None
    turns: tuple[TreeTurn, ...]


@dataclass(frozen=True, slots=True)
class Tree:
    """One session with all its streams, the session's own first; `name` is the trace's id."""

    name: str
    streams: tuple[TreeStream, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a stream stands when its lane begins in the middle of a session.

    `begin` is the first turn that is still to be asked, as its index in the stream; where that is
    the number of turns the stream is over. It is due `wait_ns` after the lane's moment, unless it
    waits for a turn that is still to be asked itself (None). `primer` is the last turn before the
    moment, where the stream is live then; it happened `age_ns` before.
    """

    begin: int
    wait_ns: int | None
    primer: int | None = None
    age_ns: int = 0


@dataclass(frozen=True, slots=True)
class Seat:
    """What a lane plays first: a tree, and the entry of each of its streams."""

    tree: int
    entries: tuple[Entry, ...]
