"""The `agentic` scenario: recorded sessions become session trees with prompts.

A prompt has the recorded length, and the blocks that its recording shares with others it shares as
text. Turns are due as they were recorded: after the end of the one before, or of the one that
started their conversation; joins and what else had to happen before hold them back.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

from infx.errors import InputError, Problem
from infx.model.agentic import AgenticWorkload
from infx.model.replay import Tree, TreeStream, TreeTurn
from infx.model.trace import ANSWER, Content, Ref, Trace
from infx.model.workload import MARKER, Message, Turn
from infx.workloads.blocks import TextSource
from infx.workloads.bodies import sent, unsent
from infx.workloads.messages import Node, prompts
from infx.workloads.seats import Outline, outline

CHUNK = 32
"""Blocks of one part of a message; messages that begin alike share their parts."""


@dataclass(frozen=True, slots=True)
class Template:
    """Tokens that a server adds to the text of a prompt, by its own counts.

    `prompt` to a lone message, `system` to one with a system message before it, which may stand in
    the place of the server's own; `pair` for each further answer with the message after it, and
    `marker` for the text of a play's own.
    """

    prompt: int = 0
    system: int = 0
    pair: int = 0
    marker: int = 0

    def around(self, messages: Sequence[Message]) -> int:
        """Return the tokens around the text of these messages."""
        if messages[0].role == "system":
            return self.system + self.pair * (len(messages) - 2) // 2
        return self.prompt + self.pair * (len(messages) - 1) // 2


BARE = Template()


def trees(
    workload: AgenticWorkload,
    traces: Iterable[Trace],
    source: TextSource,
    *,
    outlines: list[Outline] | None = None,
    template: Template = BARE,
) -> Iterator[Tree]:
    """Yield the tree of each trace that fits into the largest context, one at a time.

    `outlines` gets the outline of each: what `seats` needs, and what is expected of its requests.
    Prompts are asked with the recorded length of text, and `template` beside it.
    Raises InputError where no trace fits, or one cannot be told as messages.
    """
    seen = kept = 0
    for trace in traces:
        seen += 1
        if workload.max_context is not None and trace.peak_context_tokens > workload.max_context:
            continue
        kept += 1
        if outlines is not None:
            outlines.append(replace(outline(trace), unsent=unsent(workload, trace)))
        yield tree(workload, trace, source, template)
    if not kept:
        what = f"none of {seen} traces fits into {workload.max_context} tokens of context"
        raise InputError(Problem(what if seen else "the corpus holds no trace", "--workload"))


def tree(
    workload: AgenticWorkload, trace: Trace, source: TextSource, template: Template = BARE
) -> Tree:
    """Return the tree of one trace."""
    marker = template.marker if workload.cache_bust else 0
    voice = _Voice(workload, trace, source)
    links = _links(trace)
    streams = []
    for number, stream in enumerate(trace.streams):
        turns = []
        for call, messages in zip(stream.calls, voice.stream(number), strict=True):
            link = next(links)
            asked = call.asked_output or workload.default_output
            size = call.input_tokens if call.content is None else None
            if size is not None:
                size += template.around(messages) + marker
            fields = sent(workload, call.content.extra) if call.content is not None else {}
            turn = Turn(messages, asked, size, link.delay_ns, fields)
            turns.append(TreeTurn(turn, link.base, link.holds, link.overlaps))
        streams.append(TreeStream(stream.id, stream.parent, tuple(turns)))
    return Tree(trace.id, tuple(streams))


class _Link(NamedTuple):
    """What a turn follows, how long after it, and what else it waits for, as turns of the tree.

    The delay of a turn that `overlaps` counts from the sending of what it follows.
    """

    base: int | None
    delay_ns: int
    holds: tuple[int, ...]
    overlaps: bool


def _links(trace: Trace) -> Iterator[_Link]:
    """Yield the link of every call, in the order of the tree's turns."""
    firsts = _firsts(trace)

    def number(ref: Ref) -> int:
        return firsts[ref.stream] + ref.call

    waits: dict[int, set[int]] = defaultdict(set)
    for index, stream in enumerate(trace.streams):
        if stream.join is not None:
            waits[number(stream.join)].add(firsts[index + 1] - 1)
        for own, refs in enumerate(stream.after, firsts[index]):
            waits[own].update(map(number, refs))
    branches = {index: branch for branch in trace.branches() for index in branch.streams}
    for index, stream in enumerate(trace.streams):
        base, delay_ns, overlaps = None, 0, False
        if stream.spawn is not None:
            branch = branches[index]
            base, overlaps = number(stream.spawn), branch.overlap
            start = trace.call(stream.spawn).start_ns if overlaps else branch.start_ns
            delay_ns = max(0, stream.calls[0].start_ns - start)
        for place, call in enumerate(stream.calls):
            own = firsts[index] + place
            if place:
                base, overlaps = own - 1, False
                delay_ns = max(0, call.start_ns - stream.calls[place - 1].end_ns)
            yield _Link(base, delay_ns, tuple(sorted(waits[own] - {base})), overlaps)


def _firsts(trace: Trace) -> list[int]:
    """Return the number of each stream's first turn in the tree, and how many turns there are."""
    return [0, *accumulate(len(stream.calls) for stream in trace.streams)]


class _Voice:
    """The messages of one trace. Equal blocks of equal messages are one string."""

    def __init__(self, workload: AgenticWorkload, trace: Trace, source: TextSource) -> None:
        self._workload = workload
        self._trace = trace
        self._source = source
        self._scope = "" if trace.shared_blocks else trace.id
        self._size = trace.block_tokens
        self._prompts = prompts(trace)
        self._firsts = _firsts(trace)
        self._messages: dict[Node, Message] = {}
        self._chunks: dict[tuple[bytes, int, bool], str] = {}
        self._answers: dict[Ref, Message] = {}
        self._asked: dict[Ref, tuple[Message, ...]] = {}

    def stream(self, number: int) -> Iterator[tuple[Message, ...]]:
        """Yield the messages of each call of a stream; those of its parent were asked before."""
        stream = self._trace.streams[number]
        said: tuple[Message, ...] = ()
        if stream.inherits and stream.spawn is not None:
            said = self._asked[stream.spawn]
        before = stream.spawn
        for index, call in enumerate(stream.calls):
            ref = Ref(number, index)
            if call.content is None:
                said = tuple(self._synthetic(ref))
            else:
                said = self._literal(said, call.content, before)
            self._asked[ref] = said
            yield said
            before = ref

    def _literal(
        self, said: tuple[Message, ...], content: Content, before: Ref | None
    ) -> tuple[Message, ...]:
        """Return a recorded prompt; `before` is the call whose answer it may have a place for."""
        own = tuple(
            self._answer(before) if one is ANSWER and before is not None else one
            for one in content.messages
        )
        if content.whole:
            said = ()
        if any(message.role == "user" for message in said):
            return (*said, *own)
        first = next((n for n, one in enumerate(own) if one.role == "user"), None)
        return (
            *said,
            *(
                replace(one, parts=self._marked(one.parts)) if n == first else one
                for n, one in enumerate(own)
            ),
        )

    def _answer(self, ref: Ref) -> Message:
        """Return what stands in for an answer that only the server knows: as many tokens."""
        if ref not in self._answers:
            asked = self._trace.call(ref).asked_output or self._workload.default_output
            text = self._loose(ref, "answer", asked)
            turn = self._firsts[ref.stream] + ref.call
            self._answers[ref] = Message("assistant", (text.removeprefix(" "),), answers=turn)
        return self._answers[ref]

    def _synthetic(self, ref: Ref) -> Iterator[Message]:
        prompt = self._prompts[ref]
        path = prompt.node.path()
        tail = self._loose(ref, "tail", prompt.tail) if prompt.tail else ""
        alone = prompt.apart or not path
        if prompt.last == self._size and (alone or not tail):
            yield from map(self._whole, path)
        else:
            yield from map(self._whole, path[:-1])
            *parts, end = self._parts(path[-1], prompt.last)
            yield Message(path[-1].role, (*parts, end + tail))
        if (tail and alone) or not path:
            own = (tail.removeprefix(" "),)
            begun = bool(path) and prompt.node.has_user
            yield Message("user", own if begun else self._marked(own))

    def _whole(self, node: Node) -> Message:
        known = self._messages.get(node)
        if known is None:
            known = self._messages[node] = Message(node.role, self._parts(node, self._size))
        return known

    def _parts(self, node: Node, last: int) -> tuple[str, ...]:
        """Return the text of a message; of its last block only the first `last` tokens."""
        ids, size = node.ids, self._size
        parts = tuple(
            self._chunk(ids[at : at + CHUNK], last if at + CHUNK >= len(ids) else size, not at)
            for at in range(0, len(ids), CHUNK)
        )
        return self._marked(parts) if node.role == "user" and not node.user_above else parts

    def _chunk(self, ids: "array[int]", last: int, opens: bool) -> str:
        key = (ids.tobytes(), last, opens)
        known = self._chunks.get(key)
        if known is None:
            known = self._source.blocks(self._scope, ids, size=self._size, last=last)
            # Servers trim messages or do not; without a space first both count the same.
            known = self._chunks[key] = known.removeprefix(" ") if opens else known
        return known

    def _loose(self, ref: Ref, what: str, tokens: int) -> str:
        name = self._trace.streams[ref.stream].id
        return self._source.loose(f"{self._trace.id}:{name}:{ref.call}:{what}", tokens)

    def _marked(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        return (MARKER, *parts) if self._workload.cache_bust else parts
