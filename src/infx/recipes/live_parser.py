"""The arguments of a parser that can be built: read from argparse's own objects."""

from argparse import SUPPRESS, Action, ArgumentParser, BooleanOptionalAction
from collections.abc import Callable, Iterator
from dataclasses import replace

from infx.model.engine_schema import FlagKind
from infx.recipes.argparse_flags import KINDS, WORDS, Argument, deprecation, nargs, text, words

_NAMED: dict[str, FlagKind] = {
    **KINDS,
    "whole number": "int",
    "parse_dataclass": "json",
}
_ACTIONS = {"_StoreFalseAction": "store_false", "_StoreConstAction": "store_const"}
"""Actions that take no value and do not store true."""

_PROBE = ("A-B", "a_b")
"""A word, and what a function that makes words comparable turns it into."""


def arguments(parser: ArgumentParser) -> Iterator[Argument]:
    """Yield the optional arguments of a parser in its order, without `--help`."""
    # argparse offers no public list of a parser's actions.
    for action in parser._actions:  # noqa: SLF001
        if any(name.startswith("--") for name in action.option_strings) and action.dest != "help":
            yield _argument(action)


def _argument(action: Action) -> Argument:
    names = tuple(action.option_strings)
    base = Argument(names=names, nargs=nargs(action.nargs))
    if isinstance(action, BooleanOptionalAction):
        positive = tuple(name for name in names if not name.startswith("--no-"))
        base = replace(base, names=positive, action="BooleanOptionalAction", nargs=None)
    elif action.nargs == 0:
        name = type(action).__name__
        base = replace(base, nargs=None, action=_ACTIONS.get(name, "store_true"))
    if callable(action.type):
        base = _typed(action.type, base)
    if action.choices is not None:
        choices = list(action.choices)
        base = replace(base, choices=words(choices), nullable=None in choices)
    note = deprecation(action.help) if isinstance(action.help, str) else None
    plain = isinstance(action.default, bool | int | float | str) and action.default != SUPPRESS
    return replace(base, default=text(action.default) if plain else None, deprecated=note)


def _typed(function: Callable[..., object], base: Argument) -> Argument:
    """Return `base` with the kind that a `type=` reads.

    vLLM wraps one such function in another: what is wrapped stands in the closure.
    """
    name = getattr(function, "__name__", "")
    inner = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    wrapped = [one for one in inner if callable(one)]
    if name in ("_optional_type", "_parse_type") and wrapped:
        typed = _typed(wrapped[0], base)
        return replace(typed, nullable=typed.nullable or name == "_optional_type")
    folded = name == "<lambda>" and function(_PROBE[0]) == _PROBE[1]
    kind = _NAMED.get(name, "str")
    return replace(base, kind=kind, folded=folded, choices=WORDS.get(name, ()))
