"""A document whose every value knows the line it stands on.

`store` reads files into documents; whoever judges their content can say `file:line` for any part.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from pydantic import JsonValue

from infx.errors import Problem

Key = str | int
"""A step from a value to one of its parts: a mapping's key, or a sequence's index from 0."""


class Place(NamedTuple):
    """Where one value stands, and where its parts stand.

    A member of a mapping stands on the line of its key; parts that an alias or a merge brought in
    stand where they were written. `text` is a scalar as the author wrote it, without quotes: what
    an environment variable gets, for which `017` is not 17. It is None for mappings and sequences.
    """

    line: int
    text: str | None = None
    parts: Mapping[Key, "Place"] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Document:
    """Plain data of one file, and the place of each value in it.

    Aliases of one anchor are the same object in `value`: read it, never change it.
    `warnings` are what the reader let pass and its user should see.
    """

    file: str
    value: JsonValue
    place: Place
    warnings: tuple[Problem, ...] = ()

    def at(self, path: Sequence[Key]) -> Place:
        """Return the place of the deepest part of `path` that the document has."""
        place = self.place
        for key in path:
            if key not in place.parts:
                break
            place = place.parts[key]
        return place

    def where(self, *path: Key) -> str:
        """Name `path` as `file:line`; a part that is missing is where its parent stands."""
        return f"{self.file}:{self.at(path).line}"

    def text(self, *path: Key) -> str | None:
        """Return a scalar as it was written, None for mappings, sequences and missing parts."""
        place = self.place
        for key in path:
            if key not in place.parts:
                return None
            place = place.parts[key]
        return place.text
