"""What recipes bind to, as digests; each content is bound once, whichever side or row names it."""

from dataclasses import dataclass, field

from infx.errors import InputError
from infx.matrix.affected import Row, concurrencies
from infx.matrix.targets import target, text
from infx.model import identity
from infx.model.document import Document
from infx.model.recipe import BoundRecipe
from infx.recipes.bind import bind, bind_variant
from infx.recipes.target import Target
from infx.recipes.variants import Variant, select

STATED = {"image": "image", "model": "model", "precision": "precision", "kv-offloading": "offload"}
"""Fields of a row that win over the recipe's own, and what a bound recipe calls them."""

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A recipe as a row names it: its content, the shared block under it, and a selector.

    `ids` identify both contents.
    """

    fragment: Document
    block: Document | None
    selector: str | None
    ids: Key


@dataclass(slots=True)
class RecipeDigests:
    """Digests of bound recipes, kept for every source and point."""

    _variants: dict[Key, tuple[Variant, ...]] = field(default_factory=dict)
    _bound: dict[Key, BoundRecipe | InputError] = field(default_factory=dict)
    _digests: dict[Key, str] = field(default_factory=dict)

    def digest(self, source: Source, row: Row) -> str:
        """Return the digest of what a recipe binds to for a row of one concurrency.

        Raises InputError where it does not bind.
        """
        key, recipe = self._recipe(source, row)
        own = {name: text(row.get(field_)) for field_, name in STATED.items()}
        stated = {name: value for name, value in own.items() if value is not None}
        point = (*key, *own.values())
        if point not in self._digests:
            self._digests[point] = identity.recipe_digest(recipe.model_copy(update=stated))
        return self._digests[point]

    def values(self, source: Source) -> str:
        """Identify a recipe that does not bind by the values that its files hold."""
        key = ("values", *source.ids, source.selector)
        if key not in self._digests:
            shared = None if source.block is None else source.block.value
            held = {"selector": source.selector, "shared": shared, "values": source.fragment.value}
            self._digests[key] = identity.digest(held)
        return self._digests[key]

    def _recipe(self, source: Source, row: Row) -> tuple[Key, BoundRecipe]:
        key: Key = (*source.ids, source.selector)
        if key not in self._variants:
            self._variants[key] = select(source.fragment, source.selector)
        found = self._variants[key]
        if len(found) > 1:
            # Only where there is a choice does it depend on the row what is bound.
            asked = target(row, *concurrencies(row))
            key = (*key, asked.concurrency, asked.offload, asked.single_node, asked.dram)
            key = (*key, *sorted(asked.parallel.items()))
        if key not in self._bound:
            self._bound[key] = _bind(source, found, row)
        outcome = self._bound[key]
        if isinstance(outcome, InputError):
            raise outcome
        return key, outcome


def _bind(source: Source, found: tuple[Variant, ...], row: Row) -> BoundRecipe | InputError:
    file = source.fragment.file
    try:
        if len(found) == 1:
            alone = bind_variant(found[0], shared=source.block, target=Target(), file=file)
            return alone.recipe
        asked = target(row, *concurrencies(row))
        chosen = bind(source.fragment, selector=source.selector, shared=source.block, target=asked)
    except InputError as error:
        return error
    return chosen.recipe
