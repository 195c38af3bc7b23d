"""Recipes that a user names: find the file, read it, bind it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from infx.model.document import Document
from infx.recipes.bind import bind
from infx.recipes.binding import Binding
from infx.recipes.target import Target
from infx.recipes.variants import split_selector
from infx.store import recipes
from infx.store.catalog import masters_under


@dataclass(frozen=True, slots=True)
class Shown:
    """A recipe bound at one concurrency; None is a recipe that was asked at none."""

    concurrency: int | None
    binding: Binding


def open_recipe(reference: str, roots: Sequence[Path] = ()) -> tuple[Document, str | None]:
    """Return the file that `FILE` or `FILE:SELECTOR` names, and the selector.

    Without roots the file may also begin at one around the catalog that is found here. Raises
    InputError where there is no such file, or it is no YAML.
    """
    file, selector = split_selector(reference)
    around = tuple(roots) or recipes.roots_around(masters_under() or (Path("any"),))
    return recipes.read(recipes.find(file, around)), selector


def show(
    reference: str,
    *,
    concurrency: Sequence[int] = (),
    target: Target | None = None,
    shared: Path | None = None,
    roots: Sequence[Path] = (),
) -> list[Shown]:
    """Return a recipe bound at each concurrency, or once where none is asked.

    `target` is the rest of the point. Raises InputError as `bind` does.
    """
    document, selector = open_recipe(reference, roots)
    block = recipes.read(shared) if shared is not None else None
    asked = target or Target()
    points: Sequence[int | None] = concurrency or (None,)
    return [
        Shown(
            point,
            bind(
                document,
                selector=selector,
                shared=block,
                target=replace(asked, concurrency=point),
            ),
        )
        for point in points
    ]
