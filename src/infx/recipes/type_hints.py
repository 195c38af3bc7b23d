"""Type hints as source writes them, taken apart into what a parser decides by."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from infx.recipes.python_source import Scope, Unresolved, last
from infx.recipes.python_values import value

_UNIONS = ("Union", "Optional")
_CONTAINERS = {
    "list": "list", "List": "list", "set": "set", "Set": "set", "tuple": "tuple",
    "Tuple": "tuple", "dict": "dict", "Dict": "dict", "Mapping": "other",
}  # fmt: skip
_SCALARS = ("int", "float", "str", "bool")
_DATACLASSES = ("config", "dataclass")


@dataclass(frozen=True, slots=True)
class Hint:
    """One member of a union.

    `kind` is `int`, `float`, `str`, `bool`, `none`, `literal`, `list`, `set`, `tuple`, `dict`,
    `dataclass` or `other`; `words` are those of a literal, `parts` what a container holds.
    """

    kind: str
    words: tuple[object, ...] = ()
    parts: tuple[ast.expr, ...] = ()
    scope: Scope | None = None


def hints(annotation: ast.expr, scope: Scope) -> tuple[Hint, ...]:
    """Return the members of a type, aliases followed; what cannot be followed is `other`."""
    return tuple(_members(annotation, scope))


def _members(node: ast.expr, scope: Scope) -> Iterator[Hint]:
    match node:
        case ast.Constant(value=None):
            yield Hint("none")
        case ast.Constant(value=str() as text):
            yield from _members(ast.parse(text, mode="eval").body, scope)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield from _members(left, scope)
            yield from _members(right, scope)
        case ast.Subscript():
            yield from _subscript(node, scope)
        case ast.Name() | ast.Attribute():
            yield from _named(node, scope)
        case _:
            yield Hint("other")


def _subscript(node: ast.Subscript, scope: Scope) -> Iterator[Hint]:
    name = last(node.value)
    parts = tuple(node.slice.elts) if isinstance(node.slice, ast.Tuple) else (node.slice,)
    if name == "Literal":
        found = value(node, scope)
        yield Hint("literal", words=tuple(found) if isinstance(found, list) else ())
    elif name == "Annotated":
        yield from _members(parts[0], scope)
    elif name in _UNIONS:
        for part in parts:
            yield from _members(part, scope)
        if name == "Optional":
            yield Hint("none")
    else:
        yield Hint(_CONTAINERS.get(name or "", "other"), parts=parts, scope=scope)


def _named(node: ast.Name | ast.Attribute, scope: Scope) -> Iterator[Hint]:
    name = last(node) or ""
    if name in _SCALARS or name in _CONTAINERS:
        yield Hint(name if name in _SCALARS else _CONTAINERS[name])
        return
    try:
        found, inner = scope.resolve(node)
    except Unresolved:
        yield Hint("other")
        return
    if isinstance(found, ast.ClassDef):
        yield Hint(_class_kind(found))
    elif isinstance(found, ast.expr):
        yield from _members(found, inner)
    else:
        yield Hint("other")


def _class_kind(owner: ast.ClassDef) -> str:
    decorators = [one.func if isinstance(one, ast.Call) else one for one in owner.decorator_list]
    if any(last(one) in _DATACLASSES for one in decorators):
        return "dataclass"
    bases = [base.value if isinstance(base, ast.Subscript) else base for base in owner.bases]
    return "dict" if any(last(base) == "dict" for base in bases) else "other"
