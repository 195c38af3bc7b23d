"""Bind a recipe at a point: one variant, merged, checked, with the line of every leaf."""

from collections.abc import Iterator
from dataclasses import replace

from pydantic import JsonValue

from infx.errors import InputError, Problem
from infx.model.document import Document
from infx.recipes.binding import Binding, Origin, Path
from infx.recipes.bound import bound_recipe
from infx.recipes.merge import Branch, Leaf, find, leaves, plain, plant, stated
from infx.recipes.owned import SHARED, owned_keys
from infx.recipes.roles import role_problems
from infx.recipes.sections import malformed_sections, unknown_sections
from infx.recipes.select import CONCURRENCIES, choose, combined, concurrencies, contradictions
from infx.recipes.symbols import check, literal_sizes
from infx.recipes.target import Target
from infx.recipes.variants import Variant, select


def bind(
    fragment: Document, *, selector: str | None, shared: Document | None, target: Target
) -> Binding:
    """Return the one variant of a recipe file that is meant at a point.

    `shared` is the block of the point's lane, merged under the fragment. Files of the v1 form bind
    as their schema-2 tree. Raises InputError with every problem at its line: no or several variants
    that fit, malformed roles, undefined expressions, and with `target.strict` unknown sections, the
    keys that the binder owns and literal DRAM sizes.
    """
    candidates = select(fragment, selector)
    chosen = choose(candidates, target, file=fragment.file)
    binding = bind_variant(chosen, shared=shared, target=target, file=fragment.file)
    return _with_warnings(binding, fragment.warnings)


def bind_variant(
    variant: Variant, *, shared: Document | None, target: Target, file: str
) -> Binding:
    """Return a variant bound at a point that it is known to fit; see `bind` for what is refused."""
    removed: dict[Path, tuple[Origin, ...]] = {}
    root = combined(variant, _shared(shared), removed)
    problems = list(_problems(root, variant, target=target, file=file))
    warnings = _unlisted(variant, target)
    warnings += contradictions(variant, target) if variant.form == 1 else ()
    if variant.form == 2:
        kept = [*unknown_sections(root), *literal_sizes(root)]
        kept += owned_keys(root, single_node=_is_single_node(root))
        if target.strict:
            problems += kept
        else:
            warnings += kept
    if problems:
        raise InputError(*problems)
    recipe = bound_recipe(root, target)
    tree = plain(root)
    assert isinstance(tree, dict)
    origins = {path: leaf.origins for path, leaf in leaves(root)}
    return Binding(
        file=file,
        variant=variant.selector,
        tree=tree,
        origins=origins,
        recipe=recipe,
        removed={path: chain for path, chain in removed.items() if path not in origins},
        warnings=tuple(warnings),
        form=variant.form,
    )


def refusals(
    variant: Variant, *, shared: Document | None, target: Target, file: str
) -> Iterator[Problem]:
    """Return what `bind_variant` refuses of a variant without `target.strict`; bind nothing."""
    return _problems(combined(variant, _shared(shared), {}), variant, target=target, file=file)


def _problems(root: Branch, variant: Variant, *, target: Target, file: str) -> Iterator[Problem]:
    yield from malformed_sections(root) if variant.form == 2 else ()
    yield from role_problems(root, file)
    yield from check(root, target.fabric, dram=target.dram)


def _shared(document: Document | None) -> Branch | None:
    if document is None:
        return None
    node = plant(document.value, document.place, layer=SHARED, file=document.file)
    if isinstance(node, Branch):
        return node
    raise InputError(Problem("a shared block is a mapping", document.where()))


def _is_single_node(root: Branch) -> bool:
    roles = root.parts.get("roles")
    nodes = find(root, ("roles", "agg", "nodes"))
    only_agg = isinstance(roles, Branch) and set(roles.parts) == {"agg"}
    return only_agg and (not isinstance(nodes, Leaf) or nodes.value in (None, 1))


def _unlisted(variant: Variant, target: Target) -> list[Problem]:
    """Return the warning that a point is beside the concurrencies that the recipe lists."""
    leaf = stated(variant.layers, CONCURRENCIES)
    listed: JsonValue = leaf.value if leaf is not None else None
    counts = concurrencies(listed) if leaf is not None else None
    if leaf is None or counts is None or target.concurrency in (None, *counts):
        return []
    shown = "x".join(map(str, counts))
    what = f"bound at concurrency {target.concurrency}; the recipe lists {shown}"
    return [Problem(what, leaf.origins[0].where)]


def _with_warnings(binding: Binding, more: tuple[Problem, ...]) -> Binding:
    return replace(binding, warnings=(*more, *binding.warnings)) if more else binding
