"""Which calls of other streams a call waits for, told by the recorded times.

In the recording, whatever had ended before a call started may have been its cause. So for each
other stream a call waits for the latest of its calls that had ended by then. What overlaps is not
ordered, nor is what starts at the same time; an end that is the other's start is before it.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from infx.model.trace import Call, Ref

Waits = tuple[tuple[Ref, ...], ...]
"""For each call of a stream the calls that it waits for."""


class _Ended:
    """The calls of a stream by when they had ended."""

    def __init__(self, calls: Sequence[Call]) -> None:
        by_end = sorted(range(len(calls)), key=lambda index: _end(calls[index]))
        self._ends = [_end(calls[index]) for index in by_end]
        self._latest = list(accumulate(by_end, max))

    def before(self, start_ns: int) -> int | None:
        """Return the last call, in the stream's order, that had ended by then."""
        count = bisect_right(self._ends, 2 * start_ns)
        return self._latest[count - 1] if count else None


def _end(call: Call) -> int:
    """Return twice the end, and one more where it is the start too: equal starts have no order."""
    return 2 * call.end_ns + (call.end_ns == call.start_ns)


def waits(streams: Sequence[Sequence[Call]], scopes: Sequence[int]) -> tuple[Waits, ...]:
    """Return what each call of each stream waits for, least that implies all.

    `scopes` gives each stream's scope, equal numbers for streams of one.

    What a call's own predecessor, or another call it waits for, waits for already is left out.
    Streams are in order of their starts.
    """
    ended = [_Ended(calls) for calls in streams]
    others = [
        [(other, ended[other]) for other in range(len(streams)) if _shared(scopes, stream, other)]
        for stream in range(len(streams))
    ]
    return tuple(
        tuple(_waits(streams, others[stream], Ref(stream, index)) for index in range(len(calls)))
        for stream, calls in enumerate(streams)
    )


def _shared(scopes: Sequence[int], stream: int, other: int) -> bool:
    return stream != other and scopes[stream] == scopes[other]


def _waits(
    streams: Sequence[Sequence[Call]], others: Sequence[tuple[int, _Ended]], waiting: Ref
) -> tuple[Ref, ...]:
    own, index = streams[waiting.stream], waiting.call
    start_ns = own[index].start_ns
    found = [
        Ref(stream, latest)
        for stream, calls in others
        if (latest := calls.before(start_ns)) is not None
    ]
    starts = [streams[ref.stream][ref.call].start_ns for ref in found]
    # Whatever had ended when the last of these started, that one waited for itself.
    implied = 2 * max([*starts, *(call.start_ns for call in own[max(index - 1, 0) : index])],
                      default=start_ns)  # fmt: skip
    return tuple(ref for ref in found if _end(streams[ref.stream][ref.call]) > implied)
