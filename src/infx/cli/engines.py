"""`infx engines`: what an engine's command line and environment take."""

import os
import sys
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from infx.cli.streams import put
from infx.errors import InputError, Problem
from infx.model.engine_schema import EngineSchema, Flag, Variable

Form = Annotated[Literal["text", "json", "markdown"], Parameter(help="What stdout gets.")]
Rows = tuple[tuple[str, ...], ...]


def list_(*, format: Form = "text") -> int:
    """List the schemas that infx ships."""
    from infx.store.shipped import engine_schema, engine_schemas

    schemas = [engine_schema(engine, version) for engine, version in engine_schemas()]
    if format == "json":
        put(
            _json(
                [one.model_dump(mode="json", exclude={"flags", "environment"}) for one in schemas]
            )
        )
        return 0
    heads = ("engine", "version", "flags", "variables", "read from")
    rows = tuple(
        (one.engine, one.version, str(len(one.flags)), str(len(one.environment)), one.source.origin)
        for one in schemas
    )
    put(_table(heads, rows, format))
    return 0


def flags(
    engine: str,
    name: str = "*",
    /,
    *,
    environment: Annotated[
        bool, Parameter(help="List environment variables instead.", negative=())
    ] = False,
    format: Form = "text",
) -> int:
    """List the flags of an engine: what they take, and their defaults where known.

    Parameters
    ----------
    engine
        Name of an engine, with `@VERSION` for another version than the newest.
    name
        Only flags of this name, written without dashes; `*` is any text and `?` any character.
    """
    from infx.store.shipped import engine_schema

    asked, _, version = engine.partition("@")
    schema = engine_schema(asked, version or None)
    table: Mapping[str, Flag | Variable] = schema.environment if environment else schema.flags
    found = {key: one for key, one in table.items() if _is_named(key, one, name)}
    if not found:
        raise InputError(_no_name(schema, name, table))
    if format == "json":
        plain = {
            key: one.model_dump(mode="json", exclude_defaults=True) for key, one in found.items()
        }
        put(_json(plain))
        return 0
    heads = ("variable" if environment else "flag", "takes", "default", "words, other names, notes")
    put(_table(heads, tuple(_row(key, one) for key, one in found.items()), format))
    return 0


def extract(
    source: str,
    /,
    *,
    out: Annotated[Path | None, Parameter(help="File to write, instead of stdout.")] = None,
) -> int:
    """Read an engine's flags and environment variables from its wheel, and write them as a schema.

    Nothing of a wheel is installed or run.

    Parameters
    ----------
    source
        Path of a wheel of sglang or vllm; or an engine installed here: llamacpp, vllm.
    """
    from infx.flows.engine_schemas import extract as read
    from infx.recipes.schema_text import schema_text

    schema = read(source, python=sys.executable, environment=dict(os.environ))
    text = schema_text(schema)
    if out is None:
        put(text.rstrip("\n"))
        return 0
    try:
        out.write_text(text)
    except OSError as error:
        what = f"the schema cannot be written: {error.strerror}"
        raise InputError(Problem(what, str(out), "give another file with --out")) from error
    counts = f"{len(schema.flags)} flags, {len(schema.environment)} variables"
    print(f"{out}: {schema.engine} {schema.version}, {counts}", file=sys.stderr)
    return 0


def _is_named(key: str, one: Flag | Variable, pattern: str) -> bool:
    names = (key, *one.aliases) if isinstance(one, Flag) else (key,)
    return any(fnmatchcase(name, pattern) for name in names)


def _no_name(schema: EngineSchema, name: str, known: Iterable[str]) -> Problem:
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    remedy = f"did you mean {close[0]}?" if close else "leave the name out for all"
    return Problem(f"{schema.engine} {schema.version} has nothing named {name}", None, remedy)


def _row(key: str, one: Flag | Variable) -> tuple[str, ...]:
    notes = [", ".join(one.choices)] if one.choices else []
    if isinstance(one, Flag):
        shown = [name if name.startswith("-") else f"--{name}" for name in one.aliases]
        shown += [f"--no-{key}"] if one.negative else []
        notes += [f"also {', '.join(shown)}"] if shown else []
        notes += [f"refused: {one.refused}"] if one.refused else []
    notes += [f"deprecated: {one.deprecated}"] if one.deprecated else []
    name = f"--{key}" if isinstance(one, Flag) else key
    return name, _takes(one), one.default or "", "; ".join(notes)


def _takes(one: Flag | Variable) -> str:
    if isinstance(one, Variable) or one.nargs is None:
        return one.kind
    counts = {"?": "optional", "*": "any number", "+": "one or more"}
    return f"{one.kind}, {counts.get(str(one.nargs), one.nargs)}"


def _table(heads: tuple[str, ...], rows: Rows, format: Form) -> str:
    if format == "markdown":
        from infx.cli.grids import markdown_text

        lines = [heads, ("--",) * len(heads), *(tuple(map(markdown_text, row)) for row in rows)]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    lines = [
        tuple(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in (heads, *rows)
    ]
    return "\n".join("  ".join(line).rstrip() for line in lines)


def _json(value: object) -> str:
    import orjson

    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
