"""How much of its prompts a session could find in a cache that forgets nothing."""

from collections.abc import Iterable
from itertools import takewhile
from typing import NamedTuple

from infx.model.trace import Ref, Trace


class Hit(NamedTuple):
    """Of a prompt's blocks, in order, how many were known before any was new; and how many."""

    known: int
    blocks: int


def theoretical_hits(
    trace: Trace, order: Iterable[Ref] | None = None
) -> tuple[tuple[Hit, ...], ...]:
    """Return the hit of each call of each stream, with one cache for the whole trace.

    Calls come in the given order, or in that of their recorded starts over all streams, with
    simultaneous ones in that of the file. A prompt's own blocks are known to all that come after
    it. Where an id also names all blocks before it, as a chained hash does, each is new exactly
    once: then the order moves hits from one call to another, and their sum is the same in any.
    """
    found = [[Hit(0, 0)] * len(stream.calls) for stream in trace.streams]
    seen: set[int] = set()
    for stream, index in recorded_order(trace) if order is None else order:
        blocks = trace.streams[stream].calls[index].blocks
        known = len(list(takewhile(seen.__contains__, blocks)))
        found[stream][index] = Hit(known, len(blocks))
        seen.update(blocks[known:])
    return tuple(map(tuple, found))


def recorded_order(trace: Trace) -> list[Ref]:
    """Return the calls of all streams in the order of their recorded starts."""
    rows = sorted(
        (call.start_ns, call.outer, call.inner or 0, stream, index)
        for stream, one in enumerate(trace.streams)
        for index, call in enumerate(one.calls)
    )
    return [Ref(stream, index) for *_, stream, index in rows]


def hit_rate(hits: Iterable[Hit]) -> float | None:
    """Return the known blocks over all blocks; None where there are no blocks."""
    known = blocks = 0
    for hit in hits:
        known += hit.known
        blocks += hit.blocks
    return known / blocks if blocks else None
