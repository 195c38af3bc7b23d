"""Whether every point comes to exactly one recipe: the check of October, made before anything runs.

A row that names a recipe must name one that exists, and each of its concurrencies must fit exactly
one variant, whose expressions the cluster and the row define. No row supplies an acceptance length.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from infx.errors import InputError, Problem
from infx.matrix import filters, invariants
from infx.matrix.affected import Row, concurrencies
from infx.matrix.catalog import Catalog
from infx.matrix.completion import Recipes
from infx.matrix.expand import rows
from infx.matrix.faults import Path
from infx.matrix.options import Options
from infx.matrix.targets import target
from infx.model.catalog import ConfigKey, Scenarios, SearchSpace, Worker
from infx.model.document import Document, Key
from infx.recipes.acceptance.overrides import supplied_by_settings
from infx.recipes.bind import refusals
from infx.recipes.select import choose
from infx.recipes.target import Target
from infx.recipes.variants import Variant, select, split_selector

Shared = Callable[[str, bool, bool], Document | None]
"""Opens the block under a lane: the master's file, whether it is agentic, whether multi-node."""

_REMEDY = "correct the row, or the recipe at the lines named here"


@dataclass(slots=True)
class Resolution:
    """The recipes of rows, each variant judged once for all points that are alike to it."""

    recipes: Recipes
    shared: Shared
    _refused: dict[tuple[object, ...], tuple[Problem, ...]] = field(default_factory=dict)

    def problems(self, catalog: Catalog, options: Options) -> Iterator[Problem]:
        """Yield what keeps the points that `options` ask for from having a recipe.

        Each row is named at its line, then every reason stands at the line of the recipe.
        """
        for name in filters.keys(options, catalog):
            key = catalog.keys[name]
            for at, space in invariants.rows(key):
                row = _Row(catalog, options, name, at)
                yield from _lengths(row, space)
                if space.srt_recipe is not None:
                    yield from self._points(row, str(key.recipe(space.srt_recipe)))
                if space.eval_srt_recipe is not None:
                    reference = str(key.recipe(space.eval_srt_recipe))
                    if row.rows():
                        yield from self._opened(row, "eval-srt-recipe", reference=reference)[2]

    def _opened(
        self, row: "_Row", name: str, *, reference: str
    ) -> tuple[str, tuple[Variant, ...], Sequence[Problem]]:
        """Return the file and the variants that a reference names, or why there are none."""
        file, selector = split_selector(reference)
        where = row.where(name)
        try:
            document = self.recipes(file, where)
        except InputError as error:
            return file, (), error.problems
        try:
            return document.file, select(document, selector), ()
        except InputError as error:
            what = f"{row.called(name)}: {reference} names no variant"
            return file, (), (Problem(what, where, _REMEDY), *error.problems)

    def _points(self, row: "_Row", reference: str) -> Iterator[Problem]:
        printed = row.rows()
        if not printed:
            return
        file, variants, problems = self._opened(row, "srt-recipe", reference=reference)
        yield from problems
        fabric = row.catalog.runners.fabric(row.key.runner)
        refused: dict[tuple[Problem, ...], list[str]] = {}
        for one in printed if variants else ():
            for concurrency in concurrencies(one):
                asked = replace(target(one, concurrency, where=row.where()), fabric=fabric)
                found = self._refusal(row, variants, asked=asked, file=file)
                if found:
                    refused.setdefault(found, []).append(str(concurrency))
        for reasons, points in refused.items():
            what = f"{row.called('srt-recipe')}: {reference} cannot be bound at concurrency "
            yield Problem(what + ", ".join(points), row.where("srt-recipe"), _REMEDY)
            yield from reasons

    def _refusal(
        self, row: "_Row", variants: tuple[Variant, ...], *, asked: Target, file: str
    ) -> tuple[Problem, ...]:
        try:
            chosen = choose(variants, asked, file=file)
        except InputError as error:
            return error.problems
        block = self.shared(row.file, row.at[1] == "agentic-coding", row.key.multinode)
        place = (file, chosen.selector, asked.dram, row.key.runner, block and block.file)
        if place not in self._refused:
            found = refusals(chosen, shared=block, target=asked, file=file)
            self._refused[place] = tuple(found)
        return self._refused[place]


def _lengths(row: "_Row", space: SearchSpace) -> Iterator[Problem]:
    """Yield acceptance lengths among the settings of a row that the filters leave."""
    for role in ("worker", "prefill", "decode"):
        worker: Worker | None = getattr(space, role)
        settings = (worker and worker.additional_settings) or ()
        for index, setting in enumerate(settings):
            place = (role, "additional-settings", index)
            for one in supplied_by_settings([setting], row.where(*place)):
                if row.rows():
                    yield replace(one, what=f"{row.called(*place)}: {one.what}")


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of a search space: `at` is its path in the entry `name`."""

    catalog: Catalog
    options: Options
    name: str
    at: Path

    @property
    def key(self) -> ConfigKey:
        return self.catalog.keys[self.name]

    @property
    def file(self) -> str:
        return self.catalog.documents[self.name].file

    def called(self, *more: Key) -> str:
        return ".".join(map(str, (self.name, *self.at, *more)))

    def where(self, *more: Key) -> str:
        return self.catalog.documents[self.name].where(self.name, *self.at, *more)

    def rows(self) -> list[Row]:
        """Return what the filters leave of this row alone, as it is printed."""
        alone = self.key.model_copy(update={"scenarios": _only(self.key.scenarios, self.at)})
        catalog = replace(self.catalog, keys={self.name: alone})
        found = rows(catalog, (self.name,), self.options)
        return [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in found]


def _only(scenarios: Scenarios, at: Path) -> Scenarios:
    """Return scenarios that have one row."""
    kind, number, row = str(at[1]).replace("-", "_"), int(at[2]), int(at[4])
    part: Any = getattr(scenarios, kind)[number]
    alone = part.model_copy(update={"search_space": (part.search_space[row],)})
    empty = {"fixed_seq_len": (), "agentic_coding": ()}
    return scenarios.model_copy(update={**empty, kind: (alone,)})
