"""The golden length of a server as a point keeps it: no file is at hand, only what was stated.

A model is known by its name, as it is served or as its checkpoint is called: a curve holds for the
name that it has itself, whatever its precision and its edition.
"""

import re
from collections.abc import Mapping
from typing import get_args

from pydantic import JsonValue

from infx.errors import InputError
from infx.model.acceptance import Cell, Curve
from infx.model.model_registry import ModelRegistry
from infx.model.precision import Precision
from infx.model.recipe import BoundRecipe
from infx.recipes.acceptance import curves, naming
from infx.recipes.acceptance.bound import THINKING
from infx.recipes.acceptance.plan import generating, read_roles, speculation

TEMPLATE = "chat_template_kwargs"
"""The field of a request that holds the arguments of the chat template."""

_EDITION = re.compile(r"v[0-9]+")


def golden_of(
    recipe: BoundRecipe,
    asked: Mapping[str, JsonValue],
    golden: Mapping[str, Curve],
    models: ModelRegistry,
) -> Cell | str:
    """Return the golden cell that a server is held to in agentic runs, or why none can be told.

    `asked` are the fields of each request's body beside its prompt.
    """
    roles: dict[str, JsonValue] = {
        name: role.model_dump(mode="json") for name, role in recipe.roles.items()
    }
    role = generating(read_roles({"engine": recipe.engine, "roles": roles}))
    if role is None:
        return "no role of the recipe generates tokens"
    try:
        drafts = speculation(role)
        if drafts is None:
            return f"the role {role.name} does not speculate"
        prefix = prefix_of(recipe.model, golden, models)
        if prefix is None:
            return f"there is no golden curve for the model {recipe.model}"
        name = naming.curve_name(prefix, drafts)
        thinking = _stated(recipe) or _asked(golden.get(name), asked)
        if thinking is None:
            return "nobody says whether the model thinks, and golden acceptance depends on it"
        return curves.find(golden, name, thinking=thinking, length=drafts.length)
    except InputError as error:
        return "; ".join(problem.what for problem in error.problems)


def prefix_of(model: str | None, golden: Mapping[str, Curve], models: ModelRegistry) -> str | None:
    """Return the prefix of the registered model whose curves hold for a name; the longest wins."""
    if model is None:
        return None
    fitting = [
        (len(_words(curve.model)), one.prefix)
        for curve in golden.values()
        for one in models.models
        if curve.name.startswith((f"{one.prefix}_", f"{one.prefix}-"))
        and _is_edition(_words(model), _words(curve.model))
    ]
    return max(fitting, default=(0, None))[1]


def _stated(recipe: BoundRecipe) -> str | None:
    """Return the mode that the recipe states for its benchmark."""
    node: object = recipe.settings
    for key in THINKING:
        node = node.get(key) if isinstance(node, dict) else None
    return node if isinstance(node, str) else None


def _asked(curve: Curve | None, asked: Mapping[str, JsonValue]) -> str | None:
    """Return the mode that a curve measured with what the requests tell the chat template."""
    sent, sampling = asked.get(TEMPLATE), None if curve is None else curve.measured.get("sampling")
    if not isinstance(sent, dict) or not isinstance(sampling, dict):
        return None
    for mode, settings in sampling.items():
        wanted = settings.get("chat-template") if isinstance(settings, dict) else None
        if isinstance(wanted, dict) and wanted and wanted.items() <= sent.items():
            return mode
    return None


def _words(model: str) -> list[str]:
    """Return the words of a model's name, without its owner and its precision."""
    words = model.rpartition("/")[2].lower().split("-")
    return [word for word in words if word not in get_args(Precision)]


def _is_edition(words: list[str], of: list[str]) -> bool:
    """Whether a name is another one, or that one's next edition.

    >>> _is_edition(["kimi", "k3", "v2"], ["kimi", "k3"]), _is_edition(["glm", "5"], ["glm"])
    (True, False)
    """
    rest = words[len(of) :]
    return words[: len(of)] == of and all(_EDITION.fullmatch(word) for word in rest)
