import pytest

from commented import comment
from infx.model.review_facts import ChangedFile, Owners, PullRequest
from infx.model.submission import Submission
from infx.policy.owners import parse
from infx.policy.reviews import authority, excused, is_exempt, is_owner, review, reviews
from infx.policy.signoff import TRIGGER

HEAD, BASE = "1" * 40, "0" * 40


def signed(by, *, hour=1, **more):
    body = f"{TRIGGER}, I have reviewed this and have:\n- [x] read it\n\nSigned: `{by}`"
    created = comment("").created.replace(hour=hour)
    return comment(body, **{"author": by, "created": created, **more})


def owners(text, **more):
    return Owners(path="CODEOWNERS", text=text, at=BASE, **more)


def pull(*files, complete=True):
    return PullRequest(
        number=1,
        title="t",
        body="",
        author="ada",
        head=HEAD,
        base=BASE,
        commits=(HEAD,),
        files=tuple(ChangedFile(path=path, change="modified") for path in files),
        files_complete=complete,
    )


def submission(*comments, text="* @ada\n"):
    facts = {"evidence": "e", "day": comment("").created.date(), "head": HEAD, "base": BASE}
    return Submission(**facts, measured=HEAD, comments=comments, owners=owners(text))


@pytest.mark.parametrize(
    ("association", "permission", "role", "binds"),
    [
        ("MEMBER", None, None, True),
        ("COLLABORATOR", None, None, True),
        ("CONTRIBUTOR", None, None, False),
        (None, None, None, False),
        ("NONE", "admin", "admin", True),
        ("MEMBER", "write", "maintain", True),
        ("MEMBER", "write", None, False),
        ("MEMBER", None, "write", False),
        ("MEMBER", "read", "read", False),
        ("OWNER", "read", "triage", False),
        ("OWNER", "write", "triage", False),
        ("OWNER", "none", "custom", False),
    ],
)
def test_what_was_looked_up_decides_before_what_the_forge_calls_somebody(
    association, permission, role, binds
):
    one = comment("", association=association, permission=permission, role=role)
    assert (authority(one) is None) == binds


def test_the_newest_review_of_an_owner_holds():
    older, newer = signed("ada", hour=1), signed("ada", hour=2, url="https://forge.example/2")
    stranger = signed("eve", hour=3)
    loose = signed("ada", hour=4, permission="read", role="read")
    facts = submission(older, loose, newer, stranger)
    assert [one.comment for one in reviews(facts.comments)] == [loose, stranger, newer, older]
    assert review(facts).comment == newer
    assert review(submission(stranger)).comment == stranger
    assert review(submission()) is None


def test_bots_and_verdicts_with_the_words_are_told_apart():
    bot = signed("checker[bot]", author_type="bot")
    verdict = comment(f"## ✅✅✅ **Verdict: PASS** ✅✅✅\n{TRIGGER}\n- [x] a")
    plain = comment("nothing to sign")
    assert list(excused((bot, verdict, plain, signed("ada")))) == [
        (bot, "bot"),
        (verdict, "verdict"),
    ]


def test_owners_are_named_or_of_a_named_team():
    known = owners("* @ada @org/team\n", teams={"@Org/Team": ("Bea",)})
    codeowners = parse(known.text)
    assert [is_owner(one, codeowners, known) for one in ("ADA", "bea", "eve", "аda")] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("text", "more", "exempt"),
    [
        ("* @root\n", {"admins": ("Root",)}, True),
        ("* @root @ada\n", {"admins": ("root",)}, False),
        ("* @org/core\n", {"admins": ("a", "b"), "teams": {"@org/core": ("A", "b")}}, True),
        ("* @org/core\n", {"admins": ("a",), "teams": {"@org/core": ("a", "b")}}, False),
        ("* @org/core\n", {"admins": ("a",), "teams": {"@org/core": None}}, False),
        ("* @org/core\n", {"admins": ("a",), "teams": {"@org/core": ()}}, False),
        ("* root@maker.example\n", {"admins": ("root",)}, False),
        ("* @root\n/docs/ @ada\n", {"admins": ("root",)}, False),
        ("* @root\n/docs/\n", {"admins": ("root",)}, True),
        ("* @root\n!x @ada\n", {"admins": ("root",)}, False),
        ("", {}, False),
    ],
)
def test_only_administrators_exempt_and_only_known_ones(text, more, exempt):
    assert is_exempt(pull("docs/a.md"), owners(text, **more)) == exempt


def test_a_cut_or_empty_list_of_files_exempts_nothing():
    administered = owners("* @root\n", admins=("root",))
    assert not is_exempt(pull("a", complete=False), administered)
    assert not is_exempt(pull(), administered)


def test_the_details_are_all_lines_after_the_statements():
    head = f"{TRIGGER}\n- [x] a\n- [x] b\n\n### Additional detail section:"
    found = reviews((comment(f"{head}\nplain words\n> quoted\n```\ncode\n```\n- a bullet"),))[0]
    assert [line.text for line in found.details()][-2:] == ["plain words", "- a bullet"]
