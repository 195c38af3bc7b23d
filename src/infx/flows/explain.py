"""The story of `infx explain`: the manual pages of checks, in the order of their registry."""

from infx.errors import InputError, Problem, nearest
from infx.model.policy_set import PolicyRegistry
from infx.policy.checks import CHECKS
from infx.policy.manual import Page, page
from infx.store.registries import registry


def pages() -> tuple[Page, ...]:
    """Return the pages of all checks."""
    policies = registry(PolicyRegistry)
    return tuple(page(row.id, policies) for row in policies.checks if row.id in CHECKS)


def explained(check: str) -> Page:
    """Return the page of a check, by its id or its public number; raises InputError for others."""
    policies = registry(PolicyRegistry)
    for row in policies.checks:
        if check in (row.id, str(row.number)) and row.id in CHECKS:
            return page(row.id, policies)
    raise InputError(Problem(f"no check {check!r}", None, nearest(check, CHECKS)))
