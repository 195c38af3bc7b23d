"""Which format a corpus has, told by its first row."""

from pathlib import Path

import orjson

from infx.errors import InputError, Problem
from infx.workloads.trace import FORMATS
from infx.workloads.trace.reading import rows

SIGNS = (
    ("weka", ("hash_id_scope", "block_size", "requests")),
    ("mooncake", ("input_length", "text_input", "payload", "output_length", "timestamp")),
    ("dag", ("turns",)),
    ("multi-turn", ("messages",)),
)
"""Format id and the fields of which one is enough; the first that fits."""


def detect(path: Path) -> str:
    """Return the format id of a corpus.

    Raises InputError where it cannot be read, has no row, or its first row is of no known format.
    """
    row = next(rows(path), None)
    if row is None:
        raise InputError(Problem("there is no row", str(path), "each row is one JSON object"))
    try:
        value = orjson.loads(row.text)
    except orjson.JSONDecodeError as error:
        remedy = "each row must be one JSON object"
        raise InputError(Problem(f"not JSON: {error}", row.where, remedy)) from None
    found = value if isinstance(value, dict) else {}
    for name, signs in SIGNS:
        if any(sign in found for sign in signs):
            return name
    what = f"no known trace format has the fields {', '.join(map(str, found)) or 'of this row'}"
    raise InputError(Problem(what, row.where, f"state one of {', '.join(FORMATS)}"))
