"""The story of `infx matrix generate`: files to a catalog, the catalog to rows."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from infx.errors import InputError, Problem
from infx.flows.catalog import load_catalog
from infx.flows.recipe_files import block_opener, opener, stated_nodes
from infx.matrix.catalog import Catalog
from infx.matrix.generate import generate
from infx.matrix.options import Edition, Options
from infx.model.sweep import Row
from infx.store.catalog import find
from infx.store.recipes import roots_around


@dataclass(frozen=True, slots=True)
class Matrix:
    """The rows that were asked for, and what the catalog's reader should see."""

    rows: list[Row]
    warnings: tuple[Problem, ...]


def matrix(
    files: Sequence[Path] | None,
    runner_file: Path | None,
    options: Options,
    *,
    edition: Edition | None = None,
    recipe_roots: Sequence[Path] = (),
) -> Matrix:
    """Return the rows of a catalog's files; without files, of those that are found here.

    Without an edition the rules are those of the runner file's form; without roots, recipes are
    looked for around the files. Raises InputError for files that cannot be read, flags that
    name nothing, and when nothing is left; by the rules of October also for rows whose recipe is
    missing, or does not bind at one of their points.
    """
    found = find(files, runner_file)
    roots = recipe_roots or roots_around(found.masters)
    catalog = load_catalog(found.masters, found.runners, roots)
    nodes = stated_nodes(roots)
    options = replace(options, edition=edition or catalog.edition, recipe_nodes=nodes)
    rows = generate(catalog, options)
    if options.edition != "2026-08":
        _resolve(catalog, options, roots)
    return Matrix(rows, catalog.warnings)


def _resolve(catalog: Catalog, options: Options, roots: Sequence[Path]) -> None:
    # Imported here: the rules of August open no recipe.
    from infx.matrix.resolution import Resolution

    problems = Resolution(opener(roots), block_opener()).problems(catalog, options)
    if found := tuple(dict.fromkeys(problems)):
        raise InputError(*found)


def rows_json(rows: Sequence[Row]) -> str:
    """Return rows as the public generator prints them: one array on one line, all of it ASCII."""
    texts = (
        row.__pydantic_serializer__.to_json(row, by_alias=True, exclude_none=True) for row in rows
    )
    text = f"[{b', '.join(texts).decode()}]"
    return text if text.isascii() else json.dumps(json.loads(text))
