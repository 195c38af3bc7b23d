"""Whether an engine's command line or environment takes a value."""

import json
import re

from pydantic import JsonValue

from infx.errors import nearest
from infx.model.engine_schema import EngineSchema, Flag, Variable

_INT = re.compile(r"\s*[+-]?\d+(_\d+)*\s*", re.ASCII)
_SYMBOL = re.compile(r"@[a-z]+\.[a-z0-9_-]+")
_MANY = 12


def flag_problem(
    flag: Flag, value: JsonValue, schema: EngineSchema
) -> tuple[str, str | None] | None:
    """Say what is wrong with a flag's value and what to do, None when the engine takes it.

    A value becomes words as recipes state them: true is the bare flag, a list is one word an item,
    false and null leave the flag out. Values with a symbol (`@dram.total-gb`) are taken.
    """
    if value is None or value is False:
        return None
    if flag.kind == "switch":
        return None if value is True else (f"takes no value, got {shown(value)}", "write true")
    if value is True:
        bare = flag.nargs in ("?", "*")
        return None if bare else ("needs a value, true is the bare flag", _expected(flag))
    if isinstance(value, list):
        return _list_problem(flag, value, schema)
    if isinstance(flag.nargs, int) and flag.nargs != 1:
        return f"takes {flag.nargs} values, got one", "write a list"
    return _word_problem(flag, value, schema)


def variable_problem(
    variable: Variable, text: str, schema: EngineSchema
) -> tuple[str, str | None] | None:
    """Say what is wrong with the text of an environment variable, None when the engine takes it."""
    if _SYMBOL.search(text):
        return None
    match variable.kind:
        case "bool":
            words = variable.choices or schema.booleans
            if words and text.lower() not in words:
                return f"{text!r} is no boolean", f"write one of {', '.join(words)}"
        case "int" if not _INT.fullmatch(text):
            return f"expected a whole number, got {text!r}", None
        case "float" if not _is_float(text):
            return f"expected a number, got {text!r}", None
        case "choice" if not _is_choice(text, variable.choices, folded=variable.folded):
            return f"{text!r} is not a choice", advice(text, variable.choices)
    return None


def advice(word: str, known: tuple[str, ...]) -> str:
    """Name the nearest known word, or all of them when they are few."""
    told = nearest(word, known)
    return (
        told if len(known) <= _MANY or told.startswith("did") else f"known are {len(known)} words"
    )


def shown(value: JsonValue) -> str:
    """Return a value for a message, cut when it is long."""
    text = json.dumps(value) if not isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _list_problem(
    flag: Flag, items: list[JsonValue], schema: EngineSchema
) -> tuple[str, str | None] | None:
    if flag.nargs is None or flag.nargs == "?":
        return f"takes one value, got a list of {len(items)}", None
    if flag.nargs == "+" and not items:
        return "needs at least one value, got an empty list", None
    if isinstance(flag.nargs, int) and len(items) != flag.nargs:
        return f"takes {flag.nargs} values, got {len(items)}", None
    problems = (_word_problem(flag, item, schema) for item in items)
    return next((problem for problem in problems if problem is not None), None)


def _word_problem(
    flag: Flag, value: JsonValue, schema: EngineSchema
) -> tuple[str, str | None] | None:
    text = value if isinstance(value, str) else json.dumps(value)
    if (flag.nullable and text in ("", "None")) or _SYMBOL.fullmatch(text):
        return None
    if isinstance(value, dict | list) and flag.kind not in ("json", "json-or-str"):
        return f"takes plain text, got {shown(value)}", None
    match flag.kind:
        case "choice" if not _is_choice(text, flag.choices, folded=flag.folded):
            return f"{text!r} is not a choice", advice(text, flag.choices)
        case "int" if not _INT.fullmatch(text):
            return f"expected a whole number, got {shown(value)}", None
        case "size" if text not in flag.choices and not _is_size(text, schema.suffixes):
            endings = ", ".join(schema.suffixes)
            return f"expected a whole number, got {shown(value)}", f"suffixes are {endings}"
        case "float" if not _is_float(text):
            return f"expected a number, got {shown(value)}", None
        case "json":
            return _json_problem(value)
        case "json-or-str" if text.strip().startswith("{"):
            return _json_problem(value)
    return None


def _json_problem(value: JsonValue) -> tuple[str, str | None] | None:
    if not isinstance(value, str):
        return None
    try:
        json.loads(_SYMBOL.sub("0", value))
    except ValueError as error:
        return f"expected JSON, got {shown(value)} ({error})", None
    return None


def _is_choice(text: str, choices: tuple[str, ...], *, folded: bool) -> bool:
    if not folded:
        return text in choices
    return _folded(text) in {_folded(choice) for choice in choices}


def _folded(text: str) -> str:
    return text.lower().replace("-", "_")


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_size(text: str, suffixes: tuple[str, ...]) -> bool:
    if _INT.fullmatch(text):
        return True
    # Longest first: `Mi` also ends with what is no suffix of its own.
    for suffix in sorted(suffixes, key=len, reverse=True):
        if text.endswith(suffix):
            return re.fullmatch(r"\d+(\.\d+)?", text.removesuffix(suffix), re.ASCII) is not None
    return False


def _expected(flag: Flag) -> str:
    if flag.choices:
        return f"write one of {', '.join(flag.choices[:_MANY])}"
    return f"write a value of kind {flag.kind}"
