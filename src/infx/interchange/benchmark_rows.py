"""`agg_bmk.json`: the rows of all points of a public sweep, fixed sequences and agent sessions."""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import TypeAdapter

from infx.errors import InputError, Problem
from infx.model.agentx_row import AGENTX_ROW, MultiNodeRow, SingleNodeRow
from infx.model.document import Document
from infx.model.result_row import FixedRow
from infx.model.validation import checked
from infx.store.documents import parse_loose_json

FILE = "agg_bmk.json"
FIXED_ROW = TypeAdapter(FixedRow)
Row = FixedRow | SingleNodeRow | MultiNodeRow


@dataclass(frozen=True, slots=True)
class Located:
    """A row and the line of the file that it begins on."""

    row: Row
    line: int


def read(data: bytes, file: str) -> tuple[Located, ...]:
    """Return every row of an artifact that is at hand; `file` names it.

    Raises InputError with every problem of every row at its line.
    """
    document = parse_loose_json(data, file)
    problems: list[Problem] = []
    found: list[Located] = []
    for index in indices(document):
        value = document.value[index] if isinstance(document.value, list) else None
        agentic = isinstance(value, dict) and value.get("scenario_type") == "agentic-coding"
        try:
            if agentic:
                row: Row = checked(document, value, AGENTX_ROW, (index,))
            else:
                row = checked(document, value, FIXED_ROW, (index,))
        except InputError as error:
            problems += error.problems
        else:
            found.append(Located(row, document.at((index,)).line))
    if problems:
        raise InputError(*problems)
    return tuple(found)


def indices(document: Document) -> Iterator[int]:
    """Yield the place of each row of a list; raises InputError where the document is none."""
    if not isinstance(document.value, list):
        what = "the file holds no list of rows"
        raise InputError(Problem(what, document.file, "give the artifact as it was uploaded"))
    yield from range(len(document.value))
