"""Strict YAML and JSON files to located documents, and documents to values.

Every problem names `file:line`, and all problems of a file are reported together.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import JsonValue, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails, to_json

from infx.errors import InputError, Problem, nearest
from infx.model.document import Document, Key
from infx.store.json_syntax import read as json_syntax
from infx.store.tree import Tree

MAX_BYTES = 16 * 1024 * 1024

T = TypeVar("T")
_Syntax = Callable[[str, Tree], None]
_UNKNOWN_KEY = ("extra_forbidden", "unexpected_keyword_argument")


def read_yaml(path: Path, *, last_wins: bool = False) -> Document:
    """Read one YAML 1.2 document; merge keys (`<<`) are resolved, mapping keys are text.

    Raises InputError with every problem: unreadable, over 16 MiB, not UTF-8, not YAML, repeated
    keys, unknown tags, non-finite numbers, too many aliases, too deep, too many values.
    With `last_wins` repeated keys are warnings of the document and the last one counts: some public
    recipes have them, and their own loader reads them so.
    """
    # Imported here: a run reads only JSON, and must not wait for a YAML parser at its start.
    from infx.store.yaml_syntax import read

    return _read(path, read, last_wins=last_wins)


def read_json(path: Path) -> Document:
    """Read one JSON value; raises InputError with every problem, by the rules of `read_yaml`."""
    return _read(path, json_syntax)


def _read(path: Path, syntax: _Syntax, *, last_wins: bool = False) -> Document:
    file = str(path)
    tree = Tree(file, last_wins=last_wins)
    syntax(_text(path), tree)
    value, place = tree.result()
    return Document(file, value, place, tuple(tree.warnings))


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(
            Problem(f"the file cannot be read: {error.strerror}", str(path), "check the path")
        ) from error
    if len(data) > MAX_BYTES:
        raise InputError(
            Problem(f"the file is larger than {MAX_BYTES} bytes", str(path), "split the file")
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            Problem("the text is not UTF-8", f"{path}:{line}", "save the file as UTF-8")
        ) from error


def validate(document: Document, kind: type[T]) -> T:
    """Return the document's data as a `kind`: a pydantic model or anything pydantic can check.

    Strict: nothing is coerced, unknown keys are refused. Raises InputError with every problem at
    its `file:line`; unknown keys get the nearest known one.
    """
    adapter = TypeAdapter(kind)
    try:
        return adapter.validate_json(to_json(document.value), strict=True)
    except ValidationError as error:
        schema: JsonValue = adapter.json_schema()
        details = error.errors(include_url=False, include_context=False)
        raise InputError(*(_problem(document, detail, schema) for detail in details)) from None


def _problem(document: Document, detail: ErrorDetails, schema: JsonValue) -> Problem:
    path = _present(document, detail["loc"])
    name = ".".join(map(str, path)) or "the document"
    where = document.where(*path)
    if detail["type"] in _UNKNOWN_KEY:
        known = _known_keys(schema, path[:-1])
        advice = nearest(str(path[-1]), known) if known else "remove it"
        return Problem(f"{name}: unknown key", where, advice)
    if detail["type"] in ("missing", "missing_argument"):
        missing = str(detail["loc"][-1])
        owner = f"{name}: " if path else ""
        return Problem(f"{owner}the key {missing} is missing", where, f"add {missing}")
    what = detail["msg"][:1].lower() + detail["msg"][1:]
    return Problem(f"{name}: {what}{_found(detail['input'])}", where)


def _present(document: Document, loc: tuple[Key, ...]) -> tuple[Key, ...]:
    """Return the part of pydantic's location that is a path in the document.

    Pydantic also names the union members and validators that it went through.
    """
    path: list[Key] = []
    for step in loc:
        if step in document.at(path).parts:
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
