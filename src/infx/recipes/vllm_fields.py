"""Fields of vLLM's configuration classes as arguments, by the rules of `engine/arg_utils.py`."""

import ast
from collections.abc import Sequence
from dataclasses import replace

from infx.recipes.argparse_flags import WORDS, Argument, Nargs, default_of, deprecation, words
from infx.recipes.python_source import Scope, last
from infx.recipes.type_hints import Hint, hints

Settings = dict[str, Argument]
"""Arguments without names, by the field they come from."""

_SIZES = (
    "max_model_len",
    "max_num_batched_tokens",
    "max_num_scheduled_tokens",
    "kv_cache_memory_bytes",
    "safetensors_prefetch_block_size",
    "max_num_queued_tokens",
)
"""Fields of whole numbers that vLLM reads with a suffix."""

_AUTO = {"max_model_len": WORDS["human_readable_int_or_auto"]}


def read_fields(owner: ast.ClassDef, scope: Scope) -> Settings:
    """Return the argument of every annotated field of a class; those of its bases are not there."""
    settings: Settings = {}
    notes = [*owner.body[1:], ast.Pass()]
    for statement, note in zip(owner.body, notes, strict=True):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            name = statement.target.id
            found = hints(statement.annotation, scope)
            argument = _typed(name, found)
            default = _default(statement.value, scope)
            settings[name] = replace(argument, default=default, deprecated=_note(note))
    return settings


def _typed(name: str, found: Sequence[Hint]) -> Argument:
    """Return the argument that a field's type makes, as vLLM decides: the first rule that holds."""
    kinds = {hint.kind for hint in found}
    argument = _value(name, found, kinds)
    optional = "none" in kinds and "bool" not in kinds
    return replace(argument, nullable=optional)


def _value(name: str, found: Sequence[Hint], kinds: set[str]) -> Argument:
    if "dataclass" in kinds:
        return Argument(kind="json")
    if kinds == {"bool", "str", "none"}:
        return Argument(nargs="?")
    if "bool" in kinds:
        return Argument(action="BooleanOptionalAction")
    if "literal" in kinds:
        named = () if "str" in kinds else _words(found)
        return Argument(choices=named)
    for container in ("tuple", "list", "set"):
        if container in kinds:
            return _several(next(hint for hint in found if hint.kind == container))
    if "int" in kinds:
        size = name in _SIZES
        return Argument(kind="size" if size else "int", choices=_AUTO.get(name, ()))
    if "float" in kinds:
        return Argument(kind="float")
    if "dict" in kinds:
        return Argument(kind="json-or-str" if kinds & {"str", "other"} else "json")
    return Argument()


def _words(found: Sequence[Hint]) -> tuple[str, ...]:
    return words([word for hint in found for word in hint.words])


def _several(hint: Hint) -> Argument:
    parts = [part for part in hint.parts if not _is_ellipsis(part)]
    inner = hints(parts[0], hint.scope) if parts and hint.scope is not None else ()
    exact = hint.kind == "tuple" and len(parts) == len(hint.parts)
    count: Nargs = len(parts) if exact else "+"
    if len(inner) == 1 and inner[0].kind == "literal":
        return Argument(nargs=count, choices=_words(inner))
    kinds = {one.kind for one in inner}
    return Argument(
        nargs=count,
        kind="int" if kinds == {"int"} else "float" if kinds == {"float"} else "str",
    )


def _is_ellipsis(part: ast.expr) -> bool:
    return isinstance(part, ast.Constant) and part.value is ...


def _default(expression: ast.expr | None, scope: Scope) -> str | None:
    """Return a field's default, which may stand in `Field(...)` or `field(...)`."""
    if isinstance(expression, ast.Call) and last(expression.func) in ("Field", "field"):
        given = [one.value for one in expression.keywords if one.arg == "default"]
        expression = next(iter(given or expression.args[:1]), None)
    return default_of(expression, scope)


def _note(statement: ast.stmt) -> str | None:
    """Return what the text below a field says of its deprecation."""
    match statement:
        case ast.Expr(value=ast.Constant(value=str() as text)):
            return deprecation(text)
    return None
