"""Two bound recipes: the leaves that differ, and what the engine makes of the difference."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import cast

from pydantic import JsonValue

from infx.model.document import Key
from infx.model.engine_schema import EngineSchema
from infx.model.recipe_diff import Decision, Effect, Kind, LeafChange, RecipeDiff, Side
from infx.recipes.binding import Binding, Path
from infx.recipes.effects import Effective, Facts, decided, effective, rules_of
from infx.recipes.engine_rules import ENGINE_RULES
from infx.recipes.engine_rules.rule import Rule, Source
from infx.recipes.engine_schema import image_version
from infx.recipes.settings import Settings, engine_of, origin, role_settings, roles_of


def diff(
    a: Binding,
    b: Binding,
    *,
    names: tuple[str, str] | None = None,
    schemas: Mapping[str, EngineSchema] = MappingProxyType({}),
) -> RecipeDiff:
    """Return what differs from `a` to `b`: leaves in order, then effects role by role.

    `schemas` has, by engine, the defaults of flags that no rule speaks of.
    """
    roles = tuple(dict.fromkeys((*roles_of(a), *roles_of(b))))
    sides = [(role, _side(a, role), _side(b, role)) for role in roles]
    left, right = names or (_name(a), _name(b))
    return RecipeDiff(
        a=left,
        b=right,
        leaves=tuple(_leaves(a, b)),
        effects=tuple(one for side in sides for one in _effects(*side, schemas)),
        notes=tuple(dict.fromkeys(one for side in sides for one in _notes(*side))),
    )


def facts_of(binding: Binding, role: str, settings: Settings) -> Facts:
    """Return what decides besides a role's settings: the GPU, the role, whether it speculates."""
    resources = binding.tree.get("resources")
    gpu = resources.get("gpu_type") if isinstance(resources, Mapping) else None
    facts: dict[str, JsonValue] = {"role": role}
    if isinstance(gpu, str):
        facts["gpu"] = gpu.lower().partition("-")[0]
    if any(name.startswith("speculative-config.") for name in settings):
        facts["speculative"] = True
    return facts


@dataclass(frozen=True, slots=True)
class _Side:
    """One recipe's role: its engine and the version of its image, settings and facts."""

    engine: str | None
    version: str | None
    settings: Settings
    facts: Facts


def _side(binding: Binding, role: str) -> _Side | None:
    if role not in roles_of(binding):
        return None
    settings = role_settings(binding, role)
    engine = engine_of(binding, role)
    return _Side(
        engine,
        image_version(engine or "", binding.recipe.image),
        settings,
        facts_of(binding, role, settings),
    )


def _name(binding: Binding) -> str:
    return f"{binding.file}:{binding.variant}" if binding.variant else binding.file


def _leaves(a: Binding, b: Binding) -> Iterator[LeafChange]:
    ours, theirs = dict(_flat(a.tree)), dict(_flat(b.tree))
    for path in sorted({*ours, *theirs}, key=lambda path: list(map(str, path))):
        # 1, 1.0 and True are equal to Python, and are not the same on a command line.
        if path in ours and path in theirs and _written(ours[path]) == _written(theirs[path]):
            continue
        yield LeafChange(
            kind="changed" if path in ours and path in theirs else _one_sided(path in theirs),
            path=path,
            role=str(path[1]) if path[0] == "roles" and len(path) > 1 else None,
            before=_stated(a, path, ours[path]) if path in ours else _unstated(a, path),
            after=_stated(b, path, theirs[path]) if path in theirs else _unstated(b, path),
        )


def _written(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True)


def _one_sided(added: bool) -> Kind:
    return "added" if added else "removed"


def _flat(value: object, start: Path = ()) -> Iterator[tuple[Path, JsonValue]]:
    """Yield the leaves as a binding counts them: a list of plain values is one."""
    parts: Iterator[tuple[Key, JsonValue]] = iter(())
    if isinstance(value, Mapping):
        parts = iter(value.items())
    elif isinstance(value, list) and any(isinstance(one, list | dict) for one in value):
        parts = iter(enumerate(value))
    empty = True
    for key, part in parts:
        empty = False
        yield from _flat(part, (*start, key))
    if empty:
        yield start, cast("JsonValue", value)


def _stated(binding: Binding, path: Path, value: JsonValue) -> Side:
    found = origin(binding, path)
    return Side(value=value, where=found.where if found else None)


def _unstated(binding: Binding, path: Path) -> Side:
    nulls = (origins for gone, origins in binding.removed.items() if path[: len(gone)] == gone)
    null = next(nulls, None)
    return Side(where=null[0].where if null else None)


def _effects(
    role: str, a: _Side | None, b: _Side | None, schemas: Mapping[str, EngineSchema]
) -> Iterator[Effect]:
    if a is None or b is None or a.engine != b.engine:
        return
    rules = rules_of(a.engine)
    rules += tuple(_defaults(schemas.get(a.engine or ""), rules, a, b))
    for setting in decided(rules):
        before, after = _decide(setting, a, rules), _decide(setting, b, rules)
        if _same(before, after):
            continue
        yield Effect(
            role=role,
            setting=setting,
            before=_decision(before),
            after=_decision(after),
            certain=_certain(before, a) and _certain(after, b),
        )


def _defaults(
    schema: EngineSchema | None, rules: tuple[Rule, ...], a: _Side, b: _Side
) -> Iterator[Rule]:
    """Yield the plain default of each flag that one side states, where no rule speaks of it."""
    if schema is None:
        return
    known = {alias: name for name, flag in schema.flags.items() for alias in (name, *flag.aliases)}
    ruled = set(decided(rules))
    for setting in (*a.settings, *b.settings):
        stated_twice = setting in a.settings and setting in b.settings
        flag = schema.flags.get(known.get(setting, ""))
        if flag is None or flag.default is None or setting in ruled or stated_twice:
            continue
        yield Rule(
            setting=setting,
            value=flag.default,
            because="the default of the flag",
            source=Source(schema.engine, schema.version, "its flags", f"--{setting}"),
        )


def _decide(setting: str, side: _Side, rules: tuple[Rule, ...]) -> Effective | None:
    return effective(setting, side.settings, rules=rules, facts=side.facts)


def _same(before: Effective | None, after: Effective | None) -> bool:
    """Say whether nothing is derived: equal, or stated on both sides, which the leaves tell."""
    if before is None or after is None:
        return before is after
    if before.how == after.how == "stated":
        return True
    return (before.value, before.how, before.parent) == (after.value, after.how, after.parent)


def _certain(found: Effective | None, side: _Side) -> bool:
    if found is None:
        return False
    read_in = _read_in(side.engine)
    other_version = side.version is not None and side.version != read_in
    return found.certain and not (found.source is not None and other_version)


def _decision(found: Effective | None) -> Decision | None:
    if found is None:
        return None
    return Decision(
        value=found.value,
        how=found.how,
        inherited_from=found.parent,
        because=found.because or None,
        certain=found.certain,
        source=str(found.source) if found.source else None,
    )


def _notes(role: str, a: _Side | None, b: _Side | None) -> Iterator[str]:
    if a is None or b is None:
        yield f"only {'B' if a is None else 'A'} has a role {role}: its settings have no other side"
        return
    if a.engine != b.engine:
        yield f"{role} runs on {a.engine or 'no engine'} and on {b.engine or 'no engine'}"
        return
    if not rules_of(a.engine):
        yield f"derived effects of {role} are not checked: no rules for {a.engine or 'no engine'}"
        return
    read_in = _read_in(a.engine)
    for side in (a, b):
        if side.version != read_in:
            image = f"is {side.version}" if side.version else "has no known version"
            yield f"rules were read in {_engine_name(a.engine)} {read_in}; the image {image}"


def _read_in(engine: str | None) -> str | None:
    module = ENGINE_RULES.get(engine or "")
    version: str | None = import_module(module).VERSION if module else None
    return version


def _engine_name(engine: str | None) -> str:
    name: str = import_module(ENGINE_RULES[engine or ""]).NAME
    return name
