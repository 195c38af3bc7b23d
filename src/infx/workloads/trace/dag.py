"""DAG conversations: one a row, whose turns spawn and fork others.

A row has `session_id` and `turns`; a turn appends `messages` to the conversation, and the answer
that the server gave follows them. After its turn a `spawn` starts afresh, and the parent's next
turn, or the one at `join_at`, waits for it; a `fork` starts with all that was said so far, and the
parent ends there unless the fork is in the `background`. Rows that no other names are sessions.
Times are pauses: `delay`, in milliseconds.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from infx.errors import InputError, Problem, nearest
from infx.model.trace import ANSWER, Call, Content, Ref, Stream, Trace
from infx.workloads.trace.fields import NS_PER_MS, Fields, Report
from infx.workloads.trace.grouped import Index
from infx.workloads.trace.reading import Row, Tally, decoded, rows
from infx.workloads.trace.texts import extra, messages, unsaid

BLOCK_TOKENS = 64
"""Texts have no blocks; the number only has to be one."""
CONVERSATION = ("session_id", "turns")
TURN = ("messages", "model", "max_tokens", "tools", "extra", "delay", "forks", "spawns")


class Child(NamedTuple):
    """A conversation that starts after a turn, and the turn that waits for it, if any does."""

    session: str
    turn: int
    join: int | None
    inherits: bool


@dataclass(frozen=True, slots=True)
class Conversation:
    """What one row states; calls are timed from its own start."""

    session: str
    calls: tuple[Call, ...]
    children: tuple[Child, ...]

    @property
    def has_system(self) -> bool:
        """Whether its first turn begins with a system message."""
        content = self.calls[0].content
        return content is not None and any(m.role == "system" for m in content.messages)


def traces(path: Path, *, tally: Tally, skip_bad: bool = False) -> Iterator[Trace]:
    """Yield a trace for each conversation that no other starts, with all that it starts.

    Raises InputError with file and line of every bad row, of children that are missing or are
    started twice, and of conversations that start each other in a circle.
    """
    index = Index()
    where: dict[str, str] = {}
    parents: dict[str, str] = {}
    problems: list[Problem] = []
    read = decoded(rows(path), _placed, tally, skip_bad=skip_bad)
    children: dict[str, tuple[Child, ...]] = {}
    with_system: set[str] = set()
    for conversation, row in read:
        name = conversation.session
        if name in where:
            problems.append(Problem(f"session_id: a second conversation {name!r}", row.where))
            continue
        index.add(name, row)
        where[name], children[name] = row.where, conversation.children
        if conversation.has_system:
            with_system.add(name)
    problems += _problems(where, children, parents)
    problems += [
        Problem(f"{name!r}: a system message belongs to a session, not to what it starts", line)
        for name, line in where.items()
        if name in with_system and name in parents
    ]
    if problems:
        raise InputError(*problems)
    for name in where:
        if name not in parents:
            yield _trace(name, index, where[name])


def _problems(
    where: Mapping[str, str], children: Mapping[str, tuple[Child, ...]], parents: dict[str, str]
) -> Iterator[Problem]:
    """Find children that are missing or shared, and circles; fills in everyone's parent."""
    for name, started in children.items():
        for child in started:
            what = f"turns[{child.turn}]: "
            if child.session not in where:
                advice = nearest(child.session, where)
                yield Problem(f"{what}no conversation {child.session!r}", where[name], advice)
            elif child.session in parents:
                other = parents[child.session]
                what += f"{child.session!r} is started by {other!r} too"
                yield Problem(what, where[name], "give each its own conversation")
            else:
                parents[child.session] = name
    for name in where:
        above, steps = parents.get(name), 0
        while above is not None and above != name and steps < len(where):
            above, steps = parents.get(above), steps + 1
        if above == name:
            yield Problem(f"{name!r} starts itself, by way of others", where[name])


def _placed(value: object, row: Row, report: Report) -> tuple[Conversation, Row]:
    return conversation(value, report), row


def conversation(value: object, report: Report) -> Conversation:
    """Return what one row states; everything that is wrong with it is reported."""
    fields = Fields(value, "", report)
    fields.closed(CONVERSATION)
    session = fields.text("session_id")
    listed = fields.listed("turns")
    if not listed and not fields.bad and isinstance(fields.get("turns"), list):
        fields.wrong("turns", "at least one turn")
    start_ns, calls, children = 0, [], []
    for index, entry in enumerate(listed):
        turn = Fields(entry, f"turns[{index}]", report)
        turn.closed(TURN)
        start_ns += turn.optional_ns("delay", NS_PER_MS, least=0) or 0
        said = messages(turn, "messages", report)
        if index and any(message.role == "system" for message in said):
            turn.say("a system message belongs to the first turn of a session")
        calls.append(
            Call(
                outer=index,
                start_ns=start_ns,
                model=turn.text("model") if turn.get("model") is not None else "",
                output_tokens=turn.optional_whole("max_tokens", least=1),
                content=Content(
                    (ANSWER, *said) if index else said,
                    extra=extra(turn),
                    unsaid=unsaid(turn, "messages"),
                ),
            )
        )
        children += _children(turn, index, len(listed), report)
    return Conversation(session, tuple(calls), tuple(children))


def _children(turn: Fields, index: int, turns: int, report: Report) -> list[Child]:
    found = []
    for place, entry in enumerate(turn.listed("forks", required=False)):
        name = turn.name(f"forks[{place}]")
        fork = Fields(entry if isinstance(entry, dict) else {"child": entry}, name, report)
        fork.closed(("child", "background"))
        background = fork.get("background") or False
        if not isinstance(background, bool):
            fork.wrong("background", "true or false")
        if not background and index + 1 < turns:
            fork.say("the parent ends here, but has more turns; say background: true")
        found.append(Child(fork.text("child"), index, None, inherits=True))
    following = index + 1 if index + 1 < turns else None
    for place, entry in enumerate(turn.listed("spawns", required=False)):
        name = turn.name(f"spawns[{place}]")
        spawn = Fields(entry if isinstance(entry, dict) else {"children": [entry]}, name, report)
        spawn.closed(("children", "join_at"))
        join = spawn.optional_whole("join_at", least=index + 1)
        if join is not None and join >= turns:
            spawn.wrong("join_at", f"a turn of this conversation, below {turns}")
        waiting = following if join is None else join
        found += [Child(child, index, waiting, inherits=False) for child in spawn.words("children")]
    return found


def _trace(root: str, index: Index, where: str) -> Trace:
    streams: list[Stream] = []
    _add(root, index, streams, above=None)
    return Trace(id=root, block_tokens=BLOCK_TOKENS, streams=tuple(streams), where=where)


def _add(
    name: str, index: Index, streams: list[Stream], above: tuple[int, Child, int] | None
) -> None:
    """Add a conversation and all below it; `above` is its parent, its link, and its start."""
    ((found, _),) = decoded(index.rows(name), _placed, Tally())
    number = len(streams)
    parent, child, start_ns = above if above is not None else (None, None, 0)
    first, *rest = (_later(call, start_ns) for call in found.calls)
    if child is not None and child.inherits and first.content is not None:
        said = (ANSWER, *first.content.messages)
        first = replace(first, content=replace(first.content, messages=said))
    calls = (first, *rest)
    spawn = join = None
    if parent is not None and child is not None:
        spawn = Ref(parent, child.turn)
        join = None if child.join is None else Ref(parent, child.join)
    streams.append(
        Stream(
            id=name,
            kind="main" if parent is None else "subagent",
            calls=calls,
            parent=parent,
            spawn=spawn,
            spawned_ns=start_ns,
            join=join,
            after=((),) * len(calls),
            inherits=child is not None and child.inherits,
        )
    )
    for below in found.children:
        _add(below.session, index, streams, (number, below, calls[below.turn].start_ns))


def _later(call: Call, by_ns: int) -> Call:
    return replace(call, start_ns=call.start_ns + by_ns)
