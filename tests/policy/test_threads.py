"""Two published reviews, replayed: the same facts come to the same verdict.

Under infx-1 more is asked, and their facts answer less of it.

thread-000: the curve's latencies are not in the review, so nobody can look for a gap (warns); the
client is a foreign one and acceptance was simulated, so neither can be asked to vouch for itself or
for its answers (N/A); every point is known to have been asked the full corpus (passes).

thread-003: its curve has no point between 20 s and 100 s, which is what a maintainer complained of
and no public check asks: the gap warns. It is judged by the checklist that it was signed against.
Launches over several nodes need a published page by now, and it names none. Nobody gathered the
precision of its draft, the vendor's overview or what each point was asked: what was never gathered
does not pass. Its description names concurrencies 256, 768, 1024 and 1280, of which no point is
there: the text was not kept up, which warns.
"""

import os
from pathlib import Path

import pytest

from infx.policy.claims import claims
from infx.policy.signoff import TRIGGER
from infx.policy.verdict_markdown import comment
from threads import judged, thread

NAMES = ("thread-000", "thread-003")

EXTRA = {
    "thread-000": {
        "curve-gap": "WARN",
        "client-certified": "N/A",
        "workload-as-declared": "PASS",
        "outputs-not-garbage": "N/A",
    },
    "thread-003": {
        "upstream-recipe": "FAIL",
        "draft-precision": "FAIL",
        "curve-density": "PASS",
        "description-claims": "WARN",
        "overview-page": "FAIL",
        "metrics-published": "N/A",
        "curve-gap": "WARN",
        "client-certified": "N/A",
        "workload-as-declared": "FAIL",
        "outputs-not-garbage": "N/A",
    },
}
"""What infx-1 says otherwise than the review, or beside it."""

ROWS = [(name, check) for name in NAMES for check in thread(name)[0].results]


def result(name, policy, check):
    judgement = judged(thread(name)[1], policy)
    return next(one for one in judgement.results if one.check == check)


@pytest.mark.parametrize(("name", "check"), ROWS)
def test_each_row_has_the_status_that_the_review_gave_it(name, check):
    recorded = thread(name)[0]
    found = result(name, recorded.policy, check)
    assert (found.status, found.reason) == (recorded.results[check], found.reason)


@pytest.mark.parametrize("name", NAMES)
def test_the_header_is_that_of_the_review(name):
    recorded, submission = thread(name)
    verdict = judged(submission, recorded.policy).verdict()
    assert verdict.status == recorded.status == "PASS"
    assert [one.check for one in verdict.results] == list(recorded.results)
    assert len(recorded.results) == {"thread-000": 18, "thread-003": 13}[name]
    assert comment(verdict).splitlines()[2] == "## ✅✅✅ **Verdict: PASS** ✅✅✅"


@pytest.mark.parametrize(("name", "status"), [("thread-000", "WARN"), ("thread-003", "REJECTED")])
def test_the_status_under_our_own_rules(name, status):
    verdict = judged(thread(name)[1], "infx-1").verdict()
    recorded = thread(name)[0].results
    assert verdict.status == status
    assert {one.check: one.status for one in verdict.results} == recorded | EXTRA[name]


@pytest.mark.parametrize(("name", "check"), [(n, c) for n in NAMES for c in EXTRA[n]])
def test_our_own_rules_say_more(name, check):
    found = result(name, "infx-1", check)
    assert (found.status, found.reason) == (EXTRA[name][check], found.reason)


@pytest.fixture(params=NAMES)
def as_signed(request):
    """A review's facts with its signed comment word for word, where that is at hand."""
    data = os.environ.get("INFX_REFERENCE_DATA")
    folder = Path(data or ".").parent.parent / "threads"
    files = list(folder.glob(f"{request.param[-3:]}_*.txt"))
    if not data or not files:
        pytest.skip("needs the threads beside INFX_REFERENCE_DATA")
    opening = f"{TRIGGER}, I have reviewed this and have:\n"
    body, _, after = files[0].read_text("utf-8").split(opening)[1].partition("\nSigned: ")
    signed = f"{opening}{body}\nSigned: {after.splitlines()[0]}"
    recorded, submission = thread(request.param)
    comments = tuple(
        one.model_copy(update={"body": signed}) if TRIGGER in one.body else one
        for one in submission.comments
    )
    return recorded, submission.model_copy(update={"comments": comments})


def test_the_review_as_it_was_signed_comes_to_its_own_verdict(as_signed):
    recorded, submission = as_signed
    found = judged(submission, recorded.policy, titles=False)
    assert {one.check: one.status for one in found.results} == recorded.results


def test_the_points_on_the_frontier_are_those_of_the_review():
    said = [one.message for one in result("thread-000", "2026-10", "curve-density").findings]
    assert "at P90: 7 of 12 measured points" in said[0]
    assert "(c12, c10, c16, c20, c24, c28, c32)" in said[0]
    assert "at P75: 7 of 12 measured points" in said[1]


def test_the_gap_is_the_one_that_a_maintainer_saw():
    (gap,) = result("thread-003", "infx-1", "curve-gap").findings
    assert "from 20 s to 100 s" in gap.message
    assert gap.remedy == "measure concurrency 10, 25"


@pytest.mark.parametrize("name", NAMES)
def test_the_claims_are_those_of_the_description(name):
    submission = thread(name)[1]
    assert claims(submission) == submission.claims


@pytest.mark.parametrize("name", NAMES)
def test_assumptions_are_stated(name):
    assert len(thread(name)[0].assumed) >= 10
