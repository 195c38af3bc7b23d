"""What `infx signoff` writes for infx-1 is read back as answers to the checklist of infx-1."""

import re

import pytest

from commented import comment
from infx.flows.policy_context import policy_context
from infx.model.review_facts import Template
from infx.policy.checks import CHECKS
from infx.policy.judge import Judge, judge
from infx.policy.signoff import parse
from infx.policy.signoff_form import DETAILS, form, lines
from threads import thread

CONTEXT, ROWS = policy_context("infx-1")
OPEN = "- [ ] <!-- item: "


@pytest.fixture
def submission():
    """The first recorded review, in a repository that asks for our own checklist."""
    asked = Template(checklist="infx-1", at="0" * 40)
    return thread("thread-000")[1].model_copy(update={"template": asked})


@pytest.fixture
def written(submission):
    judgement = judge(submission, CONTEXT, ROWS)
    text = form(lines(submission, judgement, CONTEXT.checklist), judgement)
    _, _, signed = text.partition("\n\nAs a PR")
    return f"As a PR{signed}"


def said(submission, body):
    author = "nvpohanh"
    signed = comment(body + f" `{author}`", author=author)
    update = {"comments": (signed,)}
    return Judge(ROWS, CHECKS).result("checklist", submission.model_copy(update=update), CONTEXT)


def test_what_is_open_fails_until_a_person_states_it(submission, written):
    left = re.findall(r"- \[ \] <!-- item: ([a-z-]+) -->", written)
    assert left == ["code-quality", "reasons-given", "gaps-measured"]
    found = said(submission, written)
    assert {one.about for one in found.findings if one.status == "FAIL"} == set(left)
    done = said(submission, written.replace(OPEN, OPEN.replace("[ ]", "[x]")))
    assert (done.status, done.reason) == ("PASS", "22 of 22 items are checked")


def test_what_is_explained_may_stay_open(submission, written):
    for id_ in ("code-quality", "reasons-given"):
        written = written.replace(f"{OPEN}{id_}", f"- [x] <!-- item: {id_}")
    why = f"{DETAILS}\n\n- Curve gaps: the latencies of the curve were not kept"
    found = said(submission, written.replace(DETAILS, why))
    assert found.status == "PASS"
    assert found.reason.startswith("21 of 22 items are checked, and 1 explained")


def test_the_sentences_alone_are_known_too(submission, written):
    bare = re.sub(r"<!-- item: [a-z-]+ --> ", "", written.replace(OPEN, OPEN.replace("[ ]", "[x]")))
    assert parse(bare).items[0].bullet.ids == ()
    assert said(submission, bare).status == "PASS"


def test_an_id_does_not_carry_another_statement(submission, written):
    whole = written.replace(OPEN, OPEN.replace("[ ]", "[x]"))
    turned = whole.replace("No override makes", "Some override makes")
    assert turned != whole
    (fault,) = said(submission, turned).findings
    assert fault.about == "architecture-intact"
    assert "says something else" in fault.message
