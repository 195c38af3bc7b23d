"""`agg_eval_all.json`: a row for each entry, concurrency and task that a public sweep evaluated."""

from dataclasses import dataclass

from pydantic import TypeAdapter

from infx.errors import InputError, Problem
from infx.interchange.benchmark_rows import indices
from infx.model.result_row import EvalRow
from infx.model.validation import checked
from infx.store.documents import parse_loose_json

FILE = "agg_eval_all.json"
EVAL_ROW = TypeAdapter(EvalRow)


@dataclass(frozen=True, slots=True)
class Located:
    """A row and the line of the file that it begins on."""

    row: EvalRow
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
        try:
            row = checked(document, value, EVAL_ROW, (index,))
        except InputError as error:
            problems += error.problems
        else:
            found.append(Located(row, document.at((index,)).line))
    if problems:
        raise InputError(*problems)
    return tuple(found)
