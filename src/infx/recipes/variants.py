"""The variants of a recipe file, and the selectors that name them.

A plain file is one variant. A bundle has a `base`, and groups that are laid over it: each
`override_<name>` is one variant, each `zip_override_<name>` has one for every step of its lists.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from pydantic import JsonValue

from infx.errors import InputError, Problem, nearest
from infx.model.document import Document, Key, Place
from infx.recipes.binding import Origin
from infx.recipes.merge import Branch, Leaf, Node, plant
from infx.recipes.v1 import DEFAULT_ENGINE, form, to_schema2

OVERRIDE, ZIP = "override_", "zip_override_"
_INDEXED = re.compile(r"(.+)\[([0-9]+)\]")


@dataclass(frozen=True, slots=True)
class Variant:
    """One concrete recipe of a file, before it is merged.

    `selector` is empty for a plain file; `where` is the line of its group; `layers` are lowest
    first; `form` is the file's (1 or 2). `name` is the generated job name, if the file states none.
    `defaults` lie under all layers: what a form says where a file does not.
    """

    selector: str
    where: str
    layers: tuple[Branch, ...]
    form: int = 2
    name: Leaf | None = None
    defaults: Branch | None = None


def split_selector(reference: str) -> tuple[str, str | None]:
    """Split `FILE:SELECTOR` into its two parts; the selector is None where there is none.

    >>> split_selector("toy/agentic.yaml:override_c4")
    ('toy/agentic.yaml', 'override_c4')
    """
    file, found, selector = reference.partition(":")
    return file, selector if found else None


def variants(document: Document) -> tuple[Variant, ...]:
    """Return all variants of a file: `override_*`, then `zip_override_*`, in name order; no base.

    A file of the v1 form is converted first. Raises InputError with every problem of the bundle:
    unknown top-level keys, groups that are not mappings, lists of a zip group that do not agree.
    """
    return select(document, None)


def select(document: Document, selector: str | None) -> tuple[Variant, ...]:
    """Return the variants that a selector names; without one all of them.

    A selector is `base`, the name of a group, one step of a zip group (`zip_override_tp4[2]`), or a
    glob over group names. Raises InputError where it names nothing, with the nearest name.
    """
    version, defaults = form(document), _defaults(document)
    document = to_schema2(document)
    chosen = _chosen(document, selector)
    return tuple(replace(one, form=version, defaults=defaults) for one in chosen)


def _defaults(document: Document) -> Branch | None:
    """Return what the v1 form says of the engine where a file leaves it out."""
    value = document.value
    path: tuple[str, ...] = ("base",) if isinstance(value, dict) and "base" in value else ()
    section = value
    for key in path:
        section = section.get(key) if isinstance(section, dict) else None
    if form(document) != 1 or not isinstance(section, dict) or "backend" not in section:
        return None
    line = document.at((*path, "backend")).line
    engine: JsonValue = {"engine": {"type": DEFAULT_ENGINE}}
    at = Place(line, None, {"type": Place(line, DEFAULT_ENGINE)})
    node = plant(engine, Place(line, None, {"engine": at}), layer="v1 default", file=document.file)
    return node if isinstance(node, Branch) else None


def _chosen(document: Document, selector: str | None) -> tuple[Variant, ...]:
    found = _variants(document)
    if selector is None:
        return found
    if found[0].selector == "":
        raise InputError(
            Problem(
                f"the selector {selector} names no variant: the file is no bundle",
                document.where(),
                "leave the selector out",
            )
        )
    if selector == "base":
        return (Variant("base", document.where("base"), (_base(document),)),)
    chosen = tuple(one for one in found if _named(selector, one.selector))
    if not chosen:
        names = [name for one in found for name in (one.selector, _group(one.selector))]
        known = ["base", *dict.fromkeys(names)]
        raise InputError(
            Problem(f"no variant is named {selector}", document.where(), nearest(selector, known))
        )
    return chosen


def _group(selector: str) -> str:
    indexed = _INDEXED.fullmatch(selector)
    return indexed[1] if indexed else selector


def _named(selector: str, name: str) -> bool:
    if selector in (name, _group(name)):
        return True
    return any(sign in selector for sign in "*?") and fnmatchcase(_group(name), selector)


def _variants(document: Document) -> tuple[Variant, ...]:
    value = document.value
    if not isinstance(value, dict):
        raise InputError(Problem("a recipe is a mapping", document.where()))
    if "base" not in value:
        node = plant(value, document.place, layer="recipe", file=document.file)
        assert isinstance(node, Branch)
        return (Variant("", document.where(), (node,)),)
    problems = list(_problems(document, value))
    if problems:
        raise InputError(*problems)
    base = _base(document)
    groups = sorted(value)
    found = [_override(document, base, key) for key in groups if key.startswith(OVERRIDE)]
    for key in groups:
        found += _zip(document, base, key) if key.startswith(ZIP) else ()
    if not found:
        found.append(Variant("base", document.where("base"), (base,)))
    return tuple(found)


def _problems(document: Document, value: dict[str, JsonValue]) -> Iterator[Problem]:
    for key, group in value.items():
        where = document.where(key)
        if key == "schema":
            continue
        if key != "base" and not key.startswith((OVERRIDE, ZIP)):
            advice = "a bundle has base, override_NAME and zip_override_NAME"
            yield Problem(f"{key} stands beside base", where, advice)
        elif not isinstance(group, dict):
            yield Problem(f"{key} is no mapping", where, "write the keys that it sets")
        elif key.startswith(ZIP):
            yield from _zip_problems(document, key, group)


def _zip_problems(document: Document, key: str, group: JsonValue) -> Iterator[Problem]:
    lists = list(_lists(group, (key,)))
    if not lists:
        advice = f"write {OVERRIDE}{key.removeprefix(ZIP)}, or the lists"
        yield Problem(f"{key} has no list to step through", document.where(key), advice)
    first: tuple[str, int] | None = None
    for path, length in lists:
        name, where = ".".join(map(str, path[1:])), document.where(*path)
        if length == 0:
            yield Problem(f"{key}: {name} is an empty list", where, "a null removes a key")
        elif length > 1 and first is None:
            first = (f"{name} ({where}) has {length}", length)
        elif length > 1 and first is not None and length != first[1]:
            yield Problem(
                f"{key}: {name} has {length} steps, but {first[0]}",
                where,
                "lists of a zip group are equally long, or have one item for all",
            )


def _lists(value: JsonValue, path: tuple[Key, ...]) -> Iterator[tuple[tuple[Key, ...], int]]:
    if isinstance(value, list):
        yield path, len(value)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _lists(part, (*path, key))


def _base(document: Document) -> Branch:
    """Return the base; a `schema` that stands beside it belongs to it."""
    value = document.value
    assert isinstance(value, dict)
    place = document.place.parts["base"]
    base = value["base"]
    assert isinstance(base, dict)
    parts = place.parts
    if "schema" in value and "schema" not in base:
        base = {"schema": value["schema"], **base}
        parts = {"schema": document.place.parts["schema"], **parts}
    node = plant(base, Place(place.line, None, parts), layer="base", file=document.file)
    return node if isinstance(node, Branch) else Branch({}, node.origins)


def _override(document: Document, base: Branch, key: str) -> Variant:
    layer = _layer(document, key, index=None)
    name = None
    if "name" not in layer.parts:
        name = _generated(base, layer, key.removeprefix(OVERRIDE))
    return Variant(key, document.where(key), (base, layer), name=name)


def _zip(document: Document, base: Branch, key: str) -> Iterator[Variant]:
    value = document.value
    assert isinstance(value, dict)
    group = value[key]
    assert isinstance(group, dict)
    for index in range(max(length for _, length in _lists(group, ()))):
        layer = _layer(document, key, index=index)
        name = None
        if not isinstance(group.get("name"), list):
            name = _generated(base, layer, f"{key.removeprefix(ZIP)}_{index}")
        selector = f"{key}[{index}]"
        yield Variant(selector, document.where(key), (base, layer), name=name)


def _layer(document: Document, key: str, *, index: int | None) -> Branch:
    value = document.value
    assert isinstance(value, dict)
    group, place, layer = value[key], document.place.parts[key], key
    if index is not None:
        group, place = _step(group, place, index)
        layer = f"{key}[{index}]"
    node = plant(group, place, layer=layer, file=document.file)
    return node if isinstance(node, Branch) else Branch({}, node.origins)


def _step(value: JsonValue, place: Place, index: int) -> tuple[JsonValue, Place]:
    """Return one step of a zip group: each list gives the item of that step, or its only one."""
    if isinstance(value, list):
        position = 0 if len(value) == 1 else index
        return value[position], place.parts[position]
    if not isinstance(value, dict):
        return value, place
    steps = {key: _step(part, place.parts[key], index) for key, part in value.items()}
    members = {key: step[0] for key, step in steps.items()}
    return members, Place(place.line, None, {key: step[1] for key, step in steps.items()})


def _generated(base: Branch, layer: Branch, suffix: str) -> Leaf:
    """Return the name of a variant that states none: the base's, then the group's."""
    stem: Node | None = base.parts.get("name")
    if isinstance(stem, Leaf) and isinstance(stem.value, str):
        name = f"{stem.value}_{suffix}"
        return Leaf(name, name, stem.origins)
    first = layer.origins[0]
    return Leaf(suffix, suffix, (Origin(first.layer, first.file, first.line, suffix),))
