"""The story of `infx recipe check`: files to bindings, bindings to findings."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from infx.errors import InputError, Problem
from infx.flows.acceptance import golden
from infx.flows.recipe_uses import Use, Uses, uses
from infx.flows.recipes import open_recipe
from infx.model.document import Document
from infx.model.engine_schema import EngineSchema
from infx.model.recipe_check import Finding, RecipeCheck, Severity
from infx.recipes import engine_schema
from infx.recipes.acceptance import naming, plan
from infx.recipes.bind import bind_variant
from infx.recipes.binding import Binding
from infx.recipes.lint import Context, lint
from infx.recipes.select import choose, concurrencies
from infx.recipes.settings import engine_of, roles_of
from infx.recipes.target import Target
from infx.recipes.topology import whole
from infx.recipes.variants import Variant, select
from infx.store import recipes, shipped
from infx.store.catalog import NONE, masters_under
from infx.store.recipes import is_recipe

STRUCTURE, SCHEMA = "structure", "engine-schema"
_NAME = "name FILE, FILE:SELECTOR or a folder, or a catalog: --config-files F..."
_SEVERITIES: dict[engine_schema.Severity, Severity] = {
    "error": "error",
    "warn": "warning",
    "info": "note",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What to check: files, FILE:SELECTOR, folders; and what is known about their points."""

    files: Sequence[str] = ()
    concurrency: Sequence[int] = ()
    image: str | None = None
    masters: Sequence[Path] | None = None
    runners: Path | None = None
    roots: Sequence[Path] = ()

    @property
    def has_catalog(self) -> bool:
        """Whether points are known from a catalog."""
        return self.masters is not None or self.runners is not None


@dataclass(slots=True)
class _Found:
    """Findings as they come: one that several variants share is one."""

    bindings: int = 0
    findings: dict[tuple[str, ...], Finding] = field(default_factory=dict)
    unchecked: dict[str, None] = field(default_factory=dict)
    schemas: dict[tuple[str, str | None], EngineSchema] = field(default_factory=dict)
    blocks: dict[Path, Document] = field(default_factory=dict)

    def block(self, path: Path | None) -> Document | None:
        """Return the shared block of a lane; each is read once."""
        if path is None:
            return None
        if path not in self.blocks:
            self.blocks[path] = recipes.read(path)
        return self.blocks[path]

    def add(self, name: str, severity: Severity, problem: Problem, at: tuple[str, str]) -> None:
        """Keep a finding of a file and a variant."""
        file, variant = at
        named = (variant,) if variant else ()
        key = (name, problem.what, problem.where or file)
        known = self.findings.get(key)
        if known is not None:
            named = tuple(dict.fromkeys((*known.variants, *named)))
            self.findings[key] = known.model_copy(update={"variants": named})
            return
        self.findings[key] = Finding(
            id=name,
            severity=severity,
            file=file,
            what=problem.what,
            where=problem.where,
            remedy=problem.remedy,
            variants=named,
        )


def check_recipes(asked: Asked) -> RecipeCheck:
    """Return every finding over the asked recipes; without files, over those of a catalog.

    The catalog is the one that is named, else the one that is found here. Raises InputError where
    there is none, and for a catalog that cannot be used.
    """
    known = _known(asked)
    references = list(_references(asked, known))
    found = _Found()
    for problem in known.problems:
        found.add(STRUCTURE, "error", problem, (_file_of(problem), ""))
    if not references and not known.problems:
        what = "no folder that is named has a recipe" if asked.files else "no row names a recipe"
        raise InputError(Problem(what, None, _NAME))
    for reference in references:
        _file(reference, asked, known, found)
    if known.missing:
        names = ", ".join(list(known.missing)[:3]) + (" ..." if len(known.missing) > 3 else "")
        count = len(known.missing)
        named = (
            "1 recipe that rows name is" if count == 1 else f"{count} recipes that rows name are"
        )
        found.unchecked[f"{named} in no root: {names}"] = None
    findings = sorted(found.findings.values(), key=_order)
    return RecipeCheck(
        files=len(references),
        bindings=found.bindings,
        findings=tuple(findings),
        unchecked=tuple(found.unchecked),
    )


def _known(asked: Asked) -> Uses:
    """Return how a catalog uses the recipes; recipes that are named alone need none."""
    if not asked.has_catalog and asked.files:
        return Uses()
    masters = asked.masters or masters_under()
    if not masters:
        raise InputError(Problem(f"no recipe is named, and there is {NONE}", None, _NAME))
    return uses(masters, asked.runners, asked.roots)


def _file_of(problem: Problem) -> str:
    return (problem.where or "").rpartition(":")[0]


def _references(asked: Asked, known: Uses) -> Iterator[str]:
    for name in asked.files:
        folder = Path(name)
        if folder.is_dir():
            yield from (str(path) for path in sorted(folder.rglob("*.yaml")) if is_recipe(path))
        else:
            yield name
    if not asked.files:
        here = Path.cwd()
        for path in sorted(known.by_file):
            yield str(path.relative_to(here) if path.is_relative_to(here) else path)


def _order(finding: Finding) -> tuple[str, int]:
    line = (finding.where or "").rpartition(":")[2]
    return finding.file, int(line) if line.isdecimal() else 0


def _file(reference: str, asked: Asked, known: Uses, found: _Found) -> None:
    try:
        document, selector = open_recipe(reference, asked.roots)
        candidates = select(document, selector)
    except InputError as error:
        for problem in error.problems:
            found.add(STRUCTURE, "error", problem, (reference, ""))
        return
    for problem in document.warnings:
        found.add(STRUCTURE, "warning", problem, (document.file, ""))
    points = known.by_file.get(Path(document.file).resolve(), [])
    wanted = [
        Use("--concurrency", document.file, selector, target=Target(concurrency=number))
        for number in asked.concurrency
    ]
    chosen = _chosen(document, [*points, *wanted], found)
    for variant in candidates:
        mine = chosen.get(variant.selector, [])
        if binding := _bind(variant, document, mine, asked, found):
            found.bindings += 1
            at = (document.file, variant.selector)
            used = any(use in points for use in mine) if points else None
            for name, problem in lint(binding, _context(binding, mine, used)):
                found.add(name, "warning", problem, at)
            _schema(binding, asked, found, at)


def _chosen(document: Document, points: Sequence[Use], found: _Found) -> dict[str, list[Use]]:
    """Return the points of each variant; a point that fits none is an error at its row."""
    chosen: dict[str, list[Use]] = {}
    for use in points:
        try:
            candidates = select(document, use.selector)
            variant = candidates[0]
            if use.agreed or len(candidates) > 1:
                variant = choose(candidates, use.target, file=document.file)
        except InputError as error:
            for problem in error.problems:
                placed = replace(problem, what=f"{use.key}: {problem.what}")
                found.add(STRUCTURE, "error", placed, (document.file, ""))
            continue
        chosen.setdefault(variant.selector, []).append(use)
    return chosen


def _bind(
    variant: Variant, document: Document, mine: Sequence[Use], asked: Asked, found: _Found
) -> Binding | None:
    """Return a variant bound for its checks; what strict binding refuses are errors."""
    at = (document.file, variant.selector)
    target = mine[0].target if mine else Target()
    target = replace(target, concurrency=None, image=asked.image or target.image)
    block = found.block(mine[0].shared) if mine else None
    try:
        return bind_variant(variant, shared=block, target=replace(target, strict=True), file=at[0])
    except InputError as error:
        for problem in error.problems:
            found.add(STRUCTURE, "error", problem, at)
    try:
        return bind_variant(variant, shared=block, target=target, file=document.file)
    except InputError:
        return None


def _context(binding: Binding, mine: Sequence[Use], used: bool | None) -> Context:
    """Return what is known of a variant's points: from the catalog, else from the file itself."""
    benchmark = binding.tree.get("benchmark")
    stated = benchmark if isinstance(benchmark, dict) else {}
    environment = stated.get("env")
    variables = environment if isinstance(environment, dict) else {}
    listed = [stated.get("concurrencies"), variables.get("CONC_LIST"), variables.get("CONC")]
    own = next((concurrencies(one) for one in listed if one is not None), None)
    points = [use.target.concurrency for use in mine if use.target.concurrency is not None]
    return Context(
        concurrencies=tuple(points or own or ()),
        used=used,
        isl=_largest(use.isl for use in mine) or whole(stated.get("isl") or variables.get("ISL")),
        osl=_largest(use.osl for use in mine) or whole(stated.get("osl") or variables.get("OSL")),
        longest=_largest(use.longest for use in mine),
        golden=_golden(binding, mine),
        dram_gb=_least(use.dram_gb for use in mine) or whole(variables.get("TOTAL_CPU_DRAM_GB")),
    )


def _largest(values: Iterable[int | None]) -> int | None:
    return max((value for value in values if value is not None), default=None)


def _least(values: Iterable[int | None]) -> int | None:
    return min((value for value in values if value is not None), default=None)


def _golden(binding: Binding, mine: Sequence[Use]) -> tuple[int, ...] | None:
    """Return the draft lengths of the recipe's golden curve with thinking on, None without one."""
    prefix = next((use.prefix for use in mine if use.prefix), None)
    role = plan.generating(plan.read_roles(binding.tree))
    if prefix is None or role is None:
        return None
    try:
        speculation = plan.speculation(role)
        curve = golden().get(naming.curve_name(prefix, speculation)) if speculation else None
    except InputError:
        return None
    return tuple(curve.cells.get("thinking_on", {})) if curve else None


def _schema(binding: Binding, asked: Asked, found: _Found, at: tuple[str, str]) -> None:
    for engine in dict.fromkeys(engine_of(binding, role) for role in roles_of(binding)):
        schema = _shipped(engine, asked.image or binding.recipe.image, found.schemas)
        for finding in engine_schema.check(binding, schema, image=asked.image):
            if finding.problem.what.startswith("not checked"):
                found.unchecked[finding.problem.what] = None
            else:
                found.add(SCHEMA, _SEVERITIES[finding.severity], finding.problem, at)


def _shipped(
    engine: str | None, image: str | None, read: dict[tuple[str, str | None], EngineSchema]
) -> EngineSchema | None:
    """Return the schema of the image's version where infx ships it, else the engine's newest."""
    versions = [version for name, version in shipped.engine_schemas() if name == engine]
    if engine is None or not versions:
        return None
    version = engine_schema.image_version(engine, image)
    key = (engine, version if version in versions else None)
    if key not in read:
        read[key] = shipped.engine_schema(*key)
    return read[key]
