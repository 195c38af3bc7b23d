"""The story of reading a catalog: files to what may be run."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from infx.errors import InputError, Problem
from infx.flows.recipe_files import opener
from infx.matrix.catalog import Catalog, catalog
from infx.model.document import Document
from infx.store.catalog import find
from infx.store.documents import read_yaml
from infx.store.recipes import roots_around


def load_catalog(
    masters: Sequence[Path] | None = None,
    runners: Path | None = None,
    roots: Sequence[Path] = (),
) -> Catalog:
    """Read and judge a catalog; files that are not named are looked for from here.

    Recipes of rows that leave their topology to them are looked for in `roots`, which without any
    are those around the masters. Raises InputError with every problem of every file.
    """
    files = find(masters, runners)
    recipes = opener(roots or roots_around(files.masters))
    problems: list[Problem] = []
    with no_collections():
        documents = list(_read(files.masters, problems))
        try:
            found = catalog(documents, read_yaml(files.runners), recipes)
        except InputError as error:
            raise InputError(*problems, *error.problems) from None
    if problems:
        raise InputError(*problems)
    return found


def _read(paths: Sequence[Path], problems: list[Problem]) -> Iterator[Document]:
    """Yield the files that can be read; what is wrong with the others is added to `problems`."""
    for path in paths:
        try:
            yield read_yaml(path)
        except InputError as error:
            problems += error.problems


@contextmanager
def no_collections() -> Iterator[None]:
    """Keep the collector from walking the growing tree again and again: a fifth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
