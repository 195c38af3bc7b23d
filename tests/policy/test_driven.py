"""Real evidence and its mutations drive every check both ways, and so do the case files."""

from functools import cache

from infx.model.policy_set import PolicyRegistry
from infx.policy.checks import CHECKS
from infx.store.registries import registry
from mutated import TABLE, before
from policy_cases import paths, read_case
from threads import judged, thread

GOOD, BAD = {"PASS"}, {"FAIL", "WARN"}


@cache
def reviewed():
    """Return every status that a review, or a mutation of one, brings each check to."""
    seen = {check: set() for check in CHECKS}
    for name in ("thread-000", "thread-003"):
        recorded, submission = thread(name)
        for policy in (recorded.policy, "infx-1"):
            for one in judged(submission, policy).results:
                seen[one.check].add(one.status)
    for mutation in (*TABLE.mutations, *TABLE.combined):
        for check, status in {**before(), **mutation.turns}.items():
            seen[check].add(status)
    return seen


def lacking(seen):
    """Return the checks that were not seen to pass, or not to fail."""
    return {check: got for check, got in seen.items() if not (got & GOOD and got & BAD)}


def test_the_case_files_drive_every_check_to_pass_and_to_fail():
    seen = {check: {read_case(path)[0].status for path in paths(check)} for check in CHECKS}
    assert lacking(seen) == {}


def test_the_reviews_and_their_mutations_drive_every_check_to_pass_and_to_fail():
    assert lacking(reviewed()) == {}


def test_every_check_of_the_registry_has_a_module():
    assert set(CHECKS) == {row.id for row in registry(PolicyRegistry).checks}
