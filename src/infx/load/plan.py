"""A plan file, mapped read-only: what each turn asks, as bytes ready to send."""

import mmap
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from infx.errors import InputError, Problem
from infx.load.planner import MAGIC, PHASES
from infx.model.record import Phase
from infx.model.workload import Api

_TURN = 6


@dataclass(frozen=True, slots=True)
class PlannedTurn:
    """One request of the plan, without its prompt."""

    session: int
    turn: int
    asked_output: int
    asked_input: int | None
    delay_ns: int


class Plan:
    """A mapped plan. Turns are numbered over all sessions; a session is a range of turns."""

    def __init__(self, data: memoryview) -> None:
        if sys.byteorder != "little":
            raise InputError(Problem("plans are little-endian", None, "run on such a host"))
        line, position = _head(data)
        self.api = cast("Api", line[len(MAGIC) :].decode())
        counts = data[position : position + 40].cast("Q")
        position += 40
        fragments, size, references, turns, sessions = counts

        def section(length: int) -> memoryview:
            nonlocal position
            part = data[position : position + length]
            if len(part) != length:
                raise InputError(Problem("the plan is cut off", None, "write it again"))
            position += length + -length % 8
            return part

        self._fragment_ends = section(fragments * 8).cast("Q")
        self._fragments = section(size)
        self._references = section(references * 4).cast("I")
        self._turns = section(turns * _TURN * 8).cast("q")
        self._sessions = section(sessions * 24).cast("q")

    def sessions(self, phase: Phase) -> Sequence[int]:
        """Return the numbers of a phase's sessions, in plan order."""
        code = PHASES.index(phase)
        count = len(self._sessions) // 3
        return [number for number in range(count) if self._sessions[3 * number + 1] == code]

    def phase_of(self, session: int) -> Phase:
        """Return the phase of a session."""
        return PHASES[self._sessions[3 * session + 1]]

    def turns_of(self, session: int) -> range:
        """Return the turn numbers of a session."""
        first = self._sessions[3 * session - 3] if session else 0
        return range(first, self._sessions[3 * session])

    def start_of(self, session: int) -> int | None:
        """Return when a session is due, in ns after its phase's start; None in a closed loop."""
        start = self._sessions[3 * session + 2]
        return None if start < 0 else start

    def turn(self, number: int) -> PlannedTurn:
        """Return what a turn asks, apart from its prompt."""
        row = self._turns[number * _TURN : number * _TURN + _TURN]
        asked_input = None if row[4] < 0 else row[4]
        return PlannedTurn(row[1], row[2], row[3], asked_input, row[5])

    def prompt(self, number: int) -> list[memoryview]:
        """Return the JSON of a turn's prompt as the pieces it is joined from."""
        first = self._turns[(number - 1) * _TURN] if number else 0
        pieces = []
        for reference in self._references[first : self._turns[number * _TURN]]:
            start = self._fragment_ends[reference - 1] if reference else 0
            pieces.append(self._fragments[start : self._fragment_ends[reference]])
        return pieces


def _head(data: memoryview) -> tuple[bytes, int]:
    start = bytes(data[:32])
    line, newline, _ = start.partition(b"\n")
    if not newline or not line.startswith(MAGIC):
        raise InputError(Problem("not a plan of this version", None, "write it again"))
    return line, len(line) + 1 + -(len(line) + 1) % 8


def open_plan(path: Path) -> Plan:
    """Map a plan file read-only; raise InputError when it is not a whole plan."""
    with path.open("rb") as file:
        return Plan(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))
