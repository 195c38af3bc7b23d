"""Where each lane begins: in the middle of a session, at a moment drawn for it."""

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from typing import NamedTuple

from infx.model.agentic import AgenticWorkload
from infx.model.replay import Entry, Seat
from infx.model.trace import Ref, Trace
from infx.workloads.trace.hits import theoretical_hits

PARTS = 1 << 64


class Expected(NamedTuple):
    """What a recording says of one of its requests.

    `outer` and `inner` are its place in the file, as in `model.trace.Call`. The lengths are None
    where nobody recorded them. An infinite cache of the session would know the first `known` of its
    `blocks` blocks.
    """

    outer: int
    inner: int | None
    input_tokens: int | None
    output_tokens: int | None
    known: int
    blocks: int


@dataclass(frozen=True, slots=True)
class Outline:
    """What is kept of a trace once its tree is made; members are by stream, then by turn.

    `starts` are the recorded moments, `spawns` the turns that started the streams. `unsent` are the
    fields of recorded requests that are not sent, and how many requests had them.
    """

    name: str
    streams: tuple[str, ...]
    block_tokens: int
    starts: "tuple[array[int], ...]"
    spawns: tuple[Ref | None, ...]
    expected: tuple[tuple[Expected, ...], ...]
    unsent: Mapping[str, int] = field(default_factory=dict)

    @property
    def span(self) -> tuple[int, int]:
        """When its first and its last request began."""
        return min(one[0] for one in self.starts), max(one[-1] for one in self.starts)


def outline(trace: Trace) -> Outline:
    """Return the outline of a trace."""
    streams = trace.streams
    expected = tuple(
        tuple(
            Expected(call.outer, call.inner, call.input_tokens, call.output_tokens, *hit)
            for call, hit in zip(stream.calls, hits, strict=True)
        )
        for stream, hits in zip(streams, theoretical_hits(trace), strict=True)
    )
    return Outline(
        trace.id,
        tuple(stream.id for stream in streams),
        trace.block_tokens,
        tuple(array("q", [call.start_ns for call in stream.calls]) for stream in streams),
        tuple(stream.spawn for stream in streams),
        expected,
    )


def seats(
    workload: AgenticWorkload, outlines: Sequence[Outline], concurrency: int
) -> Iterator[Seat]:
    """Yield where each lane begins. Lane l first plays tree l, counted around the trees.

    The outlines are read when the first seat is drawn, so they may be those of trees that a plan
    takes before. Raises ValueError where there are none.
    """
    if not outlines:
        raise ValueError("no lane can begin without a tree")
    for lane in range(concurrency):
        tree = lane % len(outlines)
        yield seat(workload, outlines[tree], tree=tree, lane=lane)


def seat(workload: AgenticWorkload, of: Outline, *, tree: int, lane: int) -> Seat:
    """Return where one lane begins in a tree: at a moment of its own, or with its first turn."""
    if workload.window is None:
        return Seat(tree, tuple(Entry(0, None if spawn else 0) for spawn in of.spawns))
    moment = moment_ns(workload, of, lane)
    begins = [bisect_left(starts, moment) for starts in of.starts]
    return Seat(
        tree,
        tuple(
            _entry(
                starts, begin, moment, started=spawn is None or begins[spawn.stream] > spawn.call
            )
            for starts, begin, spawn in zip(of.starts, begins, of.spawns, strict=True)
        ),
    )


def moment_ns(workload: AgenticWorkload, of: Outline, lane: int) -> int:
    """Return the moment of a session that a lane begins at, drawn from the workload's window.

    The window is a share of the time from the first to the last request; the draw depends on the
    seed, the trace and the lane.
    """
    assert workload.window is not None
    first, last = of.span
    low, high = (Fraction(repr(float(share))) for share in workload.window)
    key = sha256(f"{workload.seed}:{of.name}:{lane}".encode()).digest()[:8]
    share = low + (high - low) * Fraction(int.from_bytes(key, "big"), PARTS)
    return first + int(share * (last - first))


def _entry(starts: "array[int]", begin: int, moment: int, *, started: bool) -> Entry:
    """Return where a stream stands: all turns that began before the moment are past."""
    if begin == len(starts):
        return Entry(begin, None)
    wait = starts[begin] - moment
    if begin:
        return Entry(begin, wait, begin - 1, moment - starts[begin - 1])
    return Entry(0, wait if started else None)
