"""Places of a document as cites."""

import re

from pydantic import JsonValue

from infx.model.verdict import Cite

_PLACE = re.compile(r"(?:([0-9a-f]{12}):)?(.*?)(?::(\d+))?")


def cite(where: str, value: JsonValue | None = None, *, at: str | None = None) -> Cite:
    """Return `file:line` as a cite; the short commit that begins a file of a base is left out.

    >>> cite("0123456789ab:configs/a.yaml:7", 3)
    Cite(path='configs/a.yaml', line=7, value='3', at=None)
    """
    found = _PLACE.fullmatch(where)
    assert found is not None
    line = None if found[3] is None else int(found[3])
    return Cite(path=found[2], line=line, value=None if value is None else text(value), at=at)


def text(value: JsonValue) -> str:
    """Return a value as a recipe would write it."""
    import json

    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
