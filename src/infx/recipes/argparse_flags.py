"""Arguments of an argparse parser, as its source declares them, to the flags of a schema."""

import ast
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from infx.model.engine_schema import Flag, FlagKind
from infx.recipes.python_source import Scope, Unresolved, last
from infx.recipes.python_values import Member, value

Nargs = Literal["?", "*", "+"] | int | None

KINDS: Mapping[str, FlagKind] = {
    "int": "int",
    "float": "float",
    "loads": "json",
    "json_list_type": "json",
    "parse_cuda_graph_config_arg": "json",
    "human_readable_int": "size",
    "human_readable_int_or_auto": "size",
    "union_dict_and_str": "json-or-str",
}
"""What a `type=` of argparse reads; any other function may take any text."""

WORDS: Mapping[str, tuple[str, ...]] = {"human_readable_int_or_auto": ("auto",)}
"""Words that a `type=` reads beside the values of its kind."""

_GENERIC = "the engine will remove it"
_RETIRED = {
    "DeprecatedAction": "store_const",
    "DeprecatedStoreTrueAction": "store_true",
    "DeprecatedStoreConstAction": "store_const",
}
_SWITCHES = ("store_true", "store_false", "store_const", "count")
_REPLACEMENT = re.compile(r"[Uu]se:? '?(--[a-z][^ ;,']*[a-z\]}>=])")
_DEPRECATED = re.compile(r"\W*(deprecated|\S+ is deprecated)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Argument:
    """What `add_argument` is told: the names with their dashes, and how values are read."""

    names: tuple[str, ...] = ()
    kind: FlagKind = "str"
    nargs: Nargs = None
    choices: tuple[str, ...] = ()
    default: str | None = None
    action: str | None = None
    nullable: bool = False
    folded: bool = False
    deprecated: str | None = None
    refused: str | None = None

    def flag(self) -> Flag:
        """Return the flag; its name and its aliases are those of `names`."""
        kind = self.kind
        negative = self.action == "BooleanOptionalAction"
        if self.choices and kind != "size":
            kind = "choice"
        elif negative or self.action in _SWITCHES:
            kind = "switch"
        return Flag(
            kind=kind,
            nargs=None if kind == "switch" else self.nargs,
            choices=self.choices,
            default=self.default,
            aliases=tuple(bare(name) for name in self.names if bare(name) != self.name),
            negative=negative,
            nullable=self.nullable,
            folded=self.folded,
            deprecated=None if self.refused else self.deprecated,
            refused=self.refused,
        )

    @property
    def name(self) -> str:
        """The first long name, without its dashes."""
        return next(bare(name) for name in self.names if name.startswith("--"))


def bare(name: str) -> str:
    """Return a long option without its dashes, and a short one as it is.

    >>> bare("--tp-size"), bare("-q")
    ('tp-size', '-q')
    """
    return name.removeprefix("--")


def text(found: object) -> str | None:
    """Return a default as a command line would write it; None for none."""
    if found is None or isinstance(found, str):
        return found
    if isinstance(found, Member):
        return found.name
    return json.dumps(found) if isinstance(found, bool | int | float | list | dict) else str(found)


def words(found: Iterable[object]) -> tuple[str, ...]:
    """Return choices as text, without None."""
    return tuple(dict.fromkeys(text(one) or "" for one in found if one is not None))


def read_call(call: ast.Call, scope: Scope, base: Argument | None = None) -> Argument:
    """Return the argument of an `add_argument` call, over what `base` says of it already.

    Expansions (`**`) are skipped.
    """
    names = tuple(str(value(name, scope)) for name in call.args)
    argument = replace(base or Argument(), names=names)
    for keyword in call.keywords:
        if keyword.arg is not None:
            argument = read_keyword(keyword.arg, keyword.value, scope=scope, base=argument)
    if argument.action == "store_true" and argument.default is None:
        return replace(argument, default="false")
    return argument


def default_of(expression: ast.expr | None, scope: Scope) -> str | None:
    """Return a default as a command line would write it; None when it is not constant."""
    try:
        return None if expression is None else text(value(expression, scope))
    except Unresolved:
        return None


def read_keyword(name: str, expression: ast.expr, *, scope: Scope, base: Argument) -> Argument:
    """Return `base` with what one keyword of `add_argument` says.

    Choices that are not constant leave any text allowed.
    """
    if name in ("type", "type_parser"):
        return read_type(expression, base)
    if name == "action":
        return read_action(expression, base)
    if name == "default":
        return replace(base, default=default_of(expression, scope))
    try:
        found = value(expression, scope)
    except Unresolved:
        return base
    match name:
        case "choices" if isinstance(found, list):
            return replace(base, choices=words(found), nullable=None in found)
        case "nargs":
            return replace(base, nargs=nargs(found))
        case "help":
            told = base.deprecated if base.deprecated != _GENERIC else None
            return replace(base, deprecated=told or deprecation(str(found)) or base.deprecated)
        case "new_flag":
            return replace(base, deprecated=f"use {found}")
        case "error_message" if found is not None:
            return replace(base, refused=_instead(str(found)) or "the engine has removed it")
    return base


def read_type(expression: ast.expr, base: Argument) -> Argument:
    """Return `base` with its kind from an expression that argparse gets as `type=`."""
    if isinstance(expression, ast.Call) and expression.args:
        inner = read_type(expression.args[0], base)
        return replace(inner, nullable=last(expression.func) == "optional_type" or inner.nullable)
    if isinstance(expression, ast.Lambda):
        names = [part for part in ast.walk(expression) if isinstance(part, ast.Attribute)]
        lowers = any(part.attr == "lower" for part in names)
        return replace(base, kind="str", folded=lowers)
    name = last(expression) or ""
    kind = KINDS.get(name, "str")
    return replace(base, kind=kind, nullable=False, choices=base.choices or WORDS.get(name, ()))


def read_action(expression: ast.expr, base: Argument) -> Argument:
    """Return `base` with its action: a word, or the last name of a class.

    Classes that retire a flag are known by their names, which all begin with `Deprecated`.
    """
    name = str(expression.value) if isinstance(expression, ast.Constant) else last(expression)
    if name in _RETIRED:
        return replace(base, action=_RETIRED[name], deprecated=base.deprecated or _GENERIC)
    if name is not None and name.startswith("Deprecated"):
        return replace(base, deprecated=base.deprecated or _GENERIC)
    return replace(base, action=name)


def deprecation(text: str) -> str | None:
    """Return what to do instead when a help text says that its flag is deprecated."""
    if not _DEPRECATED.match(text):
        return None
    return _instead(text) or _GENERIC


def _instead(text: str) -> str | None:
    found = _REPLACEMENT.search(text)
    return f"use {found[1]}" if found else None


def nargs(found: object) -> Nargs:
    """Return a count of values as argparse writes it."""
    if isinstance(found, int) and not isinstance(found, bool):
        return found
    counts: tuple[Literal["?", "*", "+"], ...] = ("?", "*", "+")
    return next((count for count in counts if count == found), None)
