"""Each line of the table of checks is a whole check: module, manual page, needs, cases."""

from importlib import import_module

import pytest

from infx.model.policy_set import PolicyRegistry
from infx.model.submission import Submission
from infx.policy.checks import CHECKS
from infx.policy.manual import HEADINGS, page
from infx.store.registries import registry
from policy_cases import paths
from project_text import REFERENCE

POLICIES = registry(PolicyRegistry)
PARTS = {name for name, field in Submission.model_fields.items() if field.default is None}


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_is_named_by_its_id_everywhere(check):
    assert CHECKS[check] == f"infx.policy.checks.{check.replace('-', '_')}"
    assert check in {row.id for row in POLICIES.checks}
    assert paths(check)
    assert f"\n## {check}\n" in (REFERENCE / "checks.md").read_text()


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_has_a_manual_page_of_sentences(check):
    found = page(check, POLICIES)
    assert tuple(found.sections) == HEADINGS
    assert found.rule.endswith(".")
    assert all(text.endswith(".") for text in found.sections.values())


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_needs_parts_that_there_are(check):
    module = import_module(CHECKS[check])
    assert set(module.NEEDS) <= PARTS
    assert len(module.NEEDS) == len(set(module.NEEDS))


@pytest.mark.parametrize("check", CHECKS)
def test_the_page_names_each_part_that_a_check_needs(check):
    evidence = page(check, POLICIES).sections["Evidence"]
    for part in import_module(CHECKS[check]).NEEDS:
        assert part.replace("_", " ") in evidence.casefold().replace("_", " "), part


def test_every_check_of_every_policy_set_is_there():
    asked = {check for one in POLICIES.sets for check in one.checks}
    missing = asked - set(CHECKS)
    assert not missing
    assert set(CHECKS) == {row.id for row in POLICIES.checks}
