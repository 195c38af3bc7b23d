"""A recipe file as a submission: what of its facts stands in the recipe, or in a row that names it.

It is one entry whose recipe and image changed. Where no row of a catalog names the file, the entry
is called as the file is, its framework as its engine and front end are, and nobody says which model
of the registry it serves; an image that it does not state did not change.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path

from infx.flows import acceptance as curves
from infx.flows.catalog import load_catalog
from infx.flows.evidence import recipes
from infx.flows.evidence.acceptance import acceptance
from infx.flows.evidence.checkpoints import Checkpoints
from infx.flows.evidence.drafts import drafts
from infx.flows.evidence.known import Known
from infx.flows.evidence.logs import Logs
from infx.flows.evidence.places import cite
from infx.flows.evidence.points import scenario_id
from infx.flows.evidence.publication import Shown, publication
from infx.flows.evidence.states import Placed
from infx.flows.evidence.variants import Bound
from infx.flows.recipe_uses import Use, uses
from infx.model.catalog import ConfigKey
from infx.model.config_facts import Config, Patches, Point
from infx.model.draft import BannedUse
from infx.model.model_registry import ModelRegistry
from infx.model.registry import EngineRegistry, HardwareRegistry
from infx.model.setting_registry import (
    ArchitectureRegistry,
    DraftPrecisionRegistry,
    PackageRegistry,
    ThinkingRegistry,
)
from infx.model.submission import Submission
from infx.model.sweep import AgenticSingleRow, FixedSingleRow, Row
from infx.model.verdict import Cite
from infx.recipes import registries
from infx.recipes.acceptance.bound import THINKING
from infx.recipes.banned_variables import banned_uses
from infx.recipes.bind import bind_variant
from infx.recipes.binding import Binding
from infx.recipes.recipe_effects import effects
from infx.recipes.select import concurrencies
from infx.recipes.target import Target
from infx.recipes.thinking import mode
from infx.recipes.variants import select
from infx.store import registries as shipped
from infx.store.recipes import read

DAY = date(2026, 11, 30)
"""The day as of which recipes are judged: that on which the registries were read."""

COMMIT = "0" * 40
registry = cache(shipped.registry)
golden = cache(curves.golden)
IMAGES = (("identity", "container", "image"), ("model", "container"))


@dataclass(frozen=True)
class Named:
    """The entry of a catalog that names a recipe, the line of it, and its points."""

    key: str
    entry: ConfigKey
    where: str
    points: tuple[Use, ...]


def named(masters: list[Path], runners: Path) -> dict[Path, Named]:
    """Return which entry names each recipe file: the first one of the catalog."""
    catalog = load_catalog(masters, runners)
    found = {}
    for path, points in uses(masters, runners, ()).by_file.items():
        first = points[0].key
        mine = tuple(one for one in points if one.key == first)
        found[path] = Named(first, catalog.keys[first], catalog.where[first], mine)
    return found


@dataclass(frozen=True)
class Facts:
    """What is known of a recipe file: as a submission, its variants, and its banned variables."""

    submission: Submission
    variants: int
    banned: tuple[BannedUse, ...]


def facts(path: Path, root: Path, entry: Named | None) -> Facts:
    """Return what is known of a recipe file; `root` is what its name leaves out."""
    document = replace(read(path), file=path.relative_to(root).as_posix())
    target = Target() if entry is None else replace(entry.points[0].target, concurrency=None)
    bindings = [
        bind_variant(one, shared=None, target=target, file=document.file)
        for one in select(document, None)
    ]
    config = _config(bindings[0], entry)
    found = [_bound(one, config, entry) for one in bindings]
    asked = {scenario_id(point.row) for one in found for point in one.points}
    held = _thinking(bindings) or mode(registry(ThinkingRegistry), asked)
    config = config.model_copy(update={"thinking": held})
    known = Known(
        commit=COMMIT,
        configs={config.key: config},
        models=registry(ModelRegistry),
        precision=registry(DraftPrecisionRegistry),
        architecture=registry(ArchitectureRegistry),
        thinking=registry(ThinkingRegistry),
        golden=golden(),
        checkpoints=Checkpoints(),
        logs=Logs(),
    )
    submission = Submission(
        evidence="0" * 64,
        day=DAY,
        head=COMMIT,
        base=COMMIT,
        measured=None,
        configs=(config,),
        points=tuple(_points(found)),
        recipes=tuple(recipes.effective(found, known.precision, COMMIT)),
        acceptance=tuple(acceptance(found, known)),
        drafts=tuple(drafts(found, known)),
        overrides=tuple(recipes.overrides(found, known)),
        patches=tuple(_patches(found)),
        waivers=(),
        publication=tuple(publication(found, {config.key: config}, COMMIT, Shown())),
    )
    banned = tuple(use for one in bindings for use in banned_uses(one, known.precision))
    return Facts(submission, len(bindings), banned)


def _config(binding: Binding, entry: Named | None) -> Config:
    if entry is not None:
        known = entry.entry
        sku = registries.hardware(registry(HardwareRegistry), known.runner)
        return Config(
            key=entry.key,
            change="changed",
            cite=cite(entry.where, known.image),
            framework=known.framework,
            image=known.image,
            model=known.model,
            prefix=known.model_prefix,
            precision=known.precision,
            hardware=None if sku is None else sku.sku,
            scenarios=(),
            speculative=False,
            multinode=known.multinode,
            disaggregated=known.disagg,
        )
    image = binding.recipe.image or ""
    return Config(
        key=Path(binding.file).stem,
        change="changed" if image else "recipe",
        cite=_image_line(binding),
        framework=_framework(binding),
        image=image,
        model=binding.recipe.model or "",
        prefix="",
        precision=binding.recipe.precision or "",
        hardware=None,
        scenarios=(),
        speculative=False,
        multinode=False,
        disaggregated=binding.recipe.disaggregated,
    )


def _thinking(bindings: Iterable[Binding]) -> str | None:
    """Return the mode that the recipes state, None where none or several do."""
    stated = set()
    for one in bindings:
        node: object = one.tree
        for key in THINKING:
            node = node.get(key) if isinstance(node, Mapping) else None
        stated |= {node} if isinstance(node, str) else set()
    return stated.pop() if len(stated) == 1 else None


def _image_line(binding: Binding) -> Cite:
    for path in IMAGES:
        if path in binding.origins:
            return cite(binding.origins[path][0].where, binding.recipe.image)
    return Cite(path=binding.file)


def _framework(binding: Binding) -> str:
    """Return the first framework of the registry with this engine, behind Dynamo or not."""
    frontend = binding.tree.get("frontend")
    kind = frontend.get("type") if isinstance(frontend, Mapping) else None
    for row in registry(EngineRegistry).frameworks:
        behind = row.name.startswith("dynamo-")
        if row.engine == binding.recipe.engine and behind == (kind == "dynamo"):
            return row.name
    return str(binding.recipe.engine)


def _bound(binding: Binding, config: Config, entry: Named | None) -> Bound:
    benchmark = binding.tree.get("benchmark")
    stated = benchmark if isinstance(benchmark, Mapping) else {}
    points = () if entry is None else entry.points
    asked = {one.target.concurrency for one in points} - {None}
    own = concurrencies(stated["concurrencies"]) if "concurrencies" in stated else None
    isl = stated.get("isl") if not points else points[0].isl
    # No fact asks more of a row than its image and its scenario.
    kind: type[AgenticSingleRow | FixedSingleRow]
    kind = AgenticSingleRow if isl is None else FixedSingleRow
    row: Row = kind.model_construct(image=config.image, isl=isl, osl=stated.get("osl"))
    variant = binding.variant or Path(binding.file).stem
    return Bound(
        config.key,
        variant,
        binding,
        tuple(
            Placed(config.key, row, {}, each, "", None, binding, True, False)
            for each in (own or sorted(asked) or (1,))
        ),
    )


def _points(found: Iterable[Bound]) -> Iterator[Point]:
    for one in found:
        for point in one.points:
            yield Point(
                config=one.config,
                concurrency=point.concurrency,
                scenario=registries.AGENTIC if isinstance(point.row, AgenticSingleRow) else "fixed",
                variant=one.variant,
                digest=one.variant,
                image=point.row.image,
                series=one.config,
            )


def _patches(found: Iterable[Bound]) -> Iterator[Patches]:
    """Yield what each variant changes; the scripts that it names are not beside it."""
    for one in found:
        report = effects(one.binding, {}, registry(PackageRegistry))
        image = one.points[0].row.image
        yield Patches(config=one.config, image=image, report=report, new=True)
