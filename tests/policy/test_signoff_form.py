"""The form that is written can be read back, and signs for nobody."""

import pytest

import threads
from infx.flows.policy_context import policy_context
from infx.model.review_facts import Template
from infx.model.verdict import Cite, Finding, Judgement, Question, Result
from infx.policy.checklist import read
from infx.policy.signoff import parse
from infx.policy.signoff_form import form, lines
from infx.policy.staleness import moved

_, REVIEWED = threads.thread("thread-000")
POLICY = "2026-10"
SIGNER = "nvpohanh"


def checklist(policy=POLICY):
    return policy_context(policy)[0].checklist


def filled(submission, policy=POLICY, judgement=None):
    judgement = judgement or threads.judged(submission, policy, titles=False)
    found = lines(submission, judgement, checklist(policy))
    return found, form(found, judgement)


def judgement(*results):
    return Judgement(
        policy_set=POLICY, assessed="1" * 40, evidence="e" * 64, day="2026-10-19", results=results
    )


def result(check, status, *findings):
    return Result(
        check=check, number=None, name=check, gating=True, status=status, reason="because",
        findings=findings,
    )  # fmt: skip


@pytest.mark.parametrize("policy", ["2026-09", "2026-10", "infx-1"])
def test_what_is_written_is_read_back(policy):
    found, text = filled(REVIEWED, policy)
    signoff = parse(text)
    assert signoff is not None
    answers = read(signoff, checklist(policy)).answers
    assert [answer.by for answer in answers] == ["id"] * len(found)
    assert [answer.checked for answer in answers] == [line.checked for line in found]
    assert len(signoff.items) == len(found)
    assert signoff.has_details


def test_nobody_is_signed_for():
    _, text = filled(REVIEWED)
    assert text.endswith("\n\nSigned:\n")
    assert parse(text).signatures == ()
    assert parse(text.rstrip() + f" @{SIGNER}\n").is_signed_by(SIGNER)


def test_what_checks_prove_is_checked_and_the_rest_is_asked():
    found, text = filled(REVIEWED)
    assert [line.item.id for line in found if not line.checked] == ["code-quality", "reasons-given"]
    before, _, after = text.partition("As a PR reviewer and CODEOWNER")
    assert "The change keeps the quality of the code" in before
    assert "- pr validation: run 39195111790 on 511afb819454" in after
    assert "https://github.com/sgl-project/sglang/pull/45111" in after


def test_a_form_that_a_person_completes_passes_the_checks():
    _, text = filled(REVIEWED)
    _, opening, form_ = text.partition("As a PR reviewer and CODEOWNER")
    done = f"{opening}{form_}".replace("- [ ]", "- [x]").rstrip() + f" `{SIGNER}`\n"
    comments = tuple(
        one.model_copy(update={"body": done}) if parse(one.body) else one
        for one in REVIEWED.comments
    )
    again = threads.judged(REVIEWED.model_copy(update={"comments": comments}), POLICY, titles=False)
    statuses = {one.check: one.status for one in again.results}
    assert statuses["owner-sign-off"] == "PASS"
    assert statuses["checklist"] == "PASS"
    assert statuses["upstream-recipe"] == "PASS"


def test_an_open_statement_is_not_explained_by_the_form_itself():
    found, text = filled(REVIEWED.model_copy(update={"runs": None}))
    sweep = next(line for line in found if line.item.id == "passing-sweep")
    assert not sweep.checked
    answer = next(
        one for one in read(parse(text), checklist()).answers if one.item.id == "passing-sweep"
    )
    assert (answer.checked, answer.explained) == (False, ())


def test_another_checklist_or_none_is_a_question():
    for template in (None, Template(checklist="2026-09", at="0" * 40)):
        found, text = filled(
            REVIEWED.model_copy(update={"template": template}),
            judgement=judgement(result("evals", "PASS")),
        )
        assert not found[0].checked
        assert "default branch asks for" in text


def test_questions_stand_beside_what_is_proven():
    asked = Question(asks="Is it needed?", of="a core maintainer")
    one = Finding(
        status="PASS", message="it is waived", question=asked, cites=(Cite(path="a.sh", line=3),)
    )
    found, text = filled(REVIEWED, judgement=judgement(result("engine-unpatched", "PASS", one)))
    line = next(line for line in found if line.item.id == "engine-unpatched")
    assert line.checked
    assert line.proof == ("it is waived (<code>a.sh:3</code>)",)
    assert "a core maintainer is asked: Is it needed?" in text.partition("As a PR")[0]


HOSTILE = (
    "As a PR reviewer and CODEOWNER, I have",
    "x\n- [x] <!-- item: evals --> The evals passed",
    "Signed: eve",
    "\n\nSigned: `eve`\n",
    "### Additional detail section:",
    "<!-- infx-verdict -->",
    "@everybody [x](https://evil.example) `code` \u202e",
)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("status", ["PASS", "FAIL"])
def test_what_strangers_wrote_changes_no_statement(text, status):
    cite = Cite(path=text, value=text, at=text)
    one = Finding(
        status=status, message=text, remedy=text, cites=(cite,),
        question=Question(asks=text, of=text),
    )  # fmt: skip
    judged = judgement(result("passing-sweep", status, one))
    found, written = filled(REVIEWED, judgement=judged)
    signoff = parse(written)
    assert signoff.signatures == ()
    answers = read(signoff, checklist()).answers
    assert [one.checked for one in answers] == [line.checked for line in found]
    assert len(signoff.items) == len(found)
    assert "@everybody" not in written
    assert "<!-- infx-verdict" not in written
    assert written.count("As a PR reviewer and CODEOWNER") == 1


def points(*digests, base=None):
    one = REVIEWED.points[0]
    return tuple(
        one.model_copy(update={"concurrency": place, "digest": digest, "base_digest": base})
        for place, digest in enumerate(digests, 1)
    )


def at(*digests, head="1" * 40, base=None):
    update = {"head": head, "points": points(*digests, base=base)}
    return REVIEWED.model_copy(update=update)


def test_a_head_that_moved_makes_nothing_stale():
    assert moved(at("a", "b"), at("a", "b", head="2" * 40)) == ()


def test_a_point_whose_digest_changed_is_stale():
    (one,) = moved(at("a", "b"), at("a", "c"))
    assert (one.concurrency, one.then, one.now) == (2, "b", "c")
    assert str(one).endswith(": b then, c now")


def test_points_that_only_one_side_affects_are_what_their_base_is():
    assert moved(at("a"), at("a", "b", base="b")) == ()
    assert [one.now for one in moved(at("a"), at("a", "b", base="a"))] == ["b"]
    assert [one.then for one in moved(at("a", "b"), at("a"))] == ["b"]
    assert moved(at("a", "b", base="b"), at("a")) == ()


def test_points_that_nobody_gathered_tell_nothing():
    blind = REVIEWED.model_copy(update={"points": None})
    assert moved(blind, REVIEWED) is None
    assert moved(REVIEWED, blind) is None


def test_evals_are_no_points_of_their_own():
    evaluated = REVIEWED.points[-1]
    assert evaluated.eval
    changed = evaluated.model_copy(update={"digest": "other"})
    now = REVIEWED.model_copy(update={"points": (*REVIEWED.points[:-1], changed)})
    assert moved(REVIEWED, now) == ()
