"""The JSON Schema of recipe files (schema 2), from the tables that binding itself obeys.

A file is one recipe, or a bundle: `base`, and groups that are laid over it. In a group a null takes
a key away; in a zip group a list has one value for each variant.
"""

from collections.abc import Mapping

from pydantic import JsonValue

from infx.model.recipe import Role
from infx.recipes.owned import OWNED, OWNED_ENV, SELECTORS
from infx.recipes.roles import ROLES
from infx.recipes.variants import OVERRIDE, ZIP

Schema = dict[str, JsonValue]

_COUNT: Schema = {"type": "integer", "minimum": 1}
_WORD: Schema = {"type": "string", "minLength": 1}
_ANY: Schema = {"type": "object"}
_TEXT: Schema = {
    "type": ["string", "number", "boolean"],
    "description": "An environment gets it as it is written here.",
}
_ENVIRONMENT: Schema = {"type": "object", "additionalProperties": _TEXT}
_ROLE: Mapping[str, Schema] = {
    "nodes": {"anyOf": [_COUNT, {"const": "colocate"}]},
    "workers": _COUNT,
    "gpus": {**_COUNT, "description": "Accelerators of one worker."},
    "args": {**_ANY, "description": "The engine's own arguments, without the leading hyphens."},
    "extra_args": {"type": "array", "items": {"type": ["string", "number"]}},
    "env": _ENVIRONMENT,
    "sidecar": {"type": "boolean"},
    "critical": {"type": "boolean"},
    "engine": _WORD,
}
_SECTIONS: Mapping[str, Schema] = {
    "schema": {"const": 2},
    "name": _WORD,
    "engine": {"anyOf": [_WORD, _ANY], "description": "A name, or its type and how it connects."},
    "resources": {
        "type": "object",
        "properties": {"gpu_type": _WORD, "gpus_per_node": _COUNT},
    },
    "frontend": {
        "type": "object",
        "properties": {
            "type": _WORD,
            "enable_multiple_frontends": {"type": "boolean"},
            "container_image": _WORD,
            "args": _ANY,
            "env": _ENVIRONMENT,
        },
    },
    "health_check": {
        "type": "object",
        "properties": {"max_attempts": _COUNT, "interval_seconds": _COUNT},
    },
    "environment": _ENVIRONMENT,
    "setup_script": _WORD,
    "services": {"type": ["array", "object"]},
    **dict.fromkeys(
        (
            "dynamo", "infra", "observability", "placement", "sbatch_directives", "slurm",
            "srun_options",
        ),
        _ANY,
    ),
}  # fmt: skip


def recipe_schema() -> Schema:
    """Return the schema; what the binder owns is marked, with the place it comes from."""
    role: Schema = {
        "type": "object",
        "properties": {name: _ROLE.get(name, {}) for name in Role.model_fields},
        "additionalProperties": False,
    }
    roles: Schema = {
        "type": "object",
        "properties": dict.fromkeys(ROLES, role),
        "additionalProperties": False,
    }
    recipe: Schema = {"type": "object", "properties": {**_SECTIONS, "roles": roles}}
    for path, owner in OWNED.items():
        _mark(recipe, [str(step) for step in path], owner)
    for variable, owner in OWNED_ENV.items():
        if variable not in SELECTORS:
            _mark(recipe, ["benchmark", "env", variable], owner)
    properties = _properties(recipe)
    return {
        "type": "object",
        "properties": {"base": recipe, **properties},
        "patternProperties": {
            f"^{OVERRIDE}.": _overlay(recipe, several=False),
            f"^{ZIP}.": _overlay(recipe, several=True),
        },
        "additionalProperties": False,
    }


def _mark(node: Schema, path: list[str], owner: str) -> None:
    """Strike out what is at `path`: files of the field state it, new ones are refused for it."""
    for step in path[:-1]:
        inner = _properties(node).setdefault(step, {"type": "object", "properties": {}})
        assert isinstance(inner, dict)
        node = inner
    what = f"Not a recipe's to state: it is {owner}."
    _properties(node)[path[-1]] = {"deprecated": True, "description": what}


def _properties(node: Schema) -> Schema:
    found = node.setdefault("properties", {})
    assert isinstance(found, dict)
    return found


def _overlay(node: Schema, *, several: bool) -> Schema:
    """Return what may be laid over a schema: parts of it, nulls and, for a zip group, lists."""
    if "deprecated" in node:
        return node
    if node.get("type") != "object":
        also: list[JsonValue] = [{"type": "null"}]
        if several:
            also.append({"type": "array"})
        return {"anyOf": [node, *also]}
    parts = node.get("properties")
    inner: Schema = {
        name: _overlay(part, several=several)
        for name, part in (parts if isinstance(parts, dict) else {}).items()
        if isinstance(part, dict)
    }
    rest = node.get("additionalProperties", True)
    if isinstance(rest, dict):
        rest = _overlay(rest, several=several)
    return {"type": ["object", "null"], "properties": inner, "additionalProperties": rest}
