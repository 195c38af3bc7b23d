"""`agg_bmk.json`: the rows of all points of a public sweep, fixed sequences and agent sessions."""

from pydantic import JsonValue, TypeAdapter

from infx.interchange.artifact_rows import Located, read_rows
from infx.model.agentx_row import AGENTX_ROW, MultiNodeRow, SingleNodeRow
from infx.model.document import Document, Key
from infx.model.result_row import FixedRow
from infx.model.validation import checked

FILE = "agg_bmk.json"
FIXED_ROW = TypeAdapter(FixedRow)
Row = FixedRow | SingleNodeRow | MultiNodeRow


def read(data: bytes, file: str) -> tuple[Located[Row], ...]:
    """Return every row of an artifact that is at hand; raises InputError as `read_rows` does."""
    return read_rows(data, file, _row)


def _row(document: Document, value: JsonValue, path: tuple[Key, ...]) -> Row:
    if isinstance(value, dict) and value.get("scenario_type") == "agentic-coding":
        return checked(document, value, AGENTX_ROW, path)
    return checked(document, value, FIXED_ROW, path)
