"""What follows from the registries: what may be submitted, and which number a score is held to."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from infx.errors import InputError, Problem, nearest
from infx.model.model_registry import Draft, Model, ModelRegistry, ModelScenario
from infx.model.policy_set import PolicyRegistry, PolicySet
from infx.model.registry import (
    EngineRegistry,
    Framework,
    Hardware,
    HardwareRegistry,
    LaunchPage,
    PageRegistry,
    Thresholds,
)
from infx.model.setting_registry import HarnessRegistry, HarnessSetting, Kind

AGENTIC = "agentic-coding"


@dataclass(frozen=True, slots=True)
class Permission:
    """Whether something may be submitted, and the row that says so.

    `last_day` is the last day on which it is, None where none is set.
    """

    allowed: bool
    because: str
    last_day: date | None = None


def model(registry: ModelRegistry, prefix: str) -> Model | None:
    """Return the model of a prefix, None where none is registered."""
    return next((one for one in registry.models if one.prefix == prefix), None)


def corpus(registry: ModelRegistry, prefix: str) -> Literal["full", "capped"]:
    """Return which corpus a model is replayed with: the capped one where nobody says otherwise."""
    found = model(registry, prefix)
    return "capped" if found is None else found.corpus


def scenario_of(registry: ModelRegistry, isl: int | None, osl: int | None) -> str | None:
    """Return the scenario of a fixed sequence, the agentic one for no lengths, None for others."""
    if isl is None and osl is None:
        return AGENTIC
    found = (one.id for one in registry.scenarios if (one.isl, one.osl) == (isl, osl))
    return next(found, None)


def permission(
    registry: ModelRegistry, *, prefix: str, scenario: str, precision: str | None, day: date
) -> Permission:
    """Say whether a model may be submitted in a scenario and a precision on a day (UTC).

    A model's own row wins over that of the scenario: a last day that it has may be later. Only
    what rows name is allowed; whoever is not registered is not.
    """
    found = model(registry, prefix)
    if found is None:
        near = nearest(prefix, [one.prefix for one in registry.models])
        return Permission(False, f"{prefix} is not registered; {near}")
    row = next((one for one in found.scenarios if one.id == scenario), None)
    if row is None:
        return Permission(False, f"{prefix} has no row for {scenario}")
    last, why = _last_day(registry, row)
    if last is not None and day > last:
        return Permission(False, f"{prefix} {scenario}: {why}", last)
    if last is None and row.state == "deprecated":
        return Permission(False, f"{prefix} {scenario} is deprecated, and its last day unknown")
    for denied in found.denied:
        if denied.precision == precision and day > denied.last_day:
            what = f"{prefix} in {precision}: its last day was {denied.last_day}"
            return Permission(False, what, denied.last_day)
    if last is not None:
        return Permission(True, f"{prefix} {scenario} may be submitted until {last}", last)
    return Permission(True, f"{prefix} {scenario} is active")


def _last_day(registry: ModelRegistry, row: ModelScenario) -> tuple[date | None, str]:
    if row.last_day is not None:
        return row.last_day, f"its last day was {row.last_day}"
    whole = next(one for one in registry.scenarios if one.id == row.id)
    return whole.last_day, f"the scenario's last day was {whole.last_day}"


NATIVE_HEADS = {"eagle": "mtp", "nextn": "mtp"}
"""What engines call a head that comes with its model."""


def draft_of(
    registry: ModelRegistry, prefix: str, *, method: str, repository: str | None
) -> Draft | None:
    """Return the row of a draft that a model may speculate with, None where no row has it.

    A separate draft is known by its repository, one inside the checkpoint by its method; a path of
    a file system names neither.
    """
    found = model(registry, prefix)
    word = method.lower()
    for draft in found.drafts or () if found is not None else ():
        if repository is not None and draft.repository == repository:
            return draft
        if repository is None and draft.native and NATIVE_HEADS.get(word, word) == draft.method:
            return draft
    return None


@dataclass(frozen=True, slots=True)
class Floor:
    """The lowest passing score of a task, and which rule gives it."""

    floor: Decimal
    rule: Literal["model", "default", "last"]
    diagnostic: bool
    samples: int | None


def floor(
    thresholds: Thresholds, *, prefix: str, task: str, last: Decimal | None = None
) -> Floor | None:
    """Return what a score is held to: the model's floor, else the task's, else `last`.

    None where none of them is: such a score may not pass.
    """
    known = next((one for one in thresholds.tasks if one.name == task), None)
    diagnostic = known is not None and known.diagnostic
    samples = known.samples if known is not None else None
    own = (one for one in thresholds.models if (one.prefix, one.task) == (prefix, task))
    for row in own:
        return Floor(row.floor, "model", diagnostic, samples)
    if known is not None:
        return Floor(known.floor, "default", diagnostic, samples)
    return None if last is None else Floor(last, "last", False, None)


def framework(registry: EngineRegistry, name: str) -> Framework | None:
    """Return a framework by the name that catalogs give it."""
    return next((one for one in registry.frameworks if one.name == name), None)


def hardware(registry: HardwareRegistry, name: str) -> Hardware | None:
    """Return the SKU of a name, of a runner (`b200-nscale`) or a cluster (`cluster:gb200-nv`)."""
    bare = name.lower().removeprefix("cluster:")
    skus = [one for one in registry.hardware if bare == one.sku or bare.startswith(f"{one.sku}-")]
    return max(skus, key=lambda one: len(one.sku), default=None)


def harness_setting(registry: HarnessRegistry, kind: Kind, name: str) -> HarnessSetting | None:
    """Return the row of a setting that no launch page needs; None is a production setting."""
    for one in registry.settings:
        stem = one.name.removesuffix("*")
        named = name.startswith(stem) if stem != one.name else name == stem
        if one.kind == kind and named:
            return one
    return None


def pages(registry: PageRegistry, *, prefix: str, engine: str) -> tuple[LaunchPage, ...]:
    """Return the known launch pages of a model with an engine."""
    return tuple(one for one in registry.pages if (one.prefix, one.engine) == (prefix, engine))


def policy_set(registry: PolicyRegistry, name: str | None = None) -> PolicySet:
    """Return a set of checks, the default one for no name; raises InputError for unknown names."""
    for one in registry.sets:
        if one.id == name or (name is None and one.default):
            return one
    ids = [one.id for one in registry.sets]
    raise InputError(Problem(f"no policy set {name!r}", None, nearest(str(name), ids)))
