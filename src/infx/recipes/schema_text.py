"""A schema of an engine as text: JSON with one flag or variable a line, so that it can be read
and compared line by line.
"""

import json
from collections.abc import Iterator, Mapping

from pydantic import BaseModel

from infx.model.engine_schema import EngineSchema


def schema_text(schema: EngineSchema) -> str:
    """Return the file of a schema; equal schemas give equal text."""
    tables: dict[str, Mapping[str, BaseModel]] = {
        "flags": schema.flags,
        "environment": schema.environment,
    }
    plain = schema.model_dump(mode="json", exclude=set(tables))
    lines = [f" {_json(name)}: {_json(value)}" for name, value in plain.items()]
    lines += ["\n".join(_table(name, table)) for name, table in tables.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _table(name: str, table: Mapping[str, BaseModel]) -> Iterator[str]:
    if not table:
        yield f" {_json(name)}: {{}}"
        return
    yield f" {_json(name)}: {{"
    rows = (
        f"  {_json(key)}: {_json(value.model_dump(mode='json', exclude_defaults=True))}"
        for key, value in table.items()
    )
    yield ",\n".join(rows)
    yield " }"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
