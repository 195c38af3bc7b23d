"""Documents to values: every problem at its `file:line`, all of them together."""

from collections.abc import Iterator
from typing import TypeVar

from pydantic import JsonValue, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails, to_json

from infx.errors import InputError, Problem, nearest
from infx.model.document import Document, Key

T = TypeVar("T")
_UNKNOWN_KEY = ("extra_forbidden", "unexpected_keyword_argument")


def validate(document: Document, kind: type[T]) -> T:
    """Return the document's data as a `kind`: a pydantic model or anything pydantic can check.

    Strict: nothing is coerced, unknown keys are refused. Raises InputError with every problem at
    its `file:line`; unknown keys get the nearest known one.
    """
    return checked(document, document.value, TypeAdapter(kind))


def checked(
    document: Document, value: JsonValue, adapter: TypeAdapter[T], path: tuple[Key, ...] = ()
) -> T:
    """Return `value`, which stands at `path` of the document, as what the adapter checks.

    As `validate`, for one part of a document.
    """
    try:
        found: T = adapter.validator.validate_json(to_json(value), strict=True)
        return found
    except ValidationError as error:
        schema: JsonValue = adapter.json_schema()
        details = error.errors(include_url=False, include_context=False)
        problems = [
            _problem(document, detail, schema, path)
            for detail in details
            if not _is_echo(detail, details)
        ]
        raise InputError(*problems) from None


def _is_echo(detail: ErrorDetails, details: list[ErrorDetails]) -> bool:
    """Say whether a list is only too short because its items are wrong, which is told already."""
    length = len(detail["loc"])
    return detail["type"] == "too_short" and any(
        len(other["loc"]) > length and other["loc"][:length] == detail["loc"] for other in details
    )


def _problem(
    document: Document, detail: ErrorDetails, schema: JsonValue, base: tuple[Key, ...]
) -> Problem:
    path = base + _present(document, detail["loc"], base)
    name = ".".join(map(str, path)) or "the document"
    where = document.where(*path)
    if detail["type"] in _UNKNOWN_KEY:
        known = _known_keys(schema, path[len(base) : -1])
        advice = nearest(str(path[-1]), known) if known else "remove it"
        return Problem(f"{name}: unknown key", where, advice)
    if detail["type"] in ("missing", "missing_argument"):
        missing = str(detail["loc"][-1])
        owner = f"{name}: " if path else ""
        return Problem(f"{owner}the key {missing} is missing", where, f"add {missing}")
    message = detail["msg"].removeprefix("Value error, ").replace("Tuple", "List", 1)
    what = message[:1].lower() + message[1:]
    return Problem(f"{name}: {what}{_found(detail['input'])}", where)


def _present(document: Document, loc: tuple[Key, ...], base: tuple[Key, ...]) -> tuple[Key, ...]:
    """Return the part of pydantic's location that is a path below `base` in the document.

    Pydantic also names the union members and validators that it went through.
    """
    path: list[Key] = []
    for step in loc:
        if step in document.at((*base, *path)).parts:
            path.append(step)
    return tuple(path)


def _found(value: object) -> str:
    if isinstance(value, dict | list):
        return ""
    text = repr(value)
    return f", found {text if len(text) <= 60 else text[:57] + '...'}"


def _known_keys(schema: JsonValue, path: tuple[Key, ...]) -> list[str]:
    """Return the keys that a JSON Schema knows for the mapping at `path`."""
    level = list(_alternatives(schema, schema))
    for step in path:
        inner = [part for node in level for part in _steps(node, step)]
        level = [node for part in inner for node in _alternatives(part, schema)]
    keys: dict[str, None] = {}
    for node in level:
        properties = node.get("properties")
        keys.update(dict.fromkeys(properties if isinstance(properties, dict) else ()))
    return list(keys)


def _alternatives(node: JsonValue, root: JsonValue) -> Iterator[dict[str, JsonValue]]:
    """Yield what a schema node may be, with references and unions resolved."""
    if not isinstance(node, dict) or not isinstance(root, dict):
        return
    reference = node.get("$ref")
    if isinstance(reference, str):
        definitions = root.get("$defs")
        if isinstance(definitions, dict):
            yield from _alternatives(definitions.get(reference.rpartition("/")[2]), root)
        return
    union = node.get("anyOf") or node.get("oneOf")
    if isinstance(union, list):
        for member in union:
            yield from _alternatives(member, root)
        return
    yield node


def _steps(node: dict[str, JsonValue], step: Key) -> Iterator[JsonValue]:
    """Yield the schemas of the part `step` of a schema node."""
    if isinstance(step, int):
        prefix = node.get("prefixItems")
        if isinstance(prefix, list) and step < len(prefix):
            yield prefix[step]
        yield node.get("items")
        return
    properties = node.get("properties")
    if isinstance(properties, dict) and step in properties:
        yield properties[step]
    else:
        yield node.get("additionalProperties")
