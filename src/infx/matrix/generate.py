"""The matrix of a catalog: filtered, expanded, with its evaluations chosen."""

from collections.abc import Sequence

from infx.errors import InputError, Problem
from infx.matrix import expand, filters
from infx.matrix.catalog import Catalog
from infx.matrix.collisions import drop_collisions
from infx.matrix.evals import changed, mark, mark_all
from infx.matrix.options import Options
from infx.matrix.smoke import smoke, trim
from infx.model.sweep import Row


def generate(catalog: Catalog, options: Options) -> list[Row]:
    """Return the rows that `options` ask for.

    Raises InputError for flags without a meaning here, for names that nothing has, and, since an
    empty matrix looks like a success, when nothing is left: it names the filter that did it.
    """
    filters.check(options, catalog)
    rows = filters.named(_expanded(catalog, options), options.exp_names)
    chosen = select(rows, options)
    if not chosen:
        raise InputError(_emptied(catalog, options, rows))
    return chosen


def _expanded(catalog: Catalog, options: Options) -> list[Row]:
    return expand.rows(catalog, filters.keys(options, catalog), options)


def select(rows: Sequence[Row], options: Options) -> list[Row]:
    """Choose which of fresh rows are evaluated, and trim them where that is asked for."""
    mode, edition = options.evals, options.edition
    found = list(rows)
    if mode == "all":
        found = mark_all(rows, edition)
    elif mode != "none":
        found = mark(rows, edition, agentic=mode == "only")
    if edition != "2026-08":
        found = drop_collisions(found)
    if mode == "smoke":
        return smoke(found)
    if options.trim_conc:
        found = trim(found)
    if mode in ("only", "all"):
        return [changed(row, eval_only=True, require_power=None) for row in found if row.run_eval]
    return found


def _emptied(catalog: Catalog, options: Options, rows: Sequence[Row]) -> Problem:
    """Say which filter left nothing: the first that does so on top of those before it."""
    if rows:
        what = f"none of the {len(rows)} rows that the other filters leave is evaluated"
        name = "--all-evals" if options.evals == "all" else "--evals-only"
        return Problem(what, name, "evaluations are at 8k1k, from concurrency 16 on")
    before = len(expand.rows(catalog, catalog.keys, Options(edition=options.edition)))
    of = "of the catalog"
    for name, narrower in filters.added(options):
        left = len(_expanded(catalog, narrower))
        if not left:
            what = f"this leaves none of the {before} rows {of}"
            return Problem(what, filters.flag(name), "widen it, or drop it")
        before, of = left, "that the filters before it leave"
    return Problem("the catalog has no rows", None, "add entries to its files")
