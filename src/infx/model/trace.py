"""A recorded session tree: what an agent and its subagents asked, when, and what waited for what.

A trace is one session. Its streams are conversations, each a sequence of calls; stream 0 is the
session's own. Prompts are named by blocks of tokens: equal ids are equal tokens inside one trace
and say nothing across traces. Times are nanoseconds after the start of the session.
"""

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from pydantic import JsonValue

from infx.model.workload import Message

Kind = Literal["main", "subagent", "agent", "worker", "aux"]
"""What a stream is: the session's own conversation, a recorded subagent, or, found in what is not
labelled, a lone agent, one of a parallel group, or a one-off call beside the others."""

ANSWER = Message("assistant", ("\0infx-answer",))
"""Stands in a recorded prompt for an answer that nobody recorded: that to the call before it, or,
in the first call of a stream that inherits, to the call that started the stream.

It is known by identity, not by its characters.
"""

NO_BLOCKS: "array[int]" = array("I")


class Ref(NamedTuple):
    """A call of a trace: the index of its stream, and its own index in it."""

    stream: int
    call: int


class Dropped(NamedTuple):
    """A recorded subagent that is not replayed, and why."""

    agent: str
    reason: str


@dataclass(frozen=True, slots=True)
class Content:
    """A literal prompt, for recordings that keep text.

    `messages` follow those of the stream's earlier calls, or are the `whole` prompt. `extra` are
    further fields of the request's body, such as its tools. `unsaid` names what else the recording
    has of it that no request of ours carries.
    """

    messages: tuple[Message, ...]
    whole: bool = False
    extra: Mapping[str, JsonValue] = field(default_factory=dict)
    unsaid: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One recorded request.

    `outer` and `inner` say where it stood in its file: the index of its row, and inside a
    subagent's row the index there. `duration_ns` is what the recorded server took, None where
    nobody noted it. `input_tokens` is None where only text is known, `output_tokens` where nothing
    limits the answer. `blocks` are the ids of the prompt's leading blocks; they may cover less than
    the prompt, or end inside the last block.
    """

    outer: int
    inner: int | None = None
    start_ns: int
    duration_ns: int | None = None
    model: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    blocks: "array[int]" = field(default_factory=lambda: NO_BLOCKS)
    ttft_ns: int | None = None
    streaming: bool = True
    stop: str = ""
    input_types: tuple[str, ...] = ()
    output_types: tuple[str, ...] = ()
    content: Content | None = None

    @property
    def end_ns(self) -> int:
        """When it had ended; a duration that is missing or below 0 counts as none."""
        return self.start_ns + max(self.duration_ns or 0, 0)

    @property
    def asked_output(self) -> int | None:
        """The token limit of the request: a recorded length of 0 cannot be asked for and is 1."""
        return None if self.output_tokens is None else max(1, self.output_tokens)

    @property
    def context_tokens(self) -> int:
        """What the request needs of the model's context, prompt and answer."""
        return (self.input_tokens or 0) + (self.asked_output or 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """One conversation.

    `parent` is the index of the stream that it belongs under. The call `spawn` starts it (see
    `Branch`), recorded at `spawned_ns`; the call `join` waits until all of it is done, and with no
    `join` it runs in the background. `after` holds for each call the calls of
    other streams that it waits for. `tool_tokens` and `system_tokens` are the sizes of what stands
    before the first user message. A stream that `inherits` begins with the messages of its parent
    up to `spawn`.
    """

    id: str
    kind: Kind
    calls: tuple[Call, ...]
    parent: int | None = None
    spawn: Ref | None = None
    spawned_ns: int = 0
    join: Ref | None = None
    after: tuple[tuple[Ref, ...], ...] = ()
    tool_tokens: int = 0
    system_tokens: int = 0
    inherits: bool = False

    @property
    def end_ns(self) -> int:
        """When its last answer had ended."""
        return max(call.end_ns for call in self.calls)


@dataclass(frozen=True, slots=True)
class Branch:
    """Streams that the same call starts, and that the same call waits for.

    In the recording they started at `start_ns` or later. Where that is before the end of `spawn`
    they `overlap` it: each starts at its distance from that call's start, once it is sent.
    Otherwise each starts at its distance from `start_ns`, once that call is done.
    """

    spawn: Ref
    join: Ref | None
    start_ns: int
    overlap: bool
    streams: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One recorded session; `where` names the file and line that it was read from.

    `arrival_ns` is when it began in the recording of its whole corpus, where that is known. Blocks
    of a corpus with `shared_blocks` are equal across its traces too.
    """

    id: str
    block_tokens: int
    streams: tuple[Stream, ...]
    dropped: tuple[Dropped, ...] = ()
    where: str = ""
    arrival_ns: int | None = None
    shared_blocks: bool = False

    @property
    def calls(self) -> int:
        """How many requests it has, over all streams."""
        return sum(len(stream.calls) for stream in self.streams)

    @property
    def end_ns(self) -> int:
        """When the last answer had ended."""
        return max(stream.end_ns for stream in self.streams)

    @property
    def peak_context_tokens(self) -> int:
        """The largest context that any of its requests needs."""
        return max(call.context_tokens for stream in self.streams for call in stream.calls)

    def call(self, ref: Ref) -> Call:
        """Return the call that a reference names."""
        return self.streams[ref.stream].calls[ref.call]

    def depth(self, stream: int) -> int:
        """Return how many streams stand above one: 0 for the session's own."""
        parent = self.streams[stream].parent
        return 0 if parent is None else 1 + self.depth(parent)

    def branches(self) -> tuple[Branch, ...]:
        """Return the streams below the first one, grouped by where they start and are awaited.

        Labelled subagents, with all that was found in them, and unlabelled streams do not share a
        branch: each counts its distances from its own earliest start.
        """
        groups: dict[tuple[Ref, Ref | None, bool], list[int]] = {}
        for index, stream in enumerate(self.streams):
            if stream.spawn is not None:
                labelled = stream.kind == "subagent" or stream.parent not in (None, 0)
                groups.setdefault((stream.spawn, stream.join, labelled), []).append(index)
        return tuple(
            self._branch(spawn, join, members) for (spawn, join, _), members in groups.items()
        )

    def _branch(self, spawn: Ref, join: Ref | None, members: list[int]) -> Branch:
        start_ns = min(self.streams[number].spawned_ns for number in members)
        return Branch(spawn, join, start_ns, start_ns < self.call(spawn).end_ns, tuple(members))


def block_ids(ids: Iterable[int]) -> "array[int]":
    """Pack block ids, 4 bytes each where all are below 2**32, else 8.

    Raises OverflowError for an id below 0 or of more than 64 bits, TypeError for what is no number.
    """
    values = ids if isinstance(ids, list) else list(ids)
    try:
        return array("I", values)
    except OverflowError:
        return array("Q", values)
