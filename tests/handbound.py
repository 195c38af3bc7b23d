"""Bindings made by hand: every leaf of a tree on a line of its own, in the order written."""

from importlib import import_module

from infx.model.recipe import BoundRecipe
from infx.recipes.binding import Binding, Origin
from infx.recipes.lint import Context
from infx.recipes.lints import LINTS


def bound(tree, *, file="recipe.yaml", variant="", removed=None, image=None):
    """Return the binding of `tree`: its first leaf stands on line 1, the next on line 2."""
    leaves = list(_leaves(tree))
    origins = {path: (Origin("base", file, line),) for line, path in enumerate(leaves, 1)}
    gone = {
        path: (Origin(variant or "base", file, line),) for path, line in (removed or {}).items()
    }
    recipe = BoundRecipe(name="hand", image=image)
    return Binding(file, variant, tree, origins, recipe, gone)


def serving(args, *, engine="sglang", role="agg", gpu="gb200", **role_keys):
    """Return a recipe of one role: `roles` first, so that its first argument is line 1."""
    return {
        "roles": {role: {"args": args, **role_keys}},
        "engine": engine,
        "resources": {"gpu_type": gpu, "gpus_per_node": 4},
    }


def _leaves(tree, start=()):
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*start, key))
        else:
            yield (*start, key)


def said(lint, tree, *, variant="", **known):
    """Return what one lint says of a recipe: `line: what; remedy` each, in order."""
    check = import_module(LINTS[lint]).check
    binding = tree if isinstance(tree, Binding) else bound(tree, variant=variant)
    return [
        str(problem).removeprefix(f"{binding.file}:")
        for problem in check(binding, Context(**known))
    ]
