"""A merged recipe as the value that is kept and compared."""

import json
from collections.abc import Mapping

from pydantic import JsonValue

from infx.model.recipe import BoundRecipe, Role
from infx.recipes.binding import Path
from infx.recipes.merge import Branch, Leaf, find, plain
from infx.recipes.site import site_of, without
from infx.recipes.target import Target
from infx.recipes.topology import COLOCATE, facts

_OWN: frozenset[Path] = frozenset(
    {
        ("schema",),
        ("model", "path"),
        ("model", "container"),
        ("model", "precision"),
        ("identity", "model", "repo"),
        ("identity", "model", "revision"),
        ("identity", "container", "image"),
        ("resources", "gpu_type"),
        ("engine", "type"),
        ("benchmark", "env", "KV_OFFLOADING"),
    }
)
"""Leaves that have a field of their own in `BoundRecipe`."""


def bound_recipe(root: Branch, target: Target) -> BoundRecipe:
    """Return the kept form of a merged recipe at a point, whose roles were judged before."""
    tree = plain(root)
    assert isinstance(tree, dict)
    site, out = site_of(root)
    kept = dict(_mapping(plain(without(root, out | _OWN) or Branch({}))))
    if not isinstance(kept.get("engine"), dict):
        kept.pop("engine", None)
    roles, environment = kept.pop("roles", None), kept.pop("environment", None)
    found = facts(tree)
    drafts = found.speculation
    offload = _text(root, "benchmark", "env", "KV_OFFLOADING")
    return BoundRecipe(
        name=site.job_name or "recipe",
        engine=found.engine,
        image=target.image
        or _text(root, "identity", "container", "image")
        or _text(root, "model", "container"),
        model=target.model or _text(root, "identity", "model", "repo") or _model(root),
        checkpoint=target.checkpoint or _text(root, "identity", "model", "revision"),
        precision=target.precision or _text(root, "model", "precision"),
        hardware=_text(root, "resources", "gpu_type"),
        gpus=found.gpus,
        speculative=drafts.method if drafts is not None else "none",
        disaggregated=found.disaggregated,
        offload=target.offload or offload,
        environment=_variables(environment),
        roles={name: _role(role) for name, role in _mapping(roles).items()},
        settings=kept,
        site=site,
    )


def _model(root: Branch) -> str | None:
    """Return the model that a checkpoint's path names; None for a path of the file system."""
    path = _text(root, "model", "path")
    return None if path is None or path.startswith("/") else path.removeprefix("hf:")


def _role(value: JsonValue) -> Role:
    role = _mapping(value)
    words = role.get("extra_args")
    nodes, workers, gpus = (role.get(key) for key in ("nodes", "workers", "gpus"))
    engine, sidecar, critical = (role.get(key) for key in ("engine", "sidecar", "critical"))
    return Role(
        nodes="colocate" if nodes == COLOCATE else nodes if isinstance(nodes, int) else None,
        workers=workers if isinstance(workers, int) else None,
        gpus=gpus if isinstance(gpus, int) else None,
        args=dict(_mapping(role.get("args"))),
        extra_args=tuple(map(_word, words)) if isinstance(words, list) else (),
        env=_variables(role.get("env")),
        engine=engine if isinstance(engine, str) else None,
        kv_events=role.get("kv_events"),
        sidecar=sidecar if isinstance(sidecar, bool) else None,
        critical=critical if isinstance(critical, bool) else None,
    )


def _word(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _variables(value: JsonValue) -> dict[str, str]:
    named = _mapping(value).items()
    return {key: _word(one) for key, one in named if one is not None}


def _text(root: Branch, *path: str) -> str | None:
    leaf = find(root, path)
    if not isinstance(leaf, Leaf) or leaf.value is None or isinstance(leaf.value, dict | list):
        return None
    return leaf.text if leaf.text is not None else str(leaf.value)


def _mapping(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}
