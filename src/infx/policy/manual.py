"""The manual page of a check, from the docstring of its module."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from inspect import cleandoc
from textwrap import dedent

from infx.model.policy_set import PolicyRegistry
from infx.policy.checks import CHECKS

HEADINGS = ("What", "Why", "Fails", "Passes", "Fix", "Evidence")
_HEADING = re.compile(rf"^({'|'.join(HEADINGS)})\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Page:
    """A check's page: its rule in a sentence, and a text under each heading.

    `number` is the public one, None for a check of ours. `inferred` rules stand on no public page.
    `sets` has each policy set that asks for it, and what breaking it comes to there.
    """

    check: str
    number: int | None
    name: str
    inferred: bool
    rule: str
    sections: Mapping[str, str]
    sets: Mapping[str, str]


def page(check: str, policies: PolicyRegistry) -> Page:
    """Return the page of a check that has a module.

    Raises ValueError where its docstring has other headings, or they have another order.
    """
    rule, sections = read(import_module(CHECKS[check]).__doc__ or "", check)
    row = next(row for row in policies.checks if row.id == check)
    return Page(
        check=check,
        number=row.number,
        name=row.name,
        inferred=row.inferred,
        rule=rule,
        sections=sections,
        sets={
            one.id: "WARN" if check in one.advisory else "FAIL"
            for one in policies.sets
            if check in one.checks
        },
    )


def read(docstring: str, check: str) -> tuple[str, dict[str, str]]:
    """Return the first sentence of a docstring, and its text under each heading."""
    rule, *parts = _HEADING.split(cleandoc(docstring))
    found = {head: dedent(text).strip() for head, text in zip(parts[::2], parts[1::2], strict=True)}
    if tuple(parts[::2]) != HEADINGS or not all(found.values()) or not rule.strip():
        wanted = ", ".join(HEADINGS)
        raise ValueError(f"the docstring of {check} has a sentence, then {wanted}, each with text")
    return " ".join(rule.split()), found
