"""What a catalog asks of the recipes that its rows name."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from infx.errors import InputError, Problem
from infx.flows.catalog import load_catalog
from infx.matrix.affected import concurrencies
from infx.matrix.catalog import Catalog
from infx.matrix.generate import generate
from infx.matrix.options import Options
from infx.matrix.points import recipe
from infx.matrix.targets import target
from infx.model.model_registry import ModelRegistry
from infx.model.sweep import Agentic, Fixed, Row
from infx.recipes.registries import corpus
from infx.recipes.target import Target
from infx.recipes.variants import split_selector
from infx.store import datasets
from infx.store.catalog import find
from infx.store.recipes import find as find_recipe
from infx.store.recipes import locate, roots_around, shared_block
from infx.store.registries import registry


@cache
def longest(prefix: str) -> int | None:
    """Return the tokens of the longest request of the corpus that a model is measured with."""
    return datasets.registry().of(corpus(registry(ModelRegistry), prefix)).longest


@dataclass(frozen=True, slots=True)
class Use:
    """One point of a row: where it is bound, and what its workload and its host are.

    `prefix` names the model for golden curves where the point runs at golden acceptance; `longest`
    are the tokens of the longest request of an agentic corpus. `shared` is the block that its lane
    lays under the recipe. `agreed` says that row and recipe must agree: rows that name a recipe in
    their settings, the older form, never had to.
    """

    key: str
    where: str
    selector: str | None
    target: Target
    agreed: bool = True
    isl: int | None = None
    osl: int | None = None
    dram_gb: int | None = None
    prefix: str | None = None
    longest: int | None = None
    shared: Path | None = None


@dataclass(slots=True)
class Uses:
    """The points that use each recipe file.

    `missing` are names that no root has, with the line of an entry that has the name; `problems`
    are those of rows that cannot do without the file.
    """

    by_file: dict[Path, list[Use]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    problems: dict[Problem, None] = field(default_factory=dict)

    def miss(self, file: str, where: str, places: Sequence[Path], *, needed: bool) -> None:
        """Keep a recipe that no root has."""
        if not needed:
            self.missing.setdefault(file, where)
            return
        try:
            find_recipe(file, places, where=where)
        except InputError as error:
            self.problems.update(dict.fromkeys(error.problems))


def uses(masters: Sequence[Path] | None, runners: Path | None, roots: Sequence[Path]) -> Uses:
    """Return how the rows of a catalog use recipes.

    Recipes are looked for in `roots`, then around the master files. Raises InputError with what is
    wrong in the catalog.
    """
    files = find(masters, runners)
    places = tuple(dict.fromkeys((*roots, *roots_around(files.masters))))
    catalog = load_catalog(files.masters, files.runners, places)
    found = Uses()
    for row in _rows(catalog):
        points = _file(recipe(row), row, catalog=catalog, places=places, found=found)
        if points is not None:
            points += _points(row, catalog)
        _file(row.eval_srt_recipe, row, catalog=catalog, places=places, found=found)
    return found


def _file(
    name: str | None, row: Row, *, catalog: Catalog, places: Sequence[Path], found: Uses
) -> list[Use] | None:
    """Return the points of the file that a row names, None where it names none or has none."""
    if name is None or row.config_key is None:
        return None
    file, _ = split_selector(name)
    where = catalog.where[row.config_key]
    path = locate(file, places, where=where)
    if path is None:
        found.miss(file, where, places, needed=_is_needed(row, catalog))
        return None
    return found.by_file.setdefault(path.resolve(), [])


def _is_needed(row: Row, catalog: Catalog) -> bool:
    """Say whether a row's recipe is a file of the catalog; older ones may be inside an image."""
    return row.srt_recipe is not None and catalog.edition != "2026-08"


def _rows(catalog: Catalog) -> Sequence[Row]:
    try:
        return generate(catalog, Options(edition=catalog.edition, evals="none"))
    except InputError as error:
        head = Problem("the catalog has no rows to check recipes against")
        raise InputError(head, *error.problems) from None


def _points(row: Row, catalog: Catalog) -> Iterator[Use]:
    agentic, key = isinstance(row, Agentic), str(row.config_key)
    _, selector = split_selector(str(recipe(row)))
    printed = row.model_dump(mode="json", by_alias=True, exclude_none=True)
    fabric = catalog.runners.fabric(catalog.keys[key].runner)
    where = catalog.where[key]
    for concurrency in concurrencies(printed):
        yield Use(
            key=key,
            where=where,
            selector=selector,
            target=replace(target(printed, concurrency, where=where), fabric=fabric),
            agreed=row.srt_recipe is not None,
            isl=row.isl if isinstance(row, Fixed) else None,
            osl=row.osl if isinstance(row, Fixed) else None,
            dram_gb=(row.total_cpu_dram_gb or None) if isinstance(row, Agentic) else None,
            prefix=row.model_prefix if agentic and row.spec_decoding != "none" else None,
            longest=longest(row.model_prefix) if agentic else None,
            shared=_shared(row, catalog, key),
        )


def _shared(row: Row, catalog: Catalog, key: str) -> Path | None:
    """Return the block of a row's lane; rows of the older form have none."""
    if row.srt_recipe is None:
        return None
    master = Path(catalog.documents[key].file)
    return shared_block(
        master, agentic=isinstance(row, Agentic), multinode=catalog.keys[key].multinode
    )
