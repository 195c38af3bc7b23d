"""A recorded session becomes a trace: its streams, how they hang together, what waits for what."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from infx.model.trace import Call, Dropped, Ref, Stream, Trace
from infx.workloads.trace.chains import Agent, agents, in_time
from infx.workloads.trace.fields import Report
from infx.workloads.trace.linkage import Span, join, span, spawn
from infx.workloads.trace.order import waits
from infx.workloads.trace.recording import Recording, Subagent
from infx.workloads.trace.roles import roles

NOT_STARTED = "no request of the session comes before it"
EMPTY = "it asked nothing"


@dataclass(frozen=True, slots=True)
class _Declared:
    """The stated sizes of tools and system prompt, for streams that provably begin with them."""

    tool_tokens: int
    system_tokens: int
    block_tokens: int
    first: Call | None
    """The main agent's first call that has blocks."""

    def sizes(self, calls: Sequence[Call]) -> tuple[int, int]:
        """Return the sizes for another agent: a prompt that does not begin so has neither."""
        blocks = -(-(self.tool_tokens + self.system_tokens) // self.block_tokens)
        first = next((call for call in calls if call.blocks), None)
        if not blocks or first is None or self.first is None or len(first.blocks) < blocks:
            return 0, 0
        if first.blocks[:blocks] != self.first.blocks[:blocks]:
            return 0, 0
        return self.tool_tokens, self.system_tokens


def trace_of(
    recording: Recording, where: str, report: Report, *, detect_chains: bool = True
) -> Trace | None:
    """Return the trace of a session, or None where reported problems leave none.

    Reports a session without a request of its own, and two subagents of one name.
    """
    if not recording.calls:
        report("requests: no request of the session itself: nothing could start it", None)
        return None
    tell = agents if detect_chains else _one_agent
    main, *others = tell(recording.calls)
    streams = [_main(recording, main), *_unlabelled(recording, main, others)]
    scopes = [0] * len(streams)
    dropped = []
    names: set[str] = set()
    for subagent in recording.subagents:
        hung = _span(subagent)
        start = spawn(main.calls, hung) if hung else None
        if hung is None or start is None:
            dropped.append(Dropped(subagent.agent, NOT_STARTED if hung else EMPTY))
            continue
        if subagent.agent in names:
            report(f"requests[{subagent.outer}].agent_id: a second {subagent.agent!r}",
                   "agent ids are unique in a trace")  # fmt: skip
        names.add(subagent.agent)
        found = tell(subagent.calls)
        wait = join(main.calls, hung, start)
        scopes += [len(streams)] * len(found)
        anchors, index = (start, wait), len(streams)
        streams += _labelled(recording, subagent, found=found, anchors=anchors, index=index)
    ordered = waits([stream.calls for stream in streams], scopes)
    streams = [replace(stream, after=w) for stream, w in zip(streams, ordered, strict=True)]
    return Trace(
        id=recording.id,
        block_tokens=recording.block_tokens,
        streams=tuple(streams),
        dropped=tuple(dropped),
        where=where,
    )


def _one_agent(calls: Sequence[Call]) -> tuple[Agent, ...]:
    return (Agent(tuple(in_time(calls))),)


def _main(recording: Recording, main: Agent) -> Stream:
    return Stream(
        id=recording.id,
        kind="main",
        calls=main.calls,
        tool_tokens=recording.tool_tokens,
        system_tokens=recording.system_tokens,
    )


def _first(calls: Sequence[Call]) -> Call | None:
    return next((call for call in calls if call.blocks), None)


def _unlabelled(recording: Recording, main: Agent, others: Sequence[Agent]) -> list[Stream]:
    """Return the streams of agents that were found among the session's own calls.

    One that nothing comes before starts after the first call: it is load and is not dropped.
    """
    declared = _Declared(
        recording.tool_tokens, recording.system_tokens, recording.block_tokens, _first(main.turns)
    )
    found = []
    for agent, role in zip(others, roles(main, others), strict=True):
        first = agent.calls[0]
        end_ns = max(call.end_ns for call in agent.calls)
        hung = span(agent.calls, first.outer, start_ns=first.start_ns, end_ns=end_ns)
        start = spawn(main.calls, hung) or 0
        wait = join(main.calls, hung, start)
        tools, system = declared.sizes(agent.calls)
        found.append(
            Stream(
                id=f"{recording.id}::{role.marker}",
                kind=role.kind,
                calls=agent.calls,
                parent=0,
                spawn=Ref(0, start),
                spawned_ns=first.start_ns,
                join=None if wait is None else Ref(0, wait),
                tool_tokens=tools,
                system_tokens=system,
            )
        )
    return found


def _span(subagent: Subagent) -> Span | None:
    if not subagent.calls:
        return None
    return span(subagent.calls, subagent.outer, start_ns=subagent.start_ns, end_ns=subagent.end_ns)


def _labelled(
    recording: Recording,
    subagent: Subagent,
    *,
    found: Sequence[Agent],
    anchors: tuple[int, int | None],
    index: int,
) -> list[Stream]:
    """Return the streams of one subagent, the first of which gets `index` in the trace."""
    main, *others = found
    declared = _Declared(
        subagent.tool_tokens, subagent.system_tokens, recording.block_tokens, _first(main.turns)
    )
    start, wait = anchors
    base = Stream(
        id=f"{recording.id}::sa:{subagent.agent}",
        kind="subagent",
        calls=main.calls,
        parent=0,
        spawn=Ref(0, start),
        spawned_ns=subagent.start_ns,
        join=None if wait is None else Ref(0, wait),
        tool_tokens=subagent.tool_tokens,
        system_tokens=subagent.system_tokens,
    )
    streams = [base]
    for agent, role in zip(others, roles(main, others), strict=True):
        tools, system = declared.sizes(agent.calls)
        streams.append(
            replace(
                base,
                id=f"{base.id}:{role.marker}",
                kind=role.kind,
                calls=agent.calls,
                parent=index,
                tool_tokens=tools,
                system_tokens=system,
            )
        )
    return streams
