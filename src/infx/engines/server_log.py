"""What a server's log says of itself, of engines that start elsewhere: settings, drafts, requests.

A log is a claim of whoever started the server: every fact keeps the line that makes it. What an
engine prints is read as data (`ServerArgs(...)`, `non-default args: {...}`) and never run.
"""

import ast
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

MAX_TEXT = 200_000
"""Characters of one line's settings that are read."""

_ARGUMENTS = re.compile(r"(?:server_args=|\b)(ServerArgs\(.*\))\s*$")
_NON_DEFAULT = re.compile(r"non-default args: (\{.*\})\s*$")
_LOADED = re.compile(r"Load weight end\b.*\btype=([\w.]+)(.*)")
_DRAFT = re.compile(r"draft|nextn|mtp|eagle|dspark|dflash", re.IGNORECASE)
_TYPE = re.compile(r"\bdtype=(?:torch\.)?(\w+)")
_QUANT = re.compile(r"\bquant=([\w.-]+)")
_POST = re.compile(r'"POST (/v1/(?:chat/)?completions)(?:\?\S*)? HTTP/[0-9.]+"')


@dataclass(frozen=True, slots=True)
class Said:
    """One setting as a log has it, and its line, counted from 1."""

    name: str
    value: str
    line: int


@dataclass(frozen=True, slots=True)
class Loaded:
    """A draft as it was loaded: its class, the type of its weights, and its quantization."""

    kind: str
    dtype: str | None
    quantization: str | None
    line: int


def settings(lines: Iterable[str], variables: Collection[str]) -> Iterator[Said]:
    """Yield each setting of a log once for each of its values.

    Those are the arguments that the engine prints (`args.NAME`, parts of an object with dots), and
    those of the `variables` that some line assigns (`env.NAME`). What an engine printed and nobody
    can read is passed over.
    """
    known: set[tuple[str, str]] = set()
    assigned = _assignments(variables)
    for number, line in enumerate(lines, 1):
        for name, value in (*_arguments(line), *_assigned(line, assigned)):
            if (name, value) not in known:
                known.add((name, value))
                yield Said(name, value, number)


def drafts(lines: Iterable[str]) -> Iterator[Loaded]:
    """Yield the drafts that SGLang says it has loaded; the target's own load is no draft's."""
    for number, line in enumerate(lines, 1):
        found = _LOADED.search(line)
        if found is not None and _DRAFT.search(found[1]):
            dtype, quantization = _TYPE.search(found[2]), _QUANT.search(found[2])
            yield Loaded(
                found[1],
                None if dtype is None else dtype[1],
                None if quantization is None else quantization[1],
                number,
            )


def requests(lines: Iterable[str]) -> Mapping[str, int]:
    """Count the requests of a log by their path: chat, and raw completions."""
    counts = {"/v1/chat/completions": 0, "/v1/completions": 0}
    for line in lines:
        found = _POST.search(line)
        if found is not None:
            counts[found[1]] += 1
    return counts


def _assignments(variables: Collection[str]) -> re.Pattern[str] | None:
    if not variables:
        return None
    names = "|".join(map(re.escape, sorted(variables, key=len, reverse=True)))
    return re.compile(rf"""(?<![\w.-])({names})=("[^"]*"|'[^']*'|[^\s"',;)}}\]]*)""")


def _assigned(line: str, assigned: re.Pattern[str] | None) -> Iterator[tuple[str, str]]:
    for found in assigned.finditer(line) if assigned is not None else ():
        yield f"env.{found[1]}", found[2].strip("\"'")


def _arguments(line: str) -> Iterator[tuple[str, str]]:
    found = _ARGUMENTS.search(line) if "ServerArgs(" in line else None
    found = found or (_NON_DEFAULT.search(line) if "non-default args" in line else None)
    if found is None or len(found[1]) > MAX_TEXT:
        return
    try:
        tree = ast.parse(found[1], mode="eval").body
        if isinstance(tree, ast.Call):
            stated = {one.arg: _literal(one.value) for one in tree.keywords if one.arg}
        else:
            stated = ast.literal_eval(tree)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return
    for name, value in stated.items() if isinstance(stated, dict) else ():
        yield from _flat(f"args.{name}", value)


def _literal(node: ast.expr) -> object:
    """Return a printed value; what is no literal (an enumeration's member) is its text."""
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, TypeError):
        return ast.unparse(node)
    return value


def _flat(name: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(f"{name}.{key}", inner)
    elif isinstance(value, str) and value.lstrip().startswith("{"):
        yield from _parts(name, value)
    else:
        yield name, str(value)


def _parts(name: str, text: str) -> Iterator[tuple[str, str]]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        yield from _flat(name, value)
    else:
        yield name, text
