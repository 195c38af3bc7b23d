"""`agg_bmk.json`: the rows of all points of a public sweep, fixed sequences and agent sessions."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import orjson
from pydantic import JsonValue, TypeAdapter

from infx.errors import InputError, Problem
from infx.interchange import agentx_row, fixed_row
from infx.interchange.artifact_rows import Located, read_rows
from infx.interchange.outgoing import Outgoing
from infx.model.agentx_row import AGENTX_ROW, MultiNodeRow, SingleNodeRow
from infx.model.document import Document, Key
from infx.model.result_row import FixedRow
from infx.model.validation import checked
from infx.store.files import write_whole

FILE = "agg_bmk.json"
FIXED_ROW = TypeAdapter(FixedRow)
Row = FixedRow | SingleNodeRow | MultiNodeRow


def read(data: bytes, file: str) -> tuple[Located[Row], ...]:
    """Return every row of an artifact that is at hand; raises InputError as `read_rows` does."""
    return read_rows(data, file, _row)


def write(rows: Sequence[Row], folder: Path) -> Path:
    """Write the rows of a run as one artifact; raises MachineError when the machine refuses."""
    path = folder / FILE
    told = [row.model_dump(mode="json") for row in rows]
    write_whole(path, orjson.dumps(told, option=orjson.OPT_INDENT_2))
    return path


def rows_of(points: Iterable[Outgoing], facts: Mapping[str, JsonValue]) -> tuple[Row, ...]:
    """Return the row of each point, by what it asked.

    `facts` are keys of all rows that the bundle does not know. Raises InputError with every problem
    of every point.
    """
    problems: list[Problem] = []
    found: list[Row] = []
    for one in points:
        kind = fixed_row if one.point.workload.scenario == "fixed" else agentx_row
        try:
            found.append(kind.row_of(one, facts))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(*problems)
    return tuple(found)


def _row(document: Document, value: JsonValue, path: tuple[Key, ...]) -> Row:
    if isinstance(value, dict) and value.get("scenario_type") == "agentic-coding":
        return checked(document, value, AGENTX_ROW, path)
    return checked(document, value, FIXED_ROW, path)
