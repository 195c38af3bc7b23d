"""Sessions become a plan: the one thing that shards and load hosts are sent.

A plan is a table of fragments (JSON text of parts of prompts, each encoded once) and a table of
turns that name their fragments. It depends on the sessions alone, so its digest is equal on every
machine; neither recipe, URL nor run enters it.

Layout, all integers little-endian: the line `infx-plan 1 API\\n`, five counts as u64 (fragments,
fragment bytes, fragment references, turns, sessions), then the sections in that order, each padded
to 8 bytes: fragment ends (u64), fragment bytes, references (u32), turns (6 x i64: end of its
references, session, index in the session, asked output, asked input or -1, delay in ns), sessions
(3 x i64: end of its turns, 0 for warmup and 1 for profiling, start in ns or -1).
"""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256

import orjson

from infx.model.record import Phase
from infx.model.workload import Api, Session, Turn

MAGIC = b"infx-plan 1 "
PHASES = (Phase.WARMUP, Phase.PROFILING)


@dataclass(slots=True)
class _Fragments:
    """The fragment table while it grows; what was seen before costs a look-up."""

    texts: dict[str, int] = field(default_factory=dict)
    frames: dict[str, int] = field(default_factory=dict)
    ends: "array[int]" = field(default_factory=lambda: array("Q"))
    data: bytearray = field(default_factory=bytearray)

    def text(self, part: str) -> int:
        """Return the fragment of a part of a JSON string, between its quotes."""
        known = self.texts.get(part)
        if known is None:
            known = self.texts[part] = self._add(orjson.dumps(part)[1:-1])
        return known

    def frame(self, literal: str) -> int:
        """Return the fragment of JSON syntax."""
        known = self.frames.get(literal)
        if known is None:
            known = self.frames[literal] = self._add(literal.encode())
        return known

    def _add(self, encoded: bytes) -> int:
        self.data += encoded
        self.ends.append(len(self.data))
        return len(self.ends) - 1


def _references(turn: Turn, api: Api, fragments: _Fragments) -> Iterable[int]:
    for position, message in enumerate(turn.messages):
        if api == "chat":
            role = orjson.dumps(message.role).decode()
            comma = "," if position else ""
            yield fragments.frame(f'{comma}{{"role":{role},"content":"')
        else:
            yield fragments.frame('"')
        for part in message.parts:
            yield fragments.text(part)
        yield fragments.frame('"}' if api == "chat" else '"')


def plan_bytes(sessions: Iterable[Session], *, api: Api) -> bytes:
    """Return the plan of these sessions, in their order.

    Raise ValueError where a session has no turn, or a completions turn other than one message.
    """
    fragments = _Fragments()
    references, turns, session_rows = array("I"), array("q"), array("q")
    for number, session in enumerate(sessions):
        if not session.turns:
            raise ValueError(f"session {number} has no turn")
        for index, turn in enumerate(session.turns):
            if not turn.messages or (api == "completions" and len(turn.messages) != 1):
                raise ValueError(f"session {number} turn {index}: {len(turn.messages)} messages")
            references.extend(_references(turn, api, fragments))
            asked_input = -1 if turn.asked_input is None else turn.asked_input
            row = (len(references), number, index, turn.asked_output, asked_input, turn.delay_ns)
            turns.extend(row)
        start_ns = -1 if session.start_ns is None else session.start_ns
        session_rows.extend((len(turns) // 6, PHASES.index(session.phase), start_ns))
    counts = (
        len(fragments.ends), len(fragments.data), len(references), len(turns) // 6,
        len(session_rows) // 3,
    )  # fmt: skip
    head = MAGIC + api.encode() + b"\n"
    sections = (
        head, array("Q", counts).tobytes(), fragments.ends.tobytes(), bytes(fragments.data),
        references.tobytes(), turns.tobytes(), session_rows.tobytes(),
    )  # fmt: skip
    return b"".join(section + bytes(-len(section) % 8) for section in sections)


def plan_digest(plan: bytes) -> str:
    """Return the sha256 of a plan, in hex."""
    return sha256(plan).hexdigest()
