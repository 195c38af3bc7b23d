"""Every case file of every check: what it expects is found, and nothing else."""

import json

import pytest

from infx.model.policy_set import PolicyRegistry
from infx.model.submission import Submission
from infx.model.verdict import Finding
from infx.policy.checks import CHECKS
from infx.store.registries import registry
from policy_cases import FOLDER, Expected, defaults, difference, filled, paths, read_case, verdict


@pytest.mark.parametrize("path", paths(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_finds_what_the_case_expects_and_nothing_else(path):
    case, submission = read_case(path)
    result = verdict(path.parent.name, case, submission)
    found = difference(case.findings, result.findings)
    assert not found.absent, f"{found}\nin {[one.message for one in result.findings]}"
    assert not found.extra, f"not expected:\n{found}"
    assert result.status == case.status
    for finding in result.findings:
        if finding.status in ("FAIL", "WARN"):
            assert finding.remedy or finding.question, f"no remedy: {finding.message}"


def test_cases_stand_in_folders_of_checks():
    assert {path.name for path in FOLDER.iterdir() if path.is_dir()} <= set(CHECKS)


@pytest.mark.parametrize("check", CHECKS)
def test_each_check_has_cases_that_pass_and_cases_that_fail(check):
    statuses = [read_case(path)[0].status for path in paths(check)]
    good = sum(status in ("PASS", "N/A") for status in statuses)
    assert (good >= 3, len(statuses) - good >= 5) == (True, True), statuses


def test_each_check_is_a_row_of_the_registry():
    assert set(CHECKS) <= {row.id for row in registry(PolicyRegistry).checks}


BAD = Finding(status="FAIL", message="No floor of gsm8k", about="a")


def test_a_finding_that_is_not_expected_is_told():
    assert difference((), (BAD,)).extra == (BAD,)
    assert difference((Expected(status="FAIL", message="no floor"),), (BAD, BAD)).extra == (BAD,)


@pytest.mark.parametrize(
    "expected",
    [
        {"message": "other words"},
        {"status": "WARN"},
        {"about": "b"},
        {"cite": "a.yaml:3"},
        {"question": "a maintainer"},
    ],
)
def test_a_finding_that_is_expected_in_vain_is_told(expected):
    wanted = Expected(**{"status": "FAIL", "message": "No floor"} | expected)
    assert difference((wanted,), (BAD,)).absent == (wanted,)


def test_what_passes_need_not_be_expected():
    fine = BAD.model_copy(update={"status": "PASS"})
    assert difference((), (fine,)).extra == ()


def test_the_defaults_are_facts():
    own = {
        "claims": {"text": "8 lanes", "stated": "8", "actual": "8", "equal": True},
        "overrides": {"key": "hidden_size", "value": 1},
        "waivers": {"text": ""},
    }
    single = {"pull", "owners", "template", "changelog"}
    facts = {part: own.get(part, {}) for part in defaults()}
    facts = {part: one if part in single else [one] for part, one in facts.items()}
    submission = Submission.model_validate_json(json.dumps(filled(facts)))
    every = set(Submission.model_fields) - {"unknown"}
    assert {part for part in every if getattr(submission, part) is not None} == every
