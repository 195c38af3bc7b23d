"""The settings of one role's engine under one name each, however they are written."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import MappingProxyType

from pydantic import JsonValue

from infx.model.document import Key
from infx.recipes.binding import Binding, Origin, Path
from infx.recipes.engine_rules import ENGINE_RULES
from infx.recipes.topology import whole


@dataclass(frozen=True, slots=True)
class Setting:
    """What a recipe states: the value, the leaf of the bound tree, and the name it has there."""

    value: JsonValue
    path: Path
    spelling: str


Settings = Mapping[str, tuple[Setting, ...]]
"""A setting's own name -> its statements in the order of the engine's command line."""


def engine_of(binding: Binding, role: str) -> str | None:
    """Return the engine of a role, None when the recipe names none."""
    for owner in (_member(binding.tree, "roles", role), binding.tree):
        engine = owner.get("engine") if isinstance(owner, Mapping) else None
        if isinstance(engine, Mapping):
            engine = engine.get("type")
        if isinstance(engine, str):
            return engine
    return None


def roles_of(binding: Binding) -> tuple[str, ...]:
    """Return the roles that a recipe has."""
    roles = binding.tree.get("roles")
    return tuple(roles) if isinstance(roles, Mapping) else ()


def role_settings(binding: Binding, role: str) -> Settings:
    """Return all that `role` states on its engine's command line.

    Objects, also those in a JSON string, are stated part by part (`speculative-config.method`);
    `--no-x` states that x is off; null states nothing.
    """
    engine = engine_of(binding, role)
    stated: dict[str, tuple[Setting, ...]] = {}
    for setting in _statements(binding, role):
        for part in _parts(setting):
            name, value = canonical(part.spelling, part.value, engine)
            stated[name] = (
                *stated.get(name, ()),
                Setting(value, part.path, part.spelling),
            )
    return MappingProxyType(stated)


def statements_of(binding: Binding, role: str, name: str) -> tuple[Setting, ...]:
    """Return every statement of one setting as a whole, the one that the engine obeys last.

    An object in a JSON string is an object here, with the nulls that only text can state. Parts
    that are stated one by one (`--hf-overrides.rope_theta 1`) have their path in their spelling.
    """
    engine = engine_of(binding, role)
    found = []
    for setting in _statements(binding, role):
        known = canonical(setting.spelling, None, engine)[0]
        if known == name or known.startswith(f"{name}."):
            value = _json(setting.value) if isinstance(setting.value, str) else setting.value
            found.append(Setting(value, setting.path, setting.spelling))
    return tuple(found)


def stated(settings: Settings, *names: str) -> Setting | None:
    """Return the last statement of the first name that is stated: the one the engine obeys."""
    return next((settings[name][-1] for name in names if name in settings), None)


def count(settings: Settings, *names: str) -> int | None:
    """Return a stated whole number, None where it is missing or no whole number."""
    found = stated(settings, *names)
    return None if found is None else whole(found.value)


def is_on(settings: Settings, *names: str) -> bool:
    """Say whether a switch is stated as on."""
    found = stated(settings, *names)
    return found is not None and found.value in (True, "true", "True", "1")


def canonical(spelling: str, value: JsonValue, engine: str | None) -> tuple[str, JsonValue]:
    """Return the name and value that a spelling stands for."""
    mark, other = ("_", "-") if engine == "trtllm" else ("-", "_")
    head, dot, rest = spelling.lstrip("-").partition(".")
    name = head.replace(other, mark)
    if name.startswith(f"no{mark}") and value is True:
        name, value = name[3:], False
    spellings = _spellings(engine)
    name = spellings.get(name, name) + dot + rest
    name = spellings.get(name, name)
    if (engine, name) == ("sglang", "speculative-algorithm") and isinstance(value, str):
        value = value.upper()  # as the engine itself reads it
    return name, value


def origin(binding: Binding, path: Path) -> Origin | None:
    """Return where the part at `path` was written: its own leaf, one inside it, or one around it.

    A part that nobody wrote stands where the nearest part around it stands.
    """
    for length in range(len(path), 0, -1):
        start = path[:length]
        if start in binding.origins:
            return binding.origins[start][0]
        inside = (origins for leaf, origins in binding.origins.items() if leaf[:length] == start)
        first = next(inside, None)
        if first is not None:
            return first[0]
    return None


def where(binding: Binding, path: Path) -> str:
    """Return `file:line` of the part at `path`, the file alone when nothing near it is known."""
    found = origin(binding, path)
    return binding.file if found is None else found.where


@cache
def _spellings(engine: str | None) -> Mapping[str, str]:
    module = ENGINE_RULES.get(engine or "")
    found: Mapping[str, str] = import_module(module).SPELLINGS if module else {}
    return found


def _statements(binding: Binding, role: str) -> Iterator[Setting]:
    base: Path = ("roles", role)
    args = _member(binding.tree, *base, "args")
    if isinstance(args, Mapping):
        for name, value in args.items():
            yield Setting(value, (*base, "args", name), name)
    words = _member(binding.tree, *base, "extra_args")
    if isinstance(words, list | tuple):
        for index, word, value in _flags(words):
            yield Setting(value, (*base, "extra_args", index), word)


def _flags(words: Iterable[JsonValue]) -> Iterator[tuple[int, str, JsonValue]]:
    """Yield the flags of a command line: `--a=1`, `--a 1`, `--on`."""
    flag: tuple[int, str] | None = None
    for index, word in enumerate(map(str, words)):
        if word.startswith("--"):
            if flag is not None:
                yield (*flag, True)
            name, equals, value = word.partition("=")
            if equals:
                yield index, name, value
            flag = None if equals else (index, name)
        elif flag is not None:
            yield (*flag, word)
            flag = None
    if flag is not None:
        yield (*flag, True)


def _parts(setting: Setting) -> Iterator[Setting]:
    value = setting.value
    in_text = isinstance(value, str) and value.lstrip().startswith("{")
    if in_text:
        value = _json(str(value))
    if not isinstance(value, Mapping):
        if value is not None:
            yield Setting(value, setting.path, setting.spelling)
        return
    for key, inner in value.items():
        path = setting.path if in_text else (*setting.path, key)
        yield from _parts(Setting(inner, path, f"{setting.spelling}.{key}"))


def _json(text: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(text)
    except ValueError:
        return text
    return value


def _member(value: object, *keys: Key) -> object:
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
