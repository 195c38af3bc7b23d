"""Where a subagent's streams hang in their session: the call that starts them, the one that waits.

A subagent starts after the last call of the main agent before it, and the first call that begins
at or after its end waits for it. Without such a call it runs in the background; without a call
before it nothing can start it, and it is dropped.
"""

from collections.abc import Sequence
from typing import NamedTuple

from infx.model.trace import Call
from infx.workloads.trace.recording import SLACK_NS


class Span(NamedTuple):
    """What is to be hung in: the row of its file, its start, the start of its last call, its end.

    The end may be stated, and come before the last call even starts.
    """

    outer: int
    start_ns: int
    last_start_ns: int
    end_ns: int


def span(calls: Sequence[Call], outer: int, *, start_ns: int, end_ns: int) -> Span:
    """Return the span of calls, in any order, whose start and end are stated."""
    starts = [call.start_ns for call in calls]
    return Span(outer, min(start_ns, *starts), max(starts), end_ns)


def spawn(main: Sequence[Call], hung: Span) -> int | None:
    """Return the main agent's call that starts it: the last of the rows before its own."""
    found = (
        index
        for index, call in enumerate(main)
        if call.outer < hung.outer and call.start_ns <= hung.start_ns
    )
    return max(found, default=None)


def join(main: Sequence[Call], hung: Span, spawned: int) -> int | None:
    """Return the main agent's call that waits for it, the first of the rows after its own.

    The call comes after the one that started it and begins no earlier than any of its calls, so
    that nothing can wait for itself.
    """
    later = [
        (call.outer, index)
        for index, call in enumerate(main)
        if index > spawned
        and call.outer > hung.outer
        and call.start_ns + SLACK_NS >= hung.end_ns
        and call.start_ns >= hung.last_start_ns
    ]
    return min(later)[1] if later else None
