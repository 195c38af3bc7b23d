"""`agg_eval_all.json`: a row for each entry, concurrency and task that a public sweep evaluated."""

from pydantic import TypeAdapter

from infx.interchange.artifact_rows import Located, read_rows
from infx.model.result_row import EvalRow
from infx.model.validation import checked

FILE = "agg_eval_all.json"
EVAL_ROW = TypeAdapter(EvalRow)


def read(data: bytes, file: str) -> tuple[Located[EvalRow], ...]:
    """Return every row of an artifact that is at hand; raises InputError as `read_rows` does."""
    return read_rows(
        data, file, lambda document, value, path: checked(document, value, EVAL_ROW, path)
    )
