"""A plan file, mapped read-only: what each turn asks, as bytes ready to send."""

import mmap
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType
from typing import cast

import orjson

from infx.errors import InputError, Problem
from infx.load.planner import (
    ANSWERS,
    FLAGS,
    KEPT,
    MAGIC,
    MARKER_REFERENCE,
    OVERLAPS,
    PHASES,
    SECTIONS,
    TURN,
)
from infx.model.asked import Api
from infx.model.record import Phase

_STREAM = 4
NO_ANSWERS: Mapping[int, bytes] = MappingProxyType({})
_CHUNK = 1 << 24


@dataclass(frozen=True, slots=True)
class PlannedTurn:
    """One request of the plan, without its prompt. A session is a stream of no tree."""

    session: int
    turn: int
    asked_output: int
    asked_input: int | None
    delay_ns: int


@dataclass(frozen=True, slots=True)
class PlannedEntry:
    """Where a lane begins in one stream, as `model.replay.Entry`; turns are numbers of the plan."""

    stream: int
    begin: int
    wait_ns: int | None
    primer: int | None
    age_ns: int


class Plan:
    """A mapped plan. Turns are numbered over all sessions; a session is a range of turns."""

    def __init__(self, data: memoryview) -> None:
        if sys.byteorder != "little":
            raise InputError(Problem("plans are little-endian", None, "run on such a host"))
        parts = _sections(data)
        self._data = data
        self.api = cast("Api", bytes(parts[0][len(MAGIC) : -1]).decode())
        self._fragments = parts[1]
        self._fragment_ends = parts[2].cast("Q")
        self._references = parts[3].cast("I")
        self._holds = parts[4].cast("I")
        self._turns = parts[5].cast("q")
        self._streams = parts[6].cast("q")
        self._trees = parts[7].cast("q")
        self._lanes = parts[8].cast("q")
        self._entries = parts[9].cast("q")
        self._names = parts[10]

    def sessions(self, phase: Phase) -> Sequence[int]:
        """Return the numbers of a phase's sessions, in plan order."""
        code = PHASES.index(phase)
        rows = range(0, len(self._streams), _STREAM)
        return [row // _STREAM for row in rows if self._streams[row + 1] == code]

    def phase_of(self, session: int) -> Phase:
        """Return the phase of a session."""
        return PHASES[self._streams[_STREAM * session + 1]]

    def turns_of(self, session: int) -> range:
        """Return the turn numbers of a session, or of a stream."""
        first = self._streams[_STREAM * (session - 1)] if session else 0
        return range(first, self._streams[_STREAM * session])

    def start_of(self, session: int) -> int | None:
        """Return when a session is due, in ns after its phase's start; None in a closed loop."""
        return _present(self._streams[_STREAM * session + 2])

    def turn(self, number: int) -> PlannedTurn:
        """Return what a turn asks, apart from its prompt."""
        row = self._turns[number * TURN : number * TURN + TURN]
        return PlannedTurn(row[1], row[2], row[3], _present(row[4]), row[5])

    def digest(self) -> str:
        """Return the sha256 of the plan as it is mapped now, in hex."""
        digest, mapped = sha256(), self._data.obj
        for start in range(0, len(self._data), _CHUNK):
            digest.update(self._data[start : start + _CHUNK])
            if isinstance(mapped, mmap.mmap):  # what was read only for this needs no memory
                mapped.madvise(mmap.MADV_DONTNEED, start, min(_CHUNK, len(mapped) - start))
        return digest.hexdigest()

    def prompt(
        self, number: int, marker: bytes = b"", answers: Mapping[int, bytes] = NO_ANSWERS
    ) -> list[memoryview]:
        """Return the JSON of a turn's prompt as the pieces it is joined from.

        `marker` is JSON text, without quotes, for the places that the plan keeps for it. `answers`
        are the messages that answered turns, as JSON, by turn.
        """
        own, fragments, ends = memoryview(marker), self._fragments, self._fragment_ends
        pieces = []
        references = iter(self._prompt_references(number))
        for reference in references:
            if reference < ANSWERS:
                # Written out, as this is done for every message of every prompt.
                pieces.append(fragments[ends[reference - 1] if reference else 0 : ends[reference]])
            elif reference == MARKER_REFERENCE:
                pieces.append(own)
            else:
                said, stand_in = answers.get(reference - ANSWERS), next(references)
                pieces.append(self._fragment(stand_in) if said is None else memoryview(said))
        return pieces

    def answers_in(self, number: int) -> Iterator[int]:
        """Yield the turns whose answers the prompt of a turn has a place for."""
        for reference in self._prompt_references(number):
            if ANSWERS <= reference != MARKER_REFERENCE:
                yield reference - ANSWERS

    def keeps(self, number: int) -> bool:
        """Return whether a later prompt has a place for the answer to a turn."""
        return bool(self._turns[number * TURN + FLAGS] & KEPT)

    @property
    def is_live(self) -> bool:
        """Whether any prompt has a place for the answer to an earlier turn."""
        return any(map(self.keeps, range(len(self._turns) // TURN)))

    def fields(self, number: int) -> list[memoryview]:
        """Return what the body of a turn has after its prompt, each piece with its comma first."""
        end = self._turns[number * TURN]
        count = self._turns[number * TURN + 9]
        return [self._fragment(one) for one in self._references[end - count : end]] if count else []

    def _prompt_references(self, number: int) -> memoryview:
        first = self._turns[(number - 1) * TURN] if number else 0
        last = self._turns[number * TURN] - self._turns[number * TURN + 9]
        return self._references[first:last]

    def _fragment(self, reference: int) -> memoryview:
        start = self._fragment_ends[reference - 1] if reference else 0
        return self._fragments[start : self._fragment_ends[reference]]

    # Trees

    @property
    def trees(self) -> int:
        """How many session trees there are."""
        return len(self._trees)

    @property
    def lanes(self) -> int:
        """How many lanes begin in the middle of a tree."""
        return len(self._lanes) // 2

    def streams_of(self, tree: int) -> range:
        """Return the stream numbers of a tree; its own conversation is the first."""
        return range(self._trees[tree - 1] if tree else 0, self._trees[tree])

    def parent_of(self, stream: int) -> int | None:
        """Return the stream that started a stream."""
        return _present(self._streams[_STREAM * stream + 3])

    def base_of(self, number: int) -> int | None:
        """Return the turn that a turn follows, None for the start of its tree."""
        return _present(self._turns[number * TURN + 6])

    def overlaps(self, number: int) -> bool:
        """Return whether a turn's delay counts from the sending of what it follows."""
        return bool(self._turns[number * TURN + FLAGS] & OVERLAPS)

    def holds_of(self, number: int) -> Sequence[int]:
        """Return the turns that a turn also waits for."""
        first = self._turns[(number - 1) * TURN + 7] if number else 0
        return self._holds[first : self._turns[number * TURN + 7]].tolist()

    def seat(self, lane: int) -> tuple[int, list[PlannedEntry]]:
        """Return the tree that a lane plays first, and where it begins in each of its streams."""
        first = self._lanes[2 * lane - 1] if lane else 0
        tree, end = self._lanes[2 * lane : 2 * lane + 2]
        rows = (self._entries[4 * n : 4 * n + 4] for n in range(first, end))
        return tree, [
            PlannedEntry(stream, row[0], _present(row[1]), _present(row[2]), row[3])
            for stream, row in zip(self.streams_of(tree), rows, strict=True)
        ]

    def names(self) -> list[tuple[str, list[str]]]:
        """Return the name of each tree, and those of its streams."""
        return [(tree, streams) for tree, streams in orjson.loads(self._names)]


def _present(number: int) -> int | None:
    return None if number < 0 else number


def _sections(data: memoryview) -> list[memoryview]:
    """Cut a plan into its sections; raise InputError for what is none, or not whole."""
    if bytes(data[: len(MAGIC)]) != MAGIC:
        raise InputError(Problem("not a plan of this version", None, "write it again"))
    tail = data[-8 * SECTIONS :]
    lengths = list(tail.cast("Q")) if len(tail) == 8 * SECTIONS else []
    ends = list(accumulate(length + -length % 8 for length in lengths))
    if not ends or len(data) % 8 or ends[-1] != len(data) - 8 * SECTIONS:
        raise InputError(Problem("the plan is cut off", None, "write it again"))
    starts = [0, *ends[:-1]]
    return [data[at : at + length] for at, length in zip(starts, lengths, strict=True)]


def open_plan(path: Path) -> Plan:
    """Map a plan file read-only; raise InputError when it is not a whole plan."""
    with path.open("rb") as file:
        return Plan(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))
