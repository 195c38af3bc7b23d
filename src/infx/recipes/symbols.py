"""Sizes and names that a recipe leaves to its host: `@dram.per-gpu-gb`, `@fabric.nccl-ib-hca`.

An expression is a whole value, also one inside a JSON text. It stays in a bound recipe as it is
written; `resolve` says what it is on one host.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from infx.errors import Problem, nearest
from infx.recipes.binding import dotted
from infx.recipes.merge import ENVIRONMENTS, Branch, leaves

DRAM = ("total-gb", "total-bytes", "per-gpu-gb", "per-gpu-bytes")
DRAM_SIZES = frozenset(
    {
        "cpu_bytes_to_use",
        "cpu_bytes_to_use_per_rank",
        "LMCACHE_MAX_LOCAL_CPU_SIZE",
        "lmcache.max_local_cpu_size",
    }
)
"""Keys of host memory sizes that only a budget can know."""

DRAM_FLAGS = ("--l1-size-gb",)
"""The same as words of a command line; the size is the next word, or follows a `=`."""

_EXPRESSION = re.compile(r"@(dram|fabric)\.([A-Za-z0-9_-]+)")
_BYTES_PER_GB = 10**9


@dataclass(frozen=True, slots=True)
class Dram:
    """Host memory that KV offloading may fill: decimal GB on one node, and the GPUs sharing it."""

    total_gb: int
    gpus: int

    def value(self, name: str) -> int:
        """Return what `@dram.<name>` is, rounded down."""
        return {
            "total-gb": self.total_gb,
            "total-bytes": self.total_gb * _BYTES_PER_GB,
            "per-gpu-gb": self.total_gb // self.gpus,
            "per-gpu-bytes": self.total_gb * _BYTES_PER_GB // self.gpus,
        }[name]


@dataclass(frozen=True, slots=True)
class Host:
    """What a host offers to expressions. Without `dram` the point has no budget."""

    dram: Dram | None = None
    fabric: Mapping[str, str] | None = None


def check(
    root: Branch, fabric: Mapping[str, str] | None, *, dram: bool | None = None
) -> Iterator[Problem]:
    """Yield what is wrong with expressions: unknown names, and expressions inside longer text.

    Names of a fabric are checked where its cluster is known, and sizes against the budget of the
    point where it is known whether it has one.
    """
    for path, leaf in leaves(root):
        for text in _texts(leaf.value):
            name = dotted(path)
            for what, advice in _wrong(text, fabric, dram=dram):
                yield Problem(f"{name}: {what}", leaf.origins[0].where, advice)


def literal_sizes(root: Branch) -> Iterator[Problem]:
    """Yield the host memory sizes that are written as numbers."""
    for path, leaf in leaves(root):
        for key, value in _sizes(path[-1] if path else "", leaf.value):
            if _EXPRESSION.fullmatch(str(value)) is None:
                name = dotted(path)
                inside = "" if path and key == path[-1] else f" ({key})"
                yield Problem(
                    f"{name}{inside}: the size {value} is a fact of one host",
                    leaf.origins[0].where,
                    "write @dram.total-bytes, @dram.per-gpu-bytes, @dram.total-gb or "
                    "@dram.per-gpu-gb",
                )


def resolve(tree: Mapping[str, JsonValue], host: Host) -> dict[str, JsonValue]:
    """Return a bound tree with every expression replaced by what it is on `host`.

    Sizes become integers, and their digits in environments and in lists of words. Raises KeyError
    for a name that the host does not define; `undefined` tells them beforehand.
    """
    return {key: _resolved(value, host, key, as_text=False) for key, value in tree.items()}


def undefined(tree: Mapping[str, JsonValue], host: Host) -> Iterator[tuple[str, str]]:
    """Yield each expression that `host` cannot resolve, and the reason."""
    for text in _texts(dict(tree)):
        match = _EXPRESSION.fullmatch(text)
        if match is None:
            continue
        if match[1] == "dram" and host.dram is None:
            yield text, "the point has no DRAM budget"
        elif match[1] == "fabric" and match[2] not in (host.fabric or {}):
            yield text, "the cluster defines no such name"


def _wrong(
    text: str, fabric: Mapping[str, str] | None, *, dram: bool | None
) -> Iterator[tuple[str, str]]:
    match = _EXPRESSION.fullmatch(text)
    if match is None:
        found = _EXPRESSION.search(text)
        if found is not None:
            yield f"{found[0]} stands inside a longer text", "make it the whole value"
        elif text.startswith(("@dram", "@fabric")):
            yield f"{text} is no expression", "write @dram.NAME or @fabric.NAME"
    elif match[1] == "dram" and match[2] not in DRAM:
        yield f"{text} is not defined", nearest(text, [f"@dram.{name}" for name in DRAM])
    elif match[1] == "dram" and dram is False:
        yield f"{text} is not defined: the row has no DRAM budget", "set kv-offloading: dram there"
    elif match[1] == "fabric" and fabric is not None and match[2] not in fabric:
        known = [f"@fabric.{name}" for name in fabric]
        advice = nearest(text, known) if known else "the cluster defines no fabric names"
        yield f"{text} is not defined", advice


def _texts(value: JsonValue) -> Iterator[str]:
    """Yield every text of a value, going into JSON texts."""
    if isinstance(value, str):
        if "@" not in value:
            return
        inner = _parsed(value)
        if inner is None:
            yield value
        else:
            yield from _texts(inner)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)


def _sizes(key: str | int, value: JsonValue) -> Iterator[tuple[str | int, JsonValue]]:
    """Yield the known sizes of a value with their keys."""
    if key in DRAM_SIZES and isinstance(value, str | int | float):
        yield key, value
    elif isinstance(value, str):
        inner = _parsed(value) if any(name in value for name in DRAM_SIZES) else None
        if inner is not None:
            yield from _sizes("", inner)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _sizes(name, item)
    elif isinstance(value, list):
        for position, item in enumerate(value):
            flag, _, size = str(item).partition("=")
            if flag in DRAM_FLAGS and size:
                yield flag, size
            elif flag in DRAM_FLAGS and position + 1 < len(value):
                yield flag, value[position + 1]


def _parsed(text: str) -> JsonValue:
    """Return the mapping or list that a text holds as JSON, else None."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def _resolved(value: JsonValue, host: Host, key: str, *, as_text: bool) -> JsonValue:
    if isinstance(value, dict):
        words = key in ENVIRONMENTS
        return {name: _resolved(part, host, name, as_text=words) for name, part in value.items()}
    if isinstance(value, list):
        return [_resolved(part, host, "", as_text=True) for part in value]
    if not isinstance(value, str) or "@" not in value:
        return value
    match = _EXPRESSION.fullmatch(value)
    if match is not None:
        return _host_value(match, host, as_text=as_text)
    inner = _parsed(value)
    if inner is None or not any(map(_EXPRESSION.fullmatch, _texts(inner))):
        return value
    return json.dumps(_resolved(inner, host, "", as_text=False), separators=(",", ":"))


def _host_value(match: re.Match[str], host: Host, *, as_text: bool) -> JsonValue:
    if match[1] == "fabric":
        return (host.fabric or {})[match[2]]
    if host.dram is None:
        raise KeyError(match[0])
    size = host.dram.value(match[2])
    return str(size) if as_text else size
