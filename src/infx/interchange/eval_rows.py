"""`agg_eval_all.json`: a row for each entry, concurrency and task that a public sweep evaluated."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from infx.errors import InputError, Problem
from infx.interchange.benchmark_rows import indices
from infx.model.result_row import EvalRow
from infx.model.validation import checked
from infx.store.documents import read_loose_json

FILE = "agg_eval_all.json"
EVAL_ROW = TypeAdapter(EvalRow)


@dataclass(frozen=True, slots=True)
class Located:
    """A row and the line of the file that it begins on."""

    row: EvalRow
    line: int


def read(path: Path) -> tuple[Located, ...]:
    """Return every row; raises InputError with every problem of every row at its line."""
    document = read_loose_json(path)
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
