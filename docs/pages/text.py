"""Markdown of docstrings, types, fields and signatures."""

import dataclasses
import inspect
import types
import typing
from collections.abc import Callable, Iterable
from pathlib import Path

from pydantic import BaseModel
from pydantic.fields import FieldInfo

NOTE = "<!-- Written by docs/generate.py from the code: change the code, then run ./check --fix -->"
BOUNDS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}


def page(title: str, *blocks: str) -> str:
    """Return a page: the note that it is generated, its title, and its blocks."""
    return "\n\n".join((NOTE, f"# {title}", *blocks)) + "\n"


def doc(thing: object) -> str:
    """Return a docstring; raises ValueError where there is none, so that none is forgotten."""
    text = inspect.getdoc(thing)
    if not text:
        raise ValueError(f"{getattr(thing, '__name__', thing)} has no docstring")
    return text


def line(thing: object) -> str:
    """Return a docstring on one line, as a cell of a table needs it."""
    return " ".join(doc(thing).split())


def fence(text: str, language: str = "text") -> str:
    """Return a block of text that Markdown shows as it is."""
    return f"```{language}\n{text.rstrip()}\n```"


def examples_fenced(text: str) -> str:
    """Return a docstring whose interactive examples stand in a fence."""
    prose, mark, example = text.partition(">>> ")
    return f"{prose}{fence(mark + example, 'python')}" if mark else text


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table; cells must not hold line breaks."""
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *map(list, rows)]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def code(text: str) -> str:
    """Return inline code."""
    return f"`{text}`"


def type_name(kind: object) -> str:
    """Return a type as it is written in code, without module names."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is None or kind is types.NoneType:
        return "None"
    if kind is Ellipsis:
        return "..."
    if isinstance(kind, str):
        return kind
    if origin in (types.UnionType, typing.Union):
        return " | ".join(map(type_name, arguments))
    if origin is typing.Annotated:
        return type_name(arguments[0])
    if origin is typing.Literal:
        return " | ".join(map(repr, arguments))
    if arguments and isinstance(arguments[0], list):
        return f"Callable[[{', '.join(map(type_name, arguments[0]))}], {type_name(arguments[1])}]"
    if arguments:
        return f"{type_name(origin)}[{', '.join(map(type_name, arguments))}]"
    name: str = getattr(kind, "__name__", None) or str(kind)
    return name.rpartition(".")[2]


def fields(kind: type) -> str:
    """Return the fields of a pydantic model or a dataclass as a table."""
    rows = _model_rows(kind) if issubclass(kind, BaseModel) else _dataclass_rows(kind)
    return table(("field", "type", "default"), rows)


def _model_rows(kind: type[BaseModel]) -> Iterable[tuple[str, str, str]]:
    for name, info in kind.model_fields.items():
        default = info.default if info.default_factory is None else info.default_factory()  # type: ignore[call-arg]
        stated = "required" if info.is_required() else code(shown(default))
        yield code(name), code(type_name(info.annotation)) + _bounds(info), stated


def _dataclass_rows(kind: type) -> Iterable[tuple[str, str, str]]:
    hints = typing.get_type_hints(kind)
    for one in dataclasses.fields(kind):
        default = one.default
        if one.default_factory is not dataclasses.MISSING:
            default = one.default_factory()
        stated = "required" if default is dataclasses.MISSING else code(shown(default))
        yield code(one.name), code(type_name(hints[one.name])), stated


def _bounds(info: FieldInfo) -> str:
    found = [
        f"{sign} {getattr(mark, name)}"
        for mark in info.metadata
        for name, sign in BOUNDS.items()
        if getattr(mark, name, None) is not None
    ]
    return f", {' and '.join(found)}" if found else ""


def shown(value: object) -> str:
    """Return a value as it is written in code, without addresses or the host's form of paths."""
    if inspect.isroutine(value):
        return "..." if value.__name__ == "<lambda>" else value.__name__
    if isinstance(value, Path):
        return f"Path({value.as_posix()!r})"
    if isinstance(value, BaseModel):
        stated = {name: getattr(value, name) for name in sorted(value.model_fields_set)}
        inside = ", ".join(f"{name}={shown(part)}" for name, part in stated.items())
        return f"{type(value).__name__}({inside})"
    return repr(value)


def signature(function: Callable[..., object], *, name: str | None = None) -> str:
    """Return how a function is called, one parameter a line where there are several."""
    found = inspect.signature(function)
    parts: list[str] = []
    previous = None
    for parameter in found.parameters.values():
        if parameter.name == "self":
            continue
        if previous is parameter.POSITIONAL_ONLY and parameter.kind is not previous:
            parts.append("/")
        starred = (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        if parameter.kind is parameter.KEYWORD_ONLY and previous not in starred:
            parts.append("*")
        parts.append(_parameter(parameter))
        previous = parameter.kind
    if previous is inspect.Parameter.POSITIONAL_ONLY:
        parts.append("/")
    result = type_name(found.return_annotation)
    head = name or function.__name__
    line = f"{head}({', '.join(parts)}) -> {result}"
    if len(line) <= 90:
        return line
    inside = "".join(f"    {part},\n" for part in parts)
    return f"{head}(\n{inside}) -> {result}"


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    star = next((text for kind, text in stars.items() if kind is parameter.kind), "")
    text = f"{star}{parameter.name}: {type_name(parameter.annotation)}"
    if parameter.default is parameter.empty:
        return text
    return f"{text} = {shown(parameter.default)}"
