"""JSON (RFC 8259) to a tree: strict, with the line of every value."""

import json
import math
import re
from collections.abc import Mapping

from pydantic import JsonValue

from infx.store.tree import Tree

_TOKEN = re.compile(
    r"[ \t\r\n]*(?:"
    r"(?P<mark>[{}\[\],:])"
    r'|(?P<string>"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*")'
    r"|(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)"
    r"|(?P<word>true|false|null|NaN|-?Infinity)"
    r"|(?P<end>\Z)"
    r")"
)
_WORDS: dict[str, JsonValue] = {"true": True, "false": False, "null": None}
_LOOSE: dict[str, JsonValue] = {
    **_WORDS,
    **{word: word for word in ("NaN", "Infinity", "-Infinity")},
}
_MAX_DIGITS = 400

# What may follow, by where we are. A value is one of VALUE; `end` is the end of the text.
_VALUE = frozenset({"{", "[", "string", "number", "word"})
_KEY = frozenset({"string"})


def read(text: str, tree: Tree) -> None:
    """Tell `tree` what the JSON value in `text` holds.

    Text that is not JSON ends early, with its problem.
    """
    _read(text, tree, words=_WORDS)


def read_loose(text: str, tree: Tree) -> None:
    """As `read`, but let pass as text what some writers put in place of a number.

    These are `NaN`, `Infinity` and `-Infinity`.
    """
    _read(text, tree, words=_LOOSE)


def _read(text: str, tree: Tree, *, words: Mapping[str, JsonValue]) -> None:
    line, position = 1, 0
    closers: list[str] = []
    expected = _VALUE
    while True:
        match = _TOKEN.match(text, position)
        if match and match.lastgroup == "word" and match["word"] not in words:
            match = None
        start = match.start(match.lastgroup or 0) if match else _skip(text, position)
        line += text.count("\n", position, start)
        token = match.group(match.lastgroup or 0) if match else text[start : start + 20]
        name = _name(match)
        if name not in expected:
            tree.report(_syntax_problem(token, expected), line)
            return
        if name == "end":
            return
        position = match.end() if match else len(text)
        is_key = expected is _KEY or (name == "string" and "}" in expected)
        if name == "word":
            tree.scalar(line, words[token], token)
        else:
            _take(name, token, line, tree)
        expected = _next(name, is_key, closers)


def _skip(text: str, position: int) -> int:
    return len(text) - len(text[position:].lstrip(" \t\r\n"))


def _name(match: re.Match[str] | None) -> str | None:
    if match is None:
        return None
    return match.group("mark") or match.lastgroup


def _next(name: str, is_key: bool, closers: list[str]) -> frozenset[str]:
    """Return what may follow the token `name`, and keep track of what is open."""
    if name == "{":
        closers.append("}")
        return frozenset({"string", "}"})
    if name == "[":
        closers.append("]")
        return _VALUE | {"]"}
    if name == ",":
        return _KEY if closers[-1] == "}" else _VALUE
    if name == ":":
        return _VALUE
    if is_key:
        return frozenset({":"})
    if name in ("}", "]"):
        closers.pop()
    return frozenset({",", closers[-1]}) if closers else frozenset({"end"})


def _take(name: str, token: str, line: int, tree: Tree) -> None:
    if name == "{":
        tree.mapping(line)
    elif name == "[":
        tree.sequence(line)
    elif name in ("}", "]"):
        tree.close()
    elif name == "number":
        tree.scalar(line, _number(token, line, tree), token)
    elif name == "string":
        text = _string(token, line, tree)
        tree.scalar(line, text, text)


def _number(token: str, line: int, tree: Tree) -> JsonValue:
    if len(token) > _MAX_DIGITS:
        tree.report(f"a number has more than {_MAX_DIGITS} digits", line, "quote it")
        return None
    number: int | float = json.loads(token)
    if not math.isfinite(number):
        tree.report(f"{token} is too large for a number", line, "quote it")
        return None
    return number


def _string(token: str, line: int, tree: Tree) -> str:
    text: str = json.loads(token) if "\\" in token else token[1:-1]
    if "\\u" in token and any("\ud800" <= char <= "\udfff" for char in text):
        tree.report("a string holds half of a surrogate pair", line)
        return ""
    return text


def _syntax_problem(token: str, expected: frozenset[str]) -> str:
    names = {"string": "a key" if expected is _KEY else "text", "end": "the end of the file"}
    wanted = (
        "a value"
        if expected >= _VALUE
        else " or ".join(names.get(name, name) for name in sorted(expected))
    )
    found = repr(token) if token else "the end of the file"
    return f"this is not JSON: found {found} where {wanted} should be"
