"""What the load client saw of each request.

These are dataclasses, because one exists per request; the journal holds them as JSON lines.
All moments are nanoseconds of the host's monotonic clock; an absent moment is None, never 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import cast

from infx.model.gaps import Gaps


class Phase(StrEnum):
    """The part of a point that a request belongs to; only profiling enters metrics."""

    WARMUP = "warmup"
    PROFILING = "profiling"


class EndState(StrEnum):
    """How a request ended. The sum of the six counts is the number issued, always."""

    OK = "ok"
    ERROR = "error"
    OVERFLOW = "overflow"
    CANCELLED_AT_END = "cancelled_at_end"
    CANCELLED_BY_PLAN = "cancelled_by_plan"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Issue:
    """A request at the moment it was handed to the kernel.

    `request` is unique within a point, and in order of issue within one process of the client.
    `due_ns` is when the plan wanted it sent. `asked_input` and `asked_output` are the planned token
    counts; the input is None where unknown. Where lanes play session trees, `session` is a stream
    of the plan and `play` counts the trees that the lane has played before; else it is 0.
    """

    request: int
    session: int
    turn: int
    lane: int
    phase: Phase
    due_ns: int
    sent_ns: int
    asked_input: int | None
    asked_output: int
    play: int = 0


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """One request from issue to end.

    `first_content_ns` is the read that delivered the first non-empty delta of any channel (text,
    reasoning, tool call); `first_output_ns` the first that is not reasoning. `gaps_ns` are the
    distances between successive content chunks, packed as `Gaps` whatever is given: first content
    plus all gaps is the last content.
    Token counts are the server's `usage`, None where it reported none. `first_chunk_tokens` is
    known only when usage comes with every chunk. `server` holds the timings that the server put
    into the stream, by its own names. `reason` is a word, `detail` the server's or system's text.
    `late_ns` bounds how late the client's own loop may have read the first content. `lane` is -1
    for a request that was due and never sent.
    """

    request: int
    session: int
    turn: int
    lane: int
    phase: Phase
    state: EndState
    due_ns: int
    sent_ns: int
    end_ns: int | None
    asked_input: int | None
    asked_output: int
    reason: str | None = None
    detail: str | None = None
    status: int | None = None
    first_byte_ns: int | None = None
    first_content_ns: int | None = None
    first_output_ns: int | None = None
    late_ns: int | None = None
    gaps_ns: Sequence[int] = ()
    finish: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None
    first_chunk_tokens: int | None = None
    text: str | None = None
    server: Mapping[str, float] | None = None
    play: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.gaps_ns, Gaps):
            object.__setattr__(self, "gaps_ns", Gaps(self.gaps_ns))

    @property
    def gaps(self) -> Gaps:
        """The distances between its chunks, with what is known of them all."""
        return cast("Gaps", self.gaps_ns)

    @property
    def last_content_ns(self) -> int | None:
        """The read that delivered the last non-empty delta; usage and `[DONE]` do not count."""
        return None if self.first_content_ns is None else self.first_content_ns + self.gaps.total

    @property
    def chunks(self) -> int:
        """How many content chunks arrived."""
        return 0 if self.first_content_ns is None else len(self.gaps_ns) + 1


@dataclass(frozen=True, slots=True)
class Slo:
    """Latency targets in seconds that a request must all meet to count as goodput."""

    ttft: float | None = None
    tpot: float | None = None
    e2el: float | None = None
