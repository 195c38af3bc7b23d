"""The story of `infx schema write`: models to JSON Schemas that an editor checks YAML with.

Editors see what a schema can say: keys, types, choices, defaults. Rules over several fields are
told when the files are read.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import JsonValue, TypeAdapter

from infx.errors import MachineError, Problem
from infx.flows.recipe_editor_schema import recipe_schema
from infx.model.catalog import ConfigKey, HardwareRunners
from infx.model.changelog import Entry
from infx.model.cluster import ClusterRunners
from infx.model.priority import CiPriority
from infx.store.recipes import SHARED, default_roots

RECIPES = "recipes/*.yaml"
"""Files of recipes where nobody knows their folders yet."""

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NULL: JsonValue = {"type": "null"}
_CONCURRENCIES: JsonValue = [
    {"required": ["conc-list"]},
    {"required": ["conc-start", "conc-end"]},
]


@dataclass(frozen=True, slots=True)
class Written:
    """One schema on disk, and the files that it is for."""

    path: Path
    files: str


def write_schemas(folder: Path) -> list[Written]:
    """Write every schema into `folder`; raises MachineError where it cannot be written."""
    written: list[Written] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, (files, schema) in schemas().items():
            path = folder / f"{name}.schema.json"
            path.write_text(json.dumps(schema, indent=2) + "\n", encoding="utf-8")
            written.append(Written(path, files))
    except OSError as error:
        raise MachineError(
            Problem(f"cannot write: {error.strerror}", str(folder), "name another: --out DIR")
        ) from error
    return written


def recipe_patterns(home: Path) -> tuple[str, ...]:
    """Return patterns of the recipe files around a catalog, from its folder `home`: one a depth.

    The blocks that lanes share are no recipes.
    """
    found: list[str] = []
    for root in default_roots(home / "any-master.yaml"):
        above = Path(os.path.relpath(root, home.absolute())).as_posix()
        depths = {len(path.relative_to(root).parts) - 1 for path in root.rglob("*.yaml")}
        if root.name == SHARED:
            depths.discard(0)
        found += (f"{above}/{'*/' * depth}*.yaml" for depth in sorted(depths))
    return tuple(found) or (RECIPES,)


def schemas() -> dict[str, tuple[str, dict[str, JsonValue]]]:
    """Return each schema by its name, with the pattern of the files it is for."""
    master = _schema("Master configuration", dict[str, ConfigKey])
    master["propertyNames"] = {"pattern": "^[^*?]+$"}
    for definition in _mappings(master["$defs"]):
        if "conc-list" in _mapping(definition.get("properties")):
            definition["oneOf"] = _CONCURRENCIES
    return {
        "master": ("*-master.yaml", master),
        "runners": (
            "runners.yaml",
            _schema("Runners and their machines", HardwareRunners | ClusterRunners),
        ),
        "ci-priority": ("ci-priority.yaml", _schema("Priority of jobs", CiPriority)),
        "changelog": ("perf-changelog.yaml", _schema("Changelog", list[Entry])),
        "recipe": (
            RECIPES,
            {"$schema": _DIALECT, **recipe_schema(), "title": "Recipe"},
        ),
    }


def _schema(title: str, kind: Any) -> dict[str, JsonValue]:  # noqa: ANN401 - as TypeAdapter has it
    adapter: TypeAdapter[object] = TypeAdapter(kind)
    schema = _stated(adapter.json_schema())
    assert isinstance(schema, dict)
    return {"$schema": _DIALECT, **schema, "title": title}


def _stated(node: JsonValue) -> JsonValue:
    """Return a schema in which a key that may be left out need not be offered as null.

    Nobody writes `tp: null`; without that choice an editor says what is wrong with `tp: '4'`.
    """
    if isinstance(node, list):
        return [_stated(part) for part in node]
    if not isinstance(node, dict):
        return node
    kept = {name: _stated(part) for name, part in node.items()}
    choices = kept.get("anyOf")
    if not isinstance(choices, list) or _NULL not in choices:
        return kept
    del kept["anyOf"]
    if kept.get("default", ...) is None:
        del kept["default"]
    others = [choice for choice in choices if choice != _NULL]
    return {**_mapping(others[0]), **kept} if len(others) == 1 else {**kept, "anyOf": others}


def _mapping(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _mappings(value: JsonValue) -> list[dict[str, JsonValue]]:
    return [one for one in _mapping(value).values() if isinstance(one, dict)]
