"""What a trace file states of one session, before its streams are told apart."""

from dataclasses import dataclass

from infx.model.trace import Call

SLACK_NS = 1_000
"""Times are written in decimals of a second: what differs by no more is simultaneous."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subagent:
    """A labelled subagent, its calls in the order of the file and in the session's time.

    `end_ns` is when it had ended: its stated duration after its start, else its last answer.
    """

    outer: int
    agent: str
    start_ns: int
    end_ns: int
    calls: tuple[Call, ...]
    tool_tokens: int = 0
    system_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One session: its own calls and its subagents, each in the order of the file."""

    id: str
    block_tokens: int
    calls: tuple[Call, ...]
    subagents: tuple[Subagent, ...] = ()
    tool_tokens: int = 0
    system_tokens: int = 0
