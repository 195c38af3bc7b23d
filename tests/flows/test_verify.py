"""A submission is judged in a process that can do nothing else."""

import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from flows import attempts
from infx.errors import MachineError
from infx.flows.judging import Given, _audit
from infx.flows.policy_context import policy_context
from infx.flows.verify import ask, signer, verify
from infx.model.comment import Comment
from infx.model.submission import Submission
from infx.policy.checks import CHECKS
from infx.policy.judge import Judge
from infx.store.evidence import write
from infx.store.registries import FOLDER
from policy_cases import filled
from refusals import refusal

TRIES = """
import sys
sys.path.insert(0, {folder!r})
from infx.policy import checks
checks.CHECKS.clear()
checks.CHECKS["evals"] = "attempts"
from infx.flows import judging
{more}
judging.main()
"""
IMAGE = {"key": "mini", "image": "someone/sglang:v1"}


def facts(**parts):
    return Submission.model_validate_json(json.dumps(filled(parts)))


def given(*checks, **parts):
    context, rows = policy_context("2026-10")
    policy = context.policy.model_copy(update={"checks": checks})
    return Given(facts(**parts), replace(context, policy=policy), rows)


@pytest.fixture
def tries(tmp_path, monkeypatch):
    """Judge by the check that tries, in a folder where it could write."""
    shutil.copy(attempts.__file__, tmp_path)
    monkeypatch.chdir(tmp_path)

    def run(more=""):
        program = TRIES.format(folder=str(tmp_path), more=more)
        (result,) = ask(given("evals"), ("-c", program)).results
        return result.findings

    return run


def test_a_judge_is_refused_sockets_processes_and_writes(tries, tmp_path):
    before = sorted(tmp_path.iterdir())
    *tried, _ = tries()
    assert [one.message for one in tried if one.status != "PASS"] == []
    assert len(tried) == len(attempts.TRIED) > 18
    assert all("a judge may not: " in one.message for one in tried)
    assert sorted(tmp_path.iterdir()) == before, "bytecode is a write too"


def test_the_check_that_tries_would_be_let_without_the_hook(tries):
    *tried, _ = tries("judging.confine = lambda: None")
    assert [one.message for one in tried if one.status != "FAIL"] == []


def test_files_stay_empty_even_without_the_hook(tries, tmp_path):
    tries("judging.sys.addaudithook = lambda hook: None")
    assert (tmp_path / "a.txt").read_bytes() == b""


def test_a_judge_knows_no_secret(tries, monkeypatch):
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    *_, environment = tries()
    assert set(environment.message.split(",")) <= {"PYTHONPATH", "LC_CTYPE"}


@pytest.mark.parametrize("event", ["socket.connect", "os.remove", "an.event.of.tomorrow", "open"])
def test_what_is_not_known_to_be_harmless_is_refused(event):
    with pytest.raises(PermissionError):
        _audit(event, (3, "w", 1))


def test_a_judge_says_in_its_process_what_it_says_in_ours():
    one = given("upstream-image", "active-model", configs=[IMAGE], points=[], others=[])
    here = Judge(one.rows, CHECKS).judge(one.submission, one.context)
    assert ask(one) == here
    assert len(here.results) == 2


def test_a_judge_that_dies_is_told():
    with pytest.raises(MachineError, match="the judge ended with exit code 1: ValueError: gone"):
        ask(given("evals"), ("-c", "raise ValueError('gone')"))


def registries(folder: Path, *checks):
    """Return a folder of registries whose only policy set has some checks."""
    shutil.copytree(FOLDER, folder / "registries")
    path = folder / "registries" / "policy-sets.yaml"
    head, _, _ = path.read_text().partition("\nsets:\n")
    mini = f"""
sets:
  - id: mini
    default: true
    checks: [{", ".join(checks)}]
    advisory: []
    last-floor: null
    frontier-points: null
    gap-ratio: null
    multi-node-pages: exempt
    note: for a test
    source: infx
"""
    path.write_text(head + mini)
    return folder / "registries"


def test_a_folder_of_evidence_is_judged_and_named_in_the_verdict(tmp_path):
    parts = {"configs": [IMAGE], "points": [], "others": [], "template": {}}
    folder = write(tmp_path, facts(**parts), {"pr.json": b"{}"})
    rows = registries(tmp_path, "upstream-image")
    verdict = verify(folder, registries=rows).judgement.verdict()
    assert (verdict.policy_set, verdict.evidence) == ("mini", folder.name)
    assert verdict.status == "REJECTED"


def test_a_template_that_no_registry_has_is_refused(tmp_path):
    folder = write(tmp_path, facts(template={"checklist": "2026-11"}), {})
    said = refusal(lambda: verify(folder, "2026-10"))
    assert said == "template: no checklist '2026-11'; did you mean 2026-10?"


def said(author, day, body, **more):
    created = datetime(2026, 10, day, tzinfo=UTC)
    shape = {"form": "comment", "author_type": "user", "url": "https://forge.example/1"}
    return Comment(**shape | {"author": author, "created": created, "body": body} | more)


def test_whoever_signed_last_is_the_signer():
    trigger = "As a PR reviewer and CODEOWNER, I have reviewed this and have:\n- [x] all"
    comments = (
        said("bob", 3, trigger),
        said("ada", 2, trigger),
        said("eve", 4, "fine"),
        said("infx[bot]", 5, trigger, author_type="bot"),
    )
    assert signer(facts().model_copy(update={"comments": comments})) == "bob"
    assert signer(facts()) is None
