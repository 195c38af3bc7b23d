"""What checks are given beside a submission: a policy set, and the registries that infx ships."""

from pathlib import Path

from infx.errors import InputError, Problem, nearest
from infx.model.checklist import Checklist, ChecklistRegistry
from infx.model.model_registry import ModelRegistry
from infx.model.policy_set import CheckRow, PolicyRegistry
from infx.model.registry import EngineRegistry, HardwareRegistry, PageRegistry, Thresholds
from infx.model.setting_registry import HarnessRegistry
from infx.policy.context import Context
from infx.recipes.registries import policy_set
from infx.store.registries import FOLDER, registry


def policy_context(
    policy: str | None = None, *, checklist: str | None = None, folder: Path = FOLDER
) -> tuple[Context, tuple[CheckRow, ...]]:
    """Return the context of a policy set (the default one for None) and the rows of all checks.

    `checklist` is the one that the repository asks for, None for that of the policy set. Raises
    InputError for unknown names and for registries that cannot be read.
    """
    policies = registry(PolicyRegistry, folder)
    chosen = policy_set(policies, policy)
    context = Context(
        policy=chosen,
        models=registry(ModelRegistry, folder),
        engines=registry(EngineRegistry, folder),
        hardware=registry(HardwareRegistry, folder),
        thresholds=registry(Thresholds, folder),
        harness=registry(HarnessRegistry, folder),
        pages=registry(PageRegistry, folder),
        checklist=_checklist(registry(ChecklistRegistry, folder), chosen.id, checklist),
    )
    return context, policies.checks


def _checklist(known: ChecklistRegistry, policy: str, asked: str | None) -> Checklist:
    ids = [one.id for one in known.checklists]
    if asked is None:
        found = known.of(policy)
    else:
        found = next((one for one in known.checklists if one.id == asked), None)
    if found is None:
        what = f"no checklist {asked!r}" if asked else f"no checklist of policy set {policy}"
        remedy = nearest(asked, ids) if asked else f"known are {', '.join(ids)}"
        raise InputError(Problem(what, "template", remedy))
    return found
