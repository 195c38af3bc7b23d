"""Which parts of a trace's recorded prompts are system, user and assistant messages.

A recording names a prompt's blocks, not its messages. A conversation begins with one system message
of the stated tool and system tokens, and a user message. Later prompts keep the messages that they
begin with; of what is new, as many blocks as the answer before needed are the assistant's message
and the rest is the user's. A list of messages always ends with the user's.

Messages belong to the trace, not to one conversation: whoever begins with blocks that an earlier
prompt of the trace had begins with its messages. So what an infinite cache would know by its
blocks, a server's cache knows by its text.
"""

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from infx.errors import InputError, Problem
from infx.model.trace import Call, Ref, Stream, Trace
from infx.workloads.trace.chains import common_prefix


@dataclass(slots=True, eq=False, repr=False)
class Node:
    """One message of one or more prompts: whole blocks, up to block `end` of the prompt.

    `below` are the messages that follow it in some prompt, by their first block. `user_above` says
    whether a user message comes before. `maker` is the call whose answer it is, where it is one,
    and `answer` what the last call said whose prompt ended here.
    """

    role: str
    ids: "array[int]"
    end: int
    parent: "Node | None"
    user_above: bool = False
    maker: Ref | None = None
    answer: int | None = None
    below: "dict[int, list[Node]]" = field(default_factory=dict)

    def path(self) -> "list[Node]":
        """Return the messages of a prompt that ends here, the first one first."""
        found: list[Node] = []
        node: Node | None = self
        while node is not None and node.parent is not None:
            found.append(node)
            node = node.parent
        found.reverse()
        return found

    @property
    def has_user(self) -> bool:
        """Whether a prompt that ends here has a user message."""
        return self.user_above or self.role == "user"


@dataclass(frozen=True, slots=True)
class Prompt:
    """The messages of one call: those up to `node`, its last block cut to `last` tokens.

    `tail` tokens without ids follow, in a message of their own where `apart`.
    """

    node: Node
    last: int
    tail: int
    apart: bool


def prompts(trace: Trace) -> dict[Ref, Prompt]:
    """Return the prompt of every call that has no literal content.

    Raises InputError where the tools and the system prompt of a conversation are longer than the
    ids of its first prompt say.
    """
    first = _Layout(trace, {})
    found = first.run()
    # A later prompt that only takes blocks away must end with the user's: known only at the end.
    return _Layout(trace, first.caps).run() if first.caps else found


def in_order(trace: Trace) -> Iterator[Ref]:
    """Yield the calls of a trace in the order of their recorded starts, then of the file."""
    order = sorted(
        (call.start_ns, call.outer, call.inner or 0, stream, index)
        for stream, one in enumerate(trace.streams)
        for index, call in enumerate(one.calls)
    )
    return (Ref(stream, index) for *_, stream, index in order)


class _Previous(NamedTuple):
    """The last prompt of a conversation: its blocks, its messages, and the tokens of its answer."""

    ids: "array[int]"
    node: Node
    answer: int


class _Match(NamedTuple):
    """How far a prompt is known: `depth` blocks, up to a message, or `cut` blocks into another."""

    depth: int
    node: Node
    into: Node | None = None
    cut: int = 0


class _Layout:
    """The messages of a trace while its calls pass by, in order of time.

    `given` says how many blocks the assistant's message before a call may have at most. `caps` are
    such limits, found while running: with them, every prompt ends with the user.
    """

    def __init__(self, trace: Trace, given: Mapping[Ref, int]) -> None:
        self.caps: dict[Ref, int] = {}
        self._given = given
        self._trace = trace
        self._wide = any(c.blocks.typecode == "Q" for s in trace.streams for c in s.calls)
        self._root = Node("", array("I"), 0, None)
        self._before: dict[int, _Previous] = {}

    def run(self) -> dict[Ref, Prompt]:
        found = {}
        for ref in in_order(self._trace):
            call = self._trace.call(ref)
            if call.content is None:
                found[ref] = self._prompt(ref, call)
        return found

    def _prompt(self, ref: Ref, call: Call) -> Prompt:
        size, tokens = self._trace.block_tokens, call.input_tokens or 0
        ids = call.blocks[: -(-tokens // size)]
        if self._wide and ids.typecode != "Q":
            ids = array("Q", ids)
        tail = max(0, tokens - size * len(ids))
        before = self._before.get(ref.stream)
        if before is None:
            match, answer = self._first(ref.stream, ids)
        else:
            match, answer = self._next(ids, before)
        node = match.node
        if match.into is not None:
            node = _below(node, match.into.role, match.into.ids[: match.cut], match.into.maker)
        new = len(ids) - match.depth
        spoken = -(-answer // size) if node.has_user else 0
        spoken = min(spoken, new, self._given.get(ref, new))
        if spoken == new and not tail and spoken:
            spoken -= 1
        if spoken:
            node = _below(node, "assistant", ids[match.depth : match.depth + spoken], ref)
        if new > spoken:
            node = _below(node, "user", ids[match.depth + spoken :], None)
        if not tail:
            node = self._ending_with_user(node)
        node.answer = call.output_tokens or 0
        self._before[ref.stream] = _Previous(ids, node, node.answer)
        last = min(size, tokens - size * (len(ids) - 1)) if ids else size
        return Prompt(node, last, tail, apart=new == spoken)

    def _first(self, number: int, ids: "array[int]") -> tuple[_Match, int]:
        """Find what is known of a conversation's first prompt, or begin it with its system."""
        stream = self._trace.streams[number]
        size = -(-(stream.tool_tokens + stream.system_tokens) // self._trace.block_tokens)
        self._require_system(stream, size)
        size = min(size, len(ids))
        match = _walk(self._root, ids, 0)
        if size:
            path = [*match.node.path(), *((match.into,) if match.into else ())]
            begun = path[0] if path else None
            if begun is None or match.depth < size or (begun.role, begun.end) != ("system", size):
                match = _Match(size, _below(self._root, "system", ids[:size], None))
        known = match.node.answer if match.into is None else None
        return match, known or 0

    def _next(self, ids: "array[int]", before: _Previous) -> tuple[_Match, int]:
        """Find what is known of a later prompt, and how long the answer before what is new was."""
        own = common_prefix(before.ids, ids)
        kept = before.node
        while kept.end > own and kept.parent is not None:
            kept = kept.parent
        match = _walk(kept, ids, kept.end)
        further = match.depth > own and match.into is None and match.node.answer is not None
        return match, (match.node.answer or 0) if further else before.answer

    def _require_system(self, stream: Stream, size: int) -> None:
        covered = len(stream.calls[0].blocks)
        if size > covered:
            what = (
                f"{self._trace.id}: {stream.id} states {stream.tool_tokens} tokens of tools and "
                f"{stream.system_tokens} of system prompt, which are {size} blocks, but its first "
                f"prompt has {covered} ids"
            )
            raise InputError(Problem(what, self._trace.where or None, "what they share is unknown"))

    def _ending_with_user(self, node: Node) -> Node:
        """Hand a prompt's last block to the user where another's message would be the last."""
        above = node.parent
        if node.role == "user" or above is None:
            return node
        if node.maker is not None:
            most = len(node.ids) - 1
            self.caps[node.maker] = min(most, self.caps.get(node.maker, most))
        if len(node.ids) > 1:
            above = _below(above, node.role, node.ids[:-1], node.maker)
        return _below(above, "user", node.ids[-1:], None)


def _below(node: Node, role: str, ids: "array[int]", maker: Ref | None) -> Node:
    """Return the message of these blocks that follows another, made where there is none yet."""
    siblings = node.below.setdefault(ids[0], [])
    for one in siblings:
        if one.role == role and one.ids == ids:
            return one
    made = Node(role, ids, node.end + len(ids), node, node.has_user, maker)
    siblings.append(made)
    return made


def _walk(node: Node, ids: "array[int]", depth: int) -> _Match:
    """Follow a prompt from its first `depth` blocks as far as any prompt before had it."""
    best = _Match(depth, node)
    open_ends = [(node, depth)]
    while open_ends:
        node, depth = open_ends.pop()
        for one in node.below.get(ids[depth], ()) if depth < len(ids) else ():
            part = ids[depth : depth + len(one.ids)]
            if part == one.ids:
                found = _Match(depth + len(part), one)
                open_ends.append((one, found.depth))
            else:
                cut = common_prefix(one.ids, part)
                found = _Match(depth + cut, node, one, cut)
            if (found.depth, found.into is None) > (best.depth, best.into is None):
                best = found
    return best
