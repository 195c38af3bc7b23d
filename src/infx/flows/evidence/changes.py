"""What a change does to the launches of affected entries: settings that differ from the base."""

import json
from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from infx.flows.evidence.places import cite
from infx.flows.evidence.points import matched
from infx.flows.evidence.scripts import Scripts
from infx.flows.evidence.states import Placed
from infx.matrix.affected import Row
from infx.model import config_facts
from infx.model.recipe_diff import LeafChange
from infx.recipes.binding import Binding
from infx.recipes.diff import diff
from infx.recipes.settings import canonical, engine_of

_BESIDE = frozenset(
    {"conc", "exp-name", "recipe-fingerprint", "run-eval", "eval-only", "eval-conc", "runner"}
    | {"eval-framework", "eval-suite", "srt-recipe", "eval-srt-recipe", "require-power"}
    | {"eval-all-concs", "node-count", "duration"}
)
"""Fields of a row that are no part of what is launched, or that its recipe has."""


def changes(base: Scripts, head: Scripts) -> Iterator[config_facts.RecipeChange]:
    """Yield what differs at the points that both sides have, points of one difference together."""
    for key in dict.fromkeys(point.key for point in head.state.points):
        now = [one for one in head.state.of(key) if one.is_measured]
        before = [one for one in base.state.of(key) if one.is_measured]
        groups: dict[str, tuple[config_facts.RecipeChange, set[int]]] = {}
        for point, place in zip(now, matched(now, before, any_topology=True), strict=True):
            if place is not None:
                found = _change((before[place], base), (point, head))
                groups.setdefault(_text(found), (found, set()))[1].add(point.concurrency)
        for found, concurrencies in groups.values():
            yield found.model_copy(update={"concurrencies": tuple(sorted(concurrencies))})


def _change(
    before: tuple[Placed, Scripts], now: tuple[Placed, Scripts]
) -> config_facts.RecipeChange:
    point, commit = now[0], now[1].state.commit
    old, new = _bindings(*before), _bindings(*now)
    if not old or len(old) != len(new):
        why = "no recipe that binds, and no script that can be read, launches it at both sides"
        if old and new:
            why = f"its script may start {len(old)} servers at the base, and {len(new)} at the head"
        return config_facts.RecipeChange(config=point.key, concurrencies=(), why=why)
    found = [*_of_rows(before[0].fields, point.fields, commit, now[1])]
    for a, b in zip(old, new, strict=True):
        found += (_setting(leaf, b, commit) for leaf in diff(a, b).leaves)
    told = {one.model_dump_json(): one for one in found}
    return config_facts.RecipeChange(
        config=point.key, concurrencies=(), changes=tuple(told.values())
    )


def _bindings(point: Placed, scripts: Scripts) -> tuple[Binding, ...]:
    """Return what a point launches: of a script that has several command lines, each."""
    if point.binding is not None:
        return (point.binding,)
    return tuple(launch.binding for launch in scripts.launches(point))


def _setting(leaf: LeafChange, binding: Binding, commit: str) -> config_facts.SettingChange:
    side = leaf.after if leaf.after.where is not None else leaf.before
    return config_facts.SettingChange(
        name=_name(leaf.path, binding),
        role=leaf.role,
        before=leaf.before.value,
        after=leaf.after.value,
        cite=cite(side.where or binding.file, leaf.after.value, at=commit),
    )


def _name(path: Sequence[str | int], binding: Binding) -> str:
    """Return what a leaf is called: an argument or a variable by its own name."""
    words = tuple(map(str, path))
    if words[0] == "roles" and len(words) > 3 and words[2] == "args":
        return canonical(".".join(words[3:]), None, engine_of(binding, words[1]))[0]
    if words[0] == "roles" and len(words) > 3 and words[2] == "env":
        return words[3]
    return words[1] if words[0] == "environment" and len(words) == 2 else ".".join(words)


def _of_rows(
    before: Row, now: Row, commit: str, head: Scripts
) -> Iterator[config_facts.SettingChange]:
    old, new = dict(_flat(before)), dict(_flat(now))
    catalog = head.state.catalog
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            key = str(now.get("config-key", ""))
            where = "" if catalog is None else catalog.where.get(key, "")
            yield config_facts.SettingChange(
                name=f"row.{name}",
                before=old.get(name),
                after=new.get(name),
                cite=cite(where, new.get(name), at=commit),
            )


def _flat(row: Mapping[str, JsonValue], start: str = "") -> Iterator[tuple[str, JsonValue]]:
    for name, value in row.items():
        if not start and name in _BESIDE:
            continue
        if isinstance(value, dict):
            yield from _flat(value, f"{start}{name}.")
        else:
            yield f"{start}{name}", value


def _text(change: config_facts.RecipeChange) -> str:
    return json.dumps(change.model_dump(mode="json"), sort_keys=True)
