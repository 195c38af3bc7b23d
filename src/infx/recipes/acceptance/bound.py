"""Golden acceptance of a bound recipe: its own origins say where each refusal stands."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from infx.errors import InputError, Problem
from infx.model.acceptance import Curve
from infx.model.document import Document
from infx.recipes.acceptance import overrides
from infx.recipes.acceptance.overrides import Override
from infx.recipes.acceptance.plan import Conditions, Plan, plan
from infx.recipes.acceptance.role import Where
from infx.recipes.binding import Binding
from infx.recipes.v1 import to_schema2

THINKING = ("benchmark", "env", "THINKING_MODE")
"""Where a recipe may say whether its benchmark lets the model think."""


def plan_bound(
    binding: Binding,
    conditions: Conditions,
    golden: Mapping[str, Curve],
    *,
    document: Document,
    changes: Sequence[Override] = (),
) -> Plan:
    """Return what golden acceptance does to a binding after a caller's changes.

    `document` is the file that was bound. Raises InputError for what `plan` refuses, and for
    changes that supply a length or erase it, and for an injection that swallows a zip group.
    """
    supplied = list(overrides.supplied(changes))
    if supplied:
        raise InputError(*supplied)
    where = places(binding)
    tree = overrides.apply(binding.tree, changes)
    stated = _thinking(tree, conditions.thinking, where)
    conditions = replace(conditions, thinking=stated)
    _refuse_removals(binding, conditions, golden, changes)
    found = plan(tree, conditions, golden, where=where)
    if found.cell is not None:
        refused = list(overrides.collapsed(to_schema2(document), binding.variant, found))
        if refused:
            raise InputError(*refused)
    return found


def _refuse_removals(
    binding: Binding,
    conditions: Conditions,
    golden: Mapping[str, Curve],
    changes: Sequence[Override],
) -> None:
    """Refuse removals of what would be injected if nothing were removed."""
    kept = [change for change in changes if not change.removes]
    if len(kept) == len(changes):
        return
    try:
        whole = plan(overrides.apply(binding.tree, kept), conditions, golden)
    except InputError:
        # A removal may be what mends the recipe; what is still wrong after it is told then.
        return
    refused = list(overrides.erased(changes, whole)) if whole.cell is not None else []
    if refused:
        raise InputError(*refused)


def places(binding: Binding) -> Where:
    """Return what names a path of a binding's tree as `file:line`.

    A mapping stands where its first leaf does, and a part that is missing where its parent does.
    """

    def where(*path: str) -> str:
        for depth in range(len(path), 0, -1):
            for known, origins in binding.origins.items():
                if known[:depth] == path[:depth] and origins:
                    return origins[0].where
        return binding.file

    return where


def _thinking(tree: Mapping[str, object], asked: str | None, where: Where) -> str | None:
    """Return the thinking mode that was asked for, or the recipe's; refuse two that differ."""
    node: object = tree
    for key in THINKING:
        node = node.get(key) if isinstance(node, dict) else None
    if not isinstance(node, str):
        return asked
    if asked not in (None, node):
        raise InputError(
            Problem(
                f"THINKING_MODE is {node}, and {asked} was asked for",
                where(*THINKING),
                "ask for what the recipe says",
            )
        )
    return node
