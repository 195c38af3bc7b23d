"""Sessions and session trees become a plan: the one thing that shards and load hosts are sent.

A plan is a table of fragments (JSON text of parts of prompts, each encoded once) and tables that
name them. It depends on what is asked alone, so its digest is equal on every machine; neither
recipe, URL nor run enters it.

Layout, all integers little-endian, every section padded to 8 bytes: the line `infx-plan 3 API\\n`;
the fragments' bytes; then the tables fragment ends (u64), references of turns to fragments (u32),
holds of turns (u32), turns, streams, trees, lanes, entries, names (JSON); last eleven u64: the
length of each of these eleven sections in bytes, this one left out. References to 2**32 - 1 stand
for the marker of a play. Those to 2**31 + n stand for the message that answered turn n; the
reference after one is the message that stands in for it where there was no such answer. Rows are of
i64, with -1 for what is absent:

turns    end of its references, stream, index in the stream, asked output, asked input, delay ns,
         turn it follows, end of its holds, 1 where it overlaps the turn it follows plus 2 where a
         later prompt holds its answer, how many of its references are not of its prompt: the last
         ones, further fields of its body
streams  end of its turns, 0 for warmup and 1 for profiling, start ns, stream that started it
trees    end of its streams
lanes    tree, end of its entries
entries  first turn to ask, its wait ns, turn that primes it, age ns
"""

from array import array
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import TYPE_CHECKING

import orjson

from infx.model.asked import Api
from infx.model.record import Phase
from infx.model.workload import MARKER, Message, Session, Turn

if TYPE_CHECKING:  # independent requests have no trees
    from infx.model.replay import Entry, Seat, Tree

MAGIC = b"infx-plan 3 "
PHASES = (Phase.WARMUP, Phase.PROFILING)
MARKER_REFERENCE = 2**32 - 1
ANSWERS = 2**31
PIECE = 64 * 1024
"""Bytes of fragments that are yielded together: a session of one turn has few."""
SECTIONS = 11
"""Sections of a plan, from its first line to its names."""
TURN, FLAGS = 10, 8
"""Numbers of a row of the turns, and which of them holds the flags."""
OVERLAPS, KEPT = 1, 2
"""The flags of a turn."""


class _Tables:
    """The tables of a plan while they grow, and the new fragments that nobody took yet."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._known: dict[str, int] = {}
        self._frames: dict[str, int] = {}
        self._spelled: dict[str, int] = {}
        self._new: list[bytes] = []
        self.size = self._taken = 0
        self._ends = array("Q")
        self._references = array("I")
        self._holds = array("I")
        self._turns = array("q")
        self._streams = array("q")
        self._trees = array("q")
        self._lanes = array("q")
        self._entries = array("q")
        self._names: list[tuple[str, list[str]]] = []
        self._first_turn: int | None = None

    def taken(self) -> bytes:
        """Return the bytes of the fragments that were added since the last call."""
        new, self._new, self._taken = b"".join(self._new), [], self.size
        return new

    @property
    def waiting(self) -> int:
        """How many bytes of fragments were added since then."""
        return self.size - self._taken

    def session(self, session: Session) -> None:
        """Add a session, which is a stream of no tree."""
        number = len(self._streams) // 4
        if not session.turns:
            raise ValueError(f"session {number} has no turn")
        for index, turn in enumerate(session.turns):
            self._turn(turn, number, index, base=-1)
        start = -1 if session.start_ns is None else session.start_ns
        row = (len(self._turns) // TURN, PHASES.index(session.phase), start, -1)
        self._streams.extend(row)

    def tree(self, tree: "Tree") -> None:
        """Add a tree. Only its own prompts share fragments: no two traces have text in common."""
        first_stream, first_turn = len(self._streams) // 4, len(self._turns) // TURN
        self._first_turn = first_turn
        self._known.clear()
        self._spelled.clear()
        for number, stream in enumerate(tree.streams, first_stream):
            for index, one in enumerate(stream.turns):
                self._holds.extend(first_turn + hold for hold in one.holds)
                base = -1 if one.base is None else first_turn + one.base
                self._turn(one.turn, number, index, base=base, overlaps=one.overlaps)
            parent = -1 if stream.parent is None else first_stream + stream.parent
            row = (len(self._turns) // TURN, PHASES.index(Phase.PROFILING), -1, parent)
            self._streams.extend(row)
        self._trees.append(len(self._streams) // 4)
        self._names.append((tree.name, [stream.name for stream in tree.streams]))

    def seat(self, seat: "Seat") -> None:
        """Add what the next lane plays first."""
        stream = self._trees[seat.tree - 1] if seat.tree else 0
        for number, entry in enumerate(seat.entries, stream):
            first = self._streams[4 * number - 4] if number else 0
            self._entries.extend(_entry_row(entry, first))
        self._lanes.extend((seat.tree, len(self._entries) // 4))

    def rest(self, written: list[int]) -> Iterator[bytes]:
        """Yield all sections after the fragments, and the lengths; `written` has the first two."""
        sections = (
            self._ends, self._references, self._holds, self._turns, self._streams, self._trees,
            self._lanes, self._entries,
        )  # fmt: skip
        lengths = list(written)
        for data in (*(one.tobytes() for one in sections), orjson.dumps(self._names)):
            lengths.append(len(data))
            yield _padded(data)
        yield array("Q", lengths).tobytes()

    def _turn(
        self, turn: Turn, stream: int, index: int, *, base: int, overlaps: bool = False
    ) -> None:
        if not turn.messages or (self._api == "completions" and len(turn.messages) != 1):
            what = f"{len(turn.messages)} messages"
            raise ValueError(f"session {stream} turn {index}: {what}")
        self._refer(turn)
        fields = self._fields(turn)
        asked_input = -1 if turn.asked_input is None else turn.asked_input
        self._turns.extend(
            (
                len(self._references), stream, index, turn.asked_output, asked_input,
                turn.delay_ns, base, len(self._holds), int(overlaps), fields,
            )
        )  # fmt: skip

    def _refer(self, turn: Turn) -> None:
        chat = self._api == "chat"
        for position, message in enumerate(turn.messages):
            if message.answers is not None:
                self._answer(message, message.answers)
                continue
            role = orjson.dumps(message.role).decode()
            comma = "," if position else ""
            self._frame(f'{comma}{{"role":{role},"content":"' if chat else '"')
            for part in message.parts:
                if part is MARKER:
                    self._references.append(MARKER_REFERENCE)
                else:
                    self._text(part)
            if message.members:
                self._spell(f'",{message.members}}}')
            else:
                self._frame('"}' if chat else '"')

    def _answer(self, message: Message, turn: int) -> None:
        """Refer to the answer to an earlier turn of the tree, and to what stands in for it."""
        if self._first_turn is None:
            raise ValueError("only turns of a tree hold answers to others")
        number = self._first_turn + turn
        self._turns[number * TURN + FLAGS] |= KEPT
        self._frame(",")
        self._references.append(ANSWERS + number)
        said = {"role": message.role, "content": "".join(message.parts)}
        self._spell(orjson.dumps(said).decode())

    def _fields(self, turn: Turn) -> int:
        """Refer to the fields of a body that stand after its prompt; return how many there are."""
        if turn.fields:
            self._spell(f",{orjson.dumps(turn.fields).decode()[1:-1]}")
        return int(bool(turn.fields))

    def _spell(self, literal: str) -> None:
        """Refer to JSON text of a tree's own."""
        known = self._spelled.get(literal)
        if known is None:
            known = self._spelled[literal] = self._add(literal.encode())
        self._references.append(known)

    def _text(self, part: str) -> None:
        known = self._known.get(part)
        if known is None:
            known = self._known[part] = self._add(orjson.dumps(part)[1:-1])
        self._references.append(known)

    def _frame(self, literal: str) -> None:
        known = self._frames.get(literal)
        if known is None:
            known = self._frames[literal] = self._add(literal.encode())
        self._references.append(known)

    def _add(self, encoded: bytes) -> int:
        self._new.append(encoded)
        self.size += len(encoded)
        self._ends.append(self.size)
        return len(self._ends) - 1


def plan_chunks(
    *,
    api: Api,
    sessions: Iterable[Session] = (),
    trees: Iterable["Tree"] = (),
    seats: Iterable["Seat"] = (),
) -> Iterator[bytes]:
    """Yield the plan of these sessions, or of these trees and lanes, in their order.

    A tree's text is let go once it is yielded, so memory grows by tables alone. Raise ValueError
    where a session has no turn, or a completions turn other than one message.
    """
    tables = _Tables(api)
    head = MAGIC + api.encode() + b"\n"
    yield _padded(head)
    for session in sessions:
        tables.session(session)
        if tables.waiting >= PIECE:
            yield tables.taken()
    for tree in trees:
        tables.tree(tree)
        yield tables.taken()
    yield tables.taken() + bytes(-tables.size % 8)
    for seat in seats:
        tables.seat(seat)
    yield from tables.rest([len(head), tables.size])


def plan_bytes(sessions: Iterable[Session], *, api: Api) -> bytes:
    """Return the plan of these sessions as `plan_chunks` yields it."""
    return b"".join(plan_chunks(api=api, sessions=sessions))


def plan_digest(plan: bytes) -> str:
    """Return the sha256 of a plan, in hex."""
    return sha256(plan).hexdigest()


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 8)


def _entry_row(entry: "Entry", first: int) -> tuple[int, int, int, int]:
    primer = -1 if entry.primer is None else first + entry.primer
    wait = -1 if entry.wait_ns is None else entry.wait_ns
    return first + entry.begin, wait, primer, entry.age_ns
