"""The recipes that a catalog's rows name: opened once, for their topology and their nodes."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from infx.model.document import Document


def opener(roots: Sequence[Path]) -> Callable[[str, str], Document]:
    """Return what opens a recipe under some roots; a second word is the line that names it.

    It raises InputError for a file that no root has, or that cannot be read.
    """

    @cache
    def read(path: Path) -> Document:
        from infx.store import recipes

        return recipes.read(path)

    def recipe(name: str, where: str) -> Document:
        from infx.store import recipes

        return read(recipes.find(name, roots, where=where))

    return recipe


def block_opener() -> Callable[[str, bool, bool], Document | None]:
    """Return what opens the shared block of a lane, beside a master's file; None without one.

    The other two words say whether the lane is agentic, and whether it spans several nodes.
    """

    @cache
    def block(master: str, agentic: bool, multinode: bool) -> Document | None:
        from infx.store import recipes

        path = recipes.shared_block(Path(master), agentic=agentic, multinode=multinode)
        return None if path is None else recipes.read(path)

    return block


def stated_nodes(roots: Sequence[Path]) -> Callable[[str], int | None]:
    """Return what knows the node count of `FILE` or `FILE:SELECTOR` under some roots.

    It is None for a file that no root has, for the v1 form, and where the variants that a reference
    names do not agree; it raises InputError for a file that cannot be read.
    """

    @cache
    def nodes(reference: str) -> int | None:
        # Imported here: most catalogs have no such row, and need none of it.
        from infx.recipes.merge import plain
        from infx.recipes.select import combined
        from infx.recipes.topology import facts
        from infx.recipes.variants import select, split_selector
        from infx.store.recipes import locate, read

        file, selector = split_selector(reference)
        path = locate(file, roots)
        if path is None:
            return None
        counts: set[int | None] = set()
        for variant in select(read(path), selector):
            tree = plain(combined(variant, None, {})) if variant.form == 2 else None
            counts.add(facts(tree).nodes if isinstance(tree, dict) else None)
        return counts.pop() if len(counts) == 1 else None

    return nodes
