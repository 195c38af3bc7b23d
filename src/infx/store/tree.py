"""Events of a syntax to a located tree: the part that YAML and JSON share.

A syntax module yields events in document order and appends what is wrong to a list of problems;
the tree adds its own and keeps going wherever the rest of the file can still be judged.
"""

from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from pydantic import JsonValue

from infx.errors import InputError, Problem
from infx.model.document import Key, Place

MAX_DEPTH = 64
MAX_ALIASES = 1_000
MAX_VALUES = 1_000_000
"""Values after aliases are expanded: what a reader of the plain data may have to walk."""


class Kind(Enum):
    """What an event announces."""

    SCALAR = "scalar"
    MAPPING = "mapping"
    SEQUENCE = "sequence"
    END = "end"
    ALIAS = "alias"


class Event(NamedTuple):
    """One step through a document.

    `value` and `text` belong to scalars; `name` is the anchor that the value gets, or the anchor
    that an alias repeats; `merge` marks the plain key `<<`.
    """

    kind: Kind
    line: int
    value: JsonValue = None
    text: str | None = None
    name: str | None = None
    merge: bool = False


Located = tuple[JsonValue, Place]


class Tree:
    """Builds the located tree of one file from its events.

    `problems` gets what is wrong. With `last_wins`, repeated keys are no problem: the last one
    counts, and each is listed in `warnings`.
    """

    def __init__(
        self,
        file: str,
        events: Iterator[Event],
        problems: list[Problem],
        *,
        last_wins: bool = False,
    ) -> None:
        self.warnings: list[Problem] = []
        self._file = file
        self._events = events
        self._problems = problems
        self._last_wins = last_wins
        self._anchors: dict[str, tuple[Located, int]] = {}
        self._aliases = 0
        self._values = 0

    def build(self) -> Located:
        """Return the only value of the document.

        Raises InputError at once for what makes the rest unreadable: too deep, too large, or not
        of the syntax; what only makes it wrong is left in the list of problems.
        """
        try:
            first = next(self._events)
            located = self._located(first, first.line, 1)
        except StopIteration:
            raise InputError(*self._problems) from None
        for _ in self._events:
            pass
        return located

    def _stop(self, what: str, line: int, remedy: str) -> InputError:
        problem = Problem(what, f"{self._file}:{line}", remedy)
        return InputError(*self._problems, problem)

    def _report(self, what: str, line: int, remedy: str | None = None) -> None:
        self._problems.append(Problem(what, f"{self._file}:{line}", remedy))

    def _located(self, event: Event, line: int, depth: int) -> Located:
        """Return the value that begins with `event`; it stands on `line`."""
        kind = event.kind
        if kind is Kind.ALIAS:
            return self._alias(event, line)
        before = self._values
        self._count(1, event.line)
        if event.name is not None:
            self._anchors.pop(event.name, None)
        if kind is Kind.SCALAR:
            located: Located = (event.value, Place(line, event.text))
        elif depth > MAX_DEPTH:
            raise self._stop(
                f"values are nested deeper than {MAX_DEPTH} levels", event.line, "flatten the file"
            )
        elif kind is Kind.MAPPING:
            located = self._mapping(line, depth)
        else:
            located = self._sequence(line, depth)
        if event.name is not None:
            self._anchors[event.name] = (located, self._values - before)
        return located

    def _count(self, values: int, line: int) -> None:
        self._values += values
        if self._values > MAX_VALUES:
            raise self._stop(
                f"the file holds more than {MAX_VALUES} values once its aliases are expanded",
                line,
                "split the file",
            )

    def _alias(self, event: Event, line: int) -> Located:
        self._aliases += 1
        if self._aliases > MAX_ALIASES:
            raise self._stop(
                f"the file uses more than {MAX_ALIASES} aliases", event.line, "split the file"
            )
        if event.name not in self._anchors:
            self._report(
                f"*{event.name} names no anchor that is complete here",
                event.line,
                "write the anchor above its aliases",
            )
            return None, Place(line)
        (value, place), size = self._anchors[event.name]
        self._count(size, event.line)
        return value, Place(line, place.text, place.parts)

    def _sequence(self, line: int, depth: int) -> Located:
        items: list[JsonValue] = []
        parts: dict[Key, Place] = {}
        while (event := next(self._events)).kind is not Kind.END:
            value, parts[len(items)] = self._located(event, event.line, depth + 1)
            items.append(value)
        return items, Place(line, None, parts)

    def _mapping(self, line: int, depth: int) -> Located:
        members: dict[str, JsonValue] = {}
        parts: dict[Key, Place] = {}
        merged: list[Located] = []
        merge_line: int | None = None
        while (event := next(self._events)).kind is not Kind.END:
            key = self._key(event, depth)
            value, place = self._located(next(self._events), event.line, depth + 1)
            if event.merge:
                if merge_line is not None:
                    self._repeated("<<", merge_line, event.line)
                merge_line = event.line
                merged += self._sources(value, place, event.line)
            elif key is not None:
                if key in parts:
                    self._repeated(key, parts[key].line, event.line)
                members[key] = value
                parts[key] = place
        for value, place in merged:
            for name, member in value.items() if isinstance(value, dict) else ():
                if name not in members:
                    members[name] = member
                    parts[name] = place.parts[name]
        return members, Place(line, None, parts)

    def _repeated(self, key: str, first: int, line: int) -> None:
        what = f"the key {key} stands here and on line {first}"
        if self._last_wins and key != "<<":
            where = f"{self._file}:{line}"
            self.warnings.append(Problem(what, where, f"line {first} has no effect: remove it"))
        else:
            self._report(what, line, "keep one of the two")

    def _key(self, event: Event, depth: int) -> str | None:
        """Return a key as it was written, or None for a key that no mapping of ours can have."""
        value, place = self._located(event, event.line, depth + 1)
        if value is not None and place.text is not None:
            return place.text
        self._report("a key is neither a word nor a number", event.line, "write a plain key")
        return None

    def _sources(self, value: JsonValue, place: Place, line: int) -> list[Located]:
        """Return the mappings that a merge key names, the strongest first."""
        if isinstance(value, dict):
            return [(value, place)]
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            return [(item, place.parts[index]) for index, item in enumerate(value)]
        self._report("<< takes a mapping or a list of mappings", line, "merge an anchored mapping")
        return []
