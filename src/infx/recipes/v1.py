"""The older form of recipes as schema 2: the same values on the same lines, under other keys.

In the v1 form the topology stands in `resources`, arguments and environment by role in `backend`.
Schema 2 groups them by role, and names the engine at the top.
"""

from collections.abc import Callable, Iterator

from pydantic import JsonValue

from infx.errors import InputError, Problem
from infx.model.document import Document, Key, Place
from infx.recipes.topology import COLOCATE

MODES = {"prefill": "prefill", "decode": "decode", "agg": "aggregated"}
"""Role to what `backend` calls it."""

ENGINES = ("atom_config", "mocker_config", "sglang_config", "trtllm_config", "vllm_config")
"""Sections of `backend` that hold arguments by role."""

DEFAULT_ENGINE = "sglang"
"""What `backend.type` is where a file of this form does not state it."""

FRONTENDS = {"sglang": "sglang-router"}
"""Frontends whose name means another one since schema 2."""

PLACEMENTS = {"frontend": "orchestrator_placement", "benchmark": "client_placement"}

Located = tuple[JsonValue, Place]
_Move = tuple[tuple[str, ...], Located]


def form(document: Document) -> int:
    """Return the form of a recipe file: 2, or 1 for files that neither state a schema nor roles.

    Raises InputError for a schema that nobody knows.
    """
    value = document.value if isinstance(document.value, dict) else {}
    inner = value.get("base")
    base = inner if isinstance(inner, dict) else {}
    path = ("schema",) if "schema" in value else ("base", "schema")
    stated = value.get("schema", base.get("schema"))
    if stated is None:
        return 2 if "roles" in value or "roles" in base else 1
    if stated not in (1, 2) or isinstance(stated, bool):
        raise InputError(
            Problem(f"schema {stated} is not known", document.where(*path), "known are 1, 2")
        )
    return int(stated)


def to_schema2(document: Document) -> Document:
    """Return a recipe file in schema-2 form; a file that has that form already is returned as is.

    Every value keeps its place. Raises InputError where a file mixes both forms, with each line.
    """
    value = document.value
    if not isinstance(value, dict):
        raise InputError(Problem("a recipe is a mapping", document.where()))
    if form(document) == 2:
        mixed = list(_mixed(document))
        if mixed:
            raise InputError(*mixed)
        return document
    if "base" not in value:
        converted, place = _fragment(value, document.place)
        return Document(document.file, converted, place, document.warnings)
    unclear = list(_unclear(document, value))
    if unclear:
        raise InputError(*unclear)
    parts_of = document.place.parts
    groups = {key: _fragment(group, parts_of[key]) for key, group in value.items()}
    members: dict[str, JsonValue] = {key: group[0] for key, group in groups.items()}
    parts: dict[Key, Place] = {key: group[1] for key, group in groups.items()}
    place = Place(document.place.line, None, parts)
    return Document(document.file, members, place, document.warnings)


def _unclear(document: Document, value: dict[str, JsonValue]) -> Iterator[Problem]:
    """Yield the nulls over sections whose keys schema 2 spreads over several of its own."""
    for key, group in value.items():
        backend = group.get("backend") if isinstance(group, dict) else None
        found = [("backend", name) for name in ENGINES if isinstance(backend, dict)]
        paths = [("backend",), ("resources",), *found] if key != "base" else []
        for path in paths:
            inner: JsonValue = group
            for name in path[:-1]:
                inner = inner[name] if isinstance(inner, dict) else None
            if isinstance(inner, dict) and path[-1] in inner and inner[path[-1]] is None:
                what = f"{key}: a null removes all of {'.'.join(path)}"
                yield Problem(what, document.where(key, *path), "name the keys to remove")


def _mixed(document: Document) -> Iterator[Problem]:
    """Yield the sections of the v1 form that stand in a file of schema 2."""
    value = document.value
    assert isinstance(value, dict)
    whole: tuple[tuple[str, ...], JsonValue] = ((), value)
    groups: list[tuple[tuple[str, ...], JsonValue]] = [((key,), value[key]) for key in value]
    for path, group in groups if "base" in value else [whole]:
        if not isinstance(group, dict):
            continue
        if "backend" in group:
            where = document.where(*path, "backend")
            yield Problem("backend is of the v1 form", where, "write roles and engine")
        resources = group.get("resources")
        for key in resources if isinstance(resources, dict) else ():
            if (role := _role_key(key)) is not None:
                where = document.where(*path, "resources", key)
                advice = f"write it as roles.{role[0]}.{role[1]}"
                yield Problem(f"resources.{key} is of the v1 form", where, advice)


def _fragment(value: JsonValue, place: Place) -> Located:
    """Return one fragment with its keys moved."""
    if not isinstance(value, dict):
        return value, place
    moves: list[_Move] = []
    for key, part in value.items():
        located = (part, place.parts[key])
        if key in _SECTIONS and isinstance(part, dict):
            moves += _SECTIONS[key](part, place.parts[key])
        elif key != "backend" or part is not None:
            moves.append(((key,), located))
    return _built(moves, place.line)


def _built(moves: list[_Move], line: int) -> Located:
    """Return the mapping that has every moved value at its path."""
    groups: dict[str, list[_Move]] = {}
    for path, located in moves:
        groups.setdefault(path[0], []).append((path[1:], located))
    members: dict[str, JsonValue] = {}
    parts: dict[Key, Place] = {}
    for key, group in groups.items():
        whole = [located for path, located in group if not path]
        deeper = [(path, located) for path, located in group if path]
        first = whole[0] if whole else deeper[0][1]
        members[key], parts[key] = _built(deeper, first[1].line) if deeper else first
    return members, Place(line, None, parts)


def _resources(section: dict[str, JsonValue], place: Place) -> Iterator[_Move]:
    for key, value in section.items():
        role = _role_key(key)
        located = (value, place.parts[key])
        if role is None:
            yield ("resources", key), located
        elif key == "decode_nodes":
            yield ("roles", *role), (_shared(value), place.parts[key])
        else:
            yield ("roles", *role), located


def _role_key(key: str) -> tuple[str, str] | None:
    """Return where schema 2 has a key of `resources`, as (role, key)."""
    for role in MODES:
        if key == f"gpus_per_{role}":
            return role, "gpus"
        for name in ("nodes", "workers", "critical"):
            if key == f"{role}_{name}":
                return role, name
    return None


def _shared(nodes: JsonValue) -> JsonValue:
    """Return node counts with 0 spelled out: decode shares the nodes of prefill."""
    if isinstance(nodes, list):
        return [_shared(one) for one in nodes]
    return COLOCATE if nodes == 0 and not isinstance(nodes, bool) else nodes


def _backend(section: dict[str, JsonValue], place: Place) -> Iterator[_Move]:
    for key, value in section.items():
        located = (value, place.parts[key])
        role = next((role for role, mode in MODES.items() if key.startswith(f"{mode}_")), None)
        if role is not None and key.endswith("_environment"):
            yield ("roles", role, "env"), located
        elif role is not None and key.endswith("_extra_args"):
            yield ("roles", role, "extra_args"), located
        elif key in ENGINES and isinstance(value, dict):
            yield from _by_role(value, place.parts[key], "args", ("engine", key))
        elif key == "kv_events_config" and isinstance(value, dict):
            yield from _by_role(value, place.parts[key], "kv_events", ("engine", key))
        elif key == "kv_events_config" and value is True:
            for name in _publishing(section):
                yield ("roles", name, "kv_events"), located
        else:
            yield ("engine", key), located


def _publishing(section: dict[str, JsonValue]) -> Iterator[str]:
    """Yield the roles that a bare `kv_events_config: true` means: an aggregate only on SGLang."""
    for role, mode in MODES.items():
        inner = [section[key] for key in ENGINES if key in section]
        named = any(isinstance(one, dict) and mode in one for one in inner)
        if role != "agg" or section.get("type", DEFAULT_ENGINE) == DEFAULT_ENGINE:
            yield from [role] if named or f"{mode}_environment" in section else []


def _by_role(
    section: dict[str, JsonValue], place: Place, name: str, rest: tuple[str, str]
) -> Iterator[_Move]:
    roles = {mode: role for role, mode in MODES.items()}
    for mode, value in section.items():
        path = ("roles", roles[mode], name) if mode in roles else (*rest, mode)
        yield path, (value, place.parts[mode])


def _placed(section: str) -> Callable[[dict[str, JsonValue], Place], Iterator[_Move]]:
    def moves(value: dict[str, JsonValue], place: Place) -> Iterator[_Move]:
        for key, part in value.items():
            if key == PLACEMENTS[section]:
                yield (section, "placement", "node"), (part, place.parts[key])
            elif section == "frontend" and key == "type" and isinstance(part, str):
                name = FRONTENDS.get(part, part)
                yield (section, key), (name, Place(place.parts[key].line, name))
            else:
                yield (section, key), (part, place.parts[key])

    return moves


_SECTIONS = {
    "resources": _resources,
    "backend": _backend,
    "frontend": _placed("frontend"),
    "benchmark": _placed("benchmark"),
}
