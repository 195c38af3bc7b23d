import pytest
from hypothesis import given
from hypothesis import strategies as st

from commented import comment
from infx.policy.lines import said
from infx.policy.signoff import TRIGGER, excuse, parse

SIGNED = f"""\
{TRIGGER}, I have reviewed this and have:
- [x] seen that the evals passed
- [X] read the code
- [ x] looked at the image
* [x ] seen the pages:
  - [x] and the merge
- [ ] seen a waiver
- [] counted points
- no box here

### Additional detail section:
- Evals: 0.98
  - of 1319 samples
- image: as shipped

Signed: `Ada`
"""


def test_a_signed_review_is_read_line_by_line():
    found = parse(SIGNED)
    assert [(item.bullet.line, item.checked, item.parent) for item in found.items] == [
        (2, True, None),
        (3, True, None),
        (4, True, None),
        (5, True, None),
        (6, True, 3),
        (7, False, None),
        (8, False, None),
        (9, False, None),
    ]
    assert [item.bullet.text for item in found.items][:2] == [
        "seen that the evals passed",
        "read the code",
    ]
    assert [(one.line, one.depth, one.text) for one in found.details] == [
        (12, 0, "Evals: 0.98"),
        (13, 1, "of 1319 samples"),
        (14, 0, "image: as shipped"),
    ]
    assert found.signatures == ("Ada",)


@pytest.mark.parametrize(
    "line", ["Signed: ada", "Signed: `ada`", "Signed: @ada", "**Signed:** `@ADA`"]
)
def test_signatures_are_spelt_in_many_ways(line):
    assert parse(f"{TRIGGER}\n- [x] a\n\n{line}").is_signed_by("Ada")


@pytest.mark.parametrize(
    ("lines", "login"),
    [
        ("Signed: eve", "ada"),
        ("Signed: ada\nSigned: eve", "ada"),
        ("", "ada"),
        ("Signed: ada and eve", "ada"),
        ("Signed: аda", "ada"),
        ("> Signed: ada", "ada"),
        ("Signed: `FILL_IN_GITHUB_USERNAME`", "ada"),
    ],
)
def test_a_signature_of_another_or_of_several_is_not_theirs(lines, login):
    assert not parse(f"{TRIGGER}\n- [x] a\n\n{lines}").is_signed_by(login)


def test_text_that_lost_its_markup_is_signed_as_a_whole():
    found = parse(
        f"{TRIGGER}:\n\n• one\n• two:\n  • and three\n\nAdditional detail section:\n\n• d\n"
    )
    assert [(item.checked, item.parent) for item in found.items] == [
        (True, None),
        (True, None),
        (True, 1),
    ]
    assert [one.text for one in found.details] == ["d"]


def test_an_entry_goes_on_until_an_empty_line():
    found = parse(f"{TRIGGER}\n- [x] one\n  goes on\nand on\n\nbut not here\n- [x] two")
    assert [item.bullet.text for item in found.items] == ["one goes on and on", "two"]


@pytest.mark.parametrize(
    "inside",
    [
        "<!--\n- [x] hidden\n-->",
        "<!-- - [x] hidden -->",
        "```\n- [x] fenced\n```",
        "~~~~\n```\n- [x] fenced\n~~~~",
        "> - [x] quoted",
        "text [x] without a bullet",
        "<!-- never closed\n- [x] hidden",
    ],
)
def test_what_is_not_shown_or_not_said_is_not_signed(inside):
    assert parse(f"{TRIGGER}\n{inside}").items == ()


def test_ids_stay_where_they_are_hidden():
    found = parse(
        f"{TRIGGER}\n- [x] <!-- item: evals --> passed<!--id=append-only-->\n- [x] <!-- x -->b"
    )
    assert [(item.bullet.ids, item.bullet.text) for item in found.items] == [
        (("evals", "append-only"), "passed"),
        ((), "b"),
    ]


@pytest.mark.parametrize(
    ("body", "facts", "why"),
    [
        (SIGNED, {}, None),
        (SIGNED, {"form": "review", "state": "APPROVED"}, None),
        (SIGNED, {"form": "review-comment"}, None),
        (SIGNED, {"form": "review", "state": "DISMISSED"}, "not-submitted"),
        (SIGNED, {"form": "review", "state": "PENDING"}, "not-submitted"),
        (SIGNED, {"author_type": "bot"}, "bot"),
        (SIGNED, {"author": "github-actions[bot]"}, "bot"),
        (f"Please write {TRIGGER.lower()}", {}, "no-trigger"),
        (f"> {TRIGGER}", {}, "no-trigger"),
        (f"```\n{TRIGGER}\n```", {}, "no-trigger"),
        (f"<!-- {TRIGGER} -->", {}, "no-trigger"),
        (f"<!-- our-verdict -->\n{SIGNED}", {}, "verdict"),
        (f"## ❌❌❌ **REJECTED** ❌❌❌\n\n{SIGNED}", {}, "verdict"),
        (f"## ✅✅✅ **Verdict: PASS** ✅✅✅\n{SIGNED}", {}, "verdict"),
        (f"✅✅✅ Verdict: PASS ✅✅✅\n{SIGNED}", {}, "verdict"),
        (f"## ⚠️ **Verdict: WARN** ⚠️\n{SIGNED}", {}, "verdict"),
        (f"{SIGNED}\nAssessed commit: `{'a' * 40}`.", {}, "verdict"),
        (f"The last one was REJECTED.\n{SIGNED}", {}, None),
    ],
)
def test_only_a_person_who_says_the_words_signs(body, facts, why):
    assert excuse(comment(body, **facts), markers=("<!-- our-verdict -->",)) == why


def test_line_numbers_survive_every_kind_of_line_end():
    assert [line.number for line in said("a\r\nb\rc\nd")] == [1, 2, 3, 4]


@pytest.mark.parametrize("piece", ["- [x] a\n", "<!--", "- " * 5, "[", "  ", "```\n", "* [ x]"])
def test_a_huge_comment_is_read_in_bounded_time(piece):
    assert parse(TRIGGER + "\n" + piece * (1_000_000 // len(piece))) is not None


@given(st.text(alphabet="-*[]xX `<!>\n\t•:#a1.", max_size=200))
def test_nothing_breaks_the_parser(text):
    found = parse(f"{TRIGGER}\n{text}")
    assert all(item.parent is None or item.parent < at for at, item in enumerate(found.items))
