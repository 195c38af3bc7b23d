"""How much of its prompts a session could find in a cache that forgets nothing."""

from collections.abc import Iterable
from itertools import takewhile
from typing import NamedTuple

from infx.model.trace import Trace


class Hit(NamedTuple):
    """Of a prompt's blocks, in order, how many were known before any was new; and how many."""

    known: int
    blocks: int


def theoretical_hits(trace: Trace) -> tuple[tuple[Hit, ...], ...]:
    """Return the hit of each call of each stream, with one cache for the whole trace.

    Calls come in the order of their recorded starts over all streams, simultaneous ones in that of
    the file. A prompt's own blocks are known to all that start after it.
    """
    order = sorted(
        (call.start_ns, call.outer, call.inner or 0, stream, index)
        for stream, one in enumerate(trace.streams)
        for index, call in enumerate(one.calls)
    )
    found = [[Hit(0, 0)] * len(stream.calls) for stream in trace.streams]
    seen: set[int] = set()
    for *_, stream, index in order:
        blocks = trace.streams[stream].calls[index].blocks
        known = len(list(takewhile(seen.__contains__, blocks)))
        found[stream][index] = Hit(known, len(blocks))
        seen.update(blocks[known:])
    return tuple(map(tuple, found))


def hit_rate(hits: Iterable[Hit]) -> float | None:
    """Return the known blocks over all blocks; None where there are no blocks."""
    known = blocks = 0
    for hit in hits:
        known += hit.known
        blocks += hit.blocks
    return known / blocks if blocks else None
