"""Rows of a public artifact: a JSON list whose objects are read one by one, each with its line."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import JsonValue

from infx.errors import InputError, Problem
from infx.model.document import Document, Key
from infx.store.documents import parse_loose_json

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Located(Generic[Row]):
    """A row and the line of the file that it begins on."""

    row: Row
    line: int


def read_rows(
    data: bytes, file: str, read: Callable[[Document, JsonValue, tuple[Key, ...]], Row]
) -> tuple[Located[Row], ...]:
    """Return every row of an artifact that is at hand; `file` names it, `read` checks one row.

    Raises InputError with every problem of every row at its line.
    """
    document = parse_loose_json(data, file)
    if not isinstance(document.value, list):
        what = "the file holds no list of rows"
        raise InputError(Problem(what, document.file, "give the artifact as it was uploaded"))
    problems: list[Problem] = []
    found: list[Located[Row]] = []
    for index, value in enumerate(document.value):
        try:
            row = read(document, value, (index,))
        except InputError as error:
            problems += error.problems
        else:
            found.append(Located(row, document.at((index,)).line))
    if problems:
        raise InputError(*problems)
    return tuple(found)
