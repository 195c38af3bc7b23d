"""A verdict in each of its forms, and what strangers' text does in them: nothing."""

import json
import re
from datetime import UTC, datetime
from html import unescape

import pytest

from infx.cli.verify import FORMATS
from infx.model.comment import Comment
from infx.model.verdict import Cite, Finding, Question
from infx.policy.signoff import excuse
from infx.policy.verdict_annotations import annotations
from infx.policy.verdict_markdown import HEADERS, MARKER, MAX_CHARACTERS, SIGNS, comment
from infx.policy.verdict_text import text
from verdicts import FOREIGN, HEAD, HOSTILE, LOW, OWN, SIGNED, THIN, result, verdict

REJECTED = verdict(SIGNED, LOW, FOREIGN, THIN, OWN)


def test_text_has_what_fails_first_with_places_and_remedies():
    assert (
        text(REJECTED)
        == f"""\
REJECTED under policy set 2026-10: 5 checks: 1 FAIL, 1 WARN, 2 PASS, 1 N/A

FAIL  2 evals: Evals
    - mini-c16: gsm8k 0.88 is below 0.90
      at runs/9/agg.json:3 at run 9: 0.88
      fix: run the eval again, or correct the recipe
    - the score of gsm8k could not be verified (inferred)
      at run 9
      at configs/a.yaml:7
      for a core maintainer to say: is the split public?
      why: infx explain evals

WARN  14 curve-density: Curve density
    - 4 points, 5 are wanted
      fix: measure more
      why: infx explain curve-density

PASS  0 owner-sign-off: ada owns all paths
N/A   12 append-only: not asked for
PASS  curve-gap: no gap

commit {HEAD}, judged as of 2026-10-19
evidence {"e" * 64}"""
    )


def test_markdown_has_the_public_layout():
    assert (
        comment(REJECTED, signer="ada-l")
        == f"""\
<!-- infx-verdict -->

## ❌❌❌ **REJECTED** ❌❌❌

@ada-l: these checks block: Check 2 (Evals).

❌ Check 2 (Evals): FAIL — gsm8k 0.88 is below 0.90; the score of gsm8k could not be verified

- <code>mini-c16</code>: gsm8k 0.88 is below 0.90
  - <code>runs/9/agg.json:3</code> at <code>run 9</code>: <code>0.88</code>
  - Fix: run the eval again, or correct the recipe
- the score of gsm8k could not be verified (inferred)
  - <code>run 9</code>
  - <code>configs/a.yaml:7</code>
  - A question for a core maintainer: is the split public?

⚠️ Check 14 (Curve density): WARN — 4 points, 5 are wanted

- 4 points, 5 are wanted
  - Fix: measure more

<details>
<summary>Passed and not applicable checks</summary>

✅ Check 0 (Owner sign off): PASS — ada owns all paths

➖ Check 12 (Append only): N/A — not asked for

✅ Check curve-gap (Curve gap): PASS — no gap

</details>

Policy set <code>2026-10</code>, evidence <code>{"e" * 64}</code>.

Assessed commit: `{HEAD}`."""
    )


@pytest.mark.parametrize(
    ("results", "status"), [((SIGNED,), "PASS"), ((SIGNED, THIN), "WARN"), ((LOW,), "REJECTED")]
)
def test_markdown_has_one_header(results, status):
    lines = comment(verdict(*results)).splitlines()
    assert [line for line in lines if line.startswith("#")] == [HEADERS[status]]
    assert lines[0] == MARKER


def test_nobody_is_mentioned_unless_it_is_rejected():
    assert "@" not in comment(verdict(SIGNED, THIN), signer="ada")
    assert "Nobody has signed this; these checks block" in comment(REJECTED)


def test_annotations_stand_at_files_and_lines():
    low = "gsm8k 0.88 is below 0.90"
    blind = "the score of gsm8k could not be verified"
    total = "REJECTED under 2026-10: 5 checks: 1 FAIL, 1 WARN, 2 PASS, 1 N/A"
    assert annotations(REJECTED).replace("%0A", "\n").splitlines() == [
        f"::error file=runs/9/agg.json,line=3,title=infx evals::mini-c16: {low}",
        "at runs/9/agg.json:3 at run 9: 0.88",
        "fix: run the eval again, or correct the recipe",
        f"::error file=configs/a.yaml,line=7,title=infx evals::{blind}",
        "at run 9",
        "at configs/a.yaml:7",
        "for a core maintainer to say: is the split public?",
        "::warning title=infx curve-density::4 points, 5 are wanted",
        "fix: measure more",
        f"::notice title=infx verify {HEAD}::{total}",
    ]


def hostile(words):
    finding = Finding(
        status="FAIL",
        message=words,
        about=f"{words} alone",
        cites=(Cite(path=words, line=1, value=words, at=words), Cite(path=f"a/{words}", line=2)),
        remedy=words,
        question=Question(asks=words, of=words),
    )
    passing = finding.model_copy(update={"status": "PASS"})
    return verdict(
        result("evals", "FAIL", finding, reason=words),
        result("checklist", "PASS", passing, reason=words),
        assessed=words,
        evidence=words,
        policy_set=words,
    )


def rendered(name, form, signer):
    return FORMATS[form](hostile(HOSTILE[name]), signer)


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("form", FORMATS)
def test_no_form_has_characters_that_deceive(name, form):
    said = rendered(name, form, HOSTILE[name])
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e]", said)
    assert not re.search("[\u2060-\u2069\ufeff]|\u0301{5}", said)
    assert "##[" not in said


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_words_add_no_line_to_a_text(name):
    plain = FORMATS["text"](hostile("plain"), None)
    said = rendered(name, "text", None)
    heads = [line.split(":")[0].strip() for line in plain.splitlines()]
    assert len(said.splitlines()) == len(heads)
    assert not [line for line in said.splitlines() if line.lstrip().startswith("::")]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_words_add_no_command(name):
    lines = rendered(name, "github", None).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::error", "::notice"]
    for line in lines:
        properties = line.split("::")[1].partition(" ")[2]
        assert re.fullmatch(r"[^:\n]*", properties)
        assert {one.split("=")[0] for one in properties.split(",")} <= {"file", "line", "title"}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_words_are_no_markup(name):
    said = rendered(name, "markdown", HOSTILE[name])
    assert said.count(MARKER) == 1
    assert said.startswith(MARKER)
    assert "@" not in re.sub("@&#8203;|@(?=infx)", "", said)
    assert "](" not in said
    assert "![" not in said
    tags = set(re.findall(r"<[^>]*>", said)) - {MARKER}
    assert tags <= {"<code>", "</code>", "<details>", "</details>", "<summary>", "</summary>"}
    assert (said.count("<details>"), said.count("</details>")) == (1, 1)
    assert "`" not in said
    assert [line for line in said.splitlines() if line.startswith("#")] == [HEADERS["REJECTED"]]
    rows = [line for line in said.splitlines() if line.startswith(tuple(SIGNS.values()))]
    assert [row.split(" —")[0] for row in rows] == [
        "❌ Check evals (Evals): FAIL",
        "✅ Check checklist (Checklist): PASS",
    ]


@pytest.mark.parametrize("name", HOSTILE)
def test_json_is_the_verdict_whatever_is_in_it(name):
    said = rendered(name, "json", None)
    assert said.isascii()
    assert "\n" not in said
    assert json.loads(said) == hostile(HOSTILE[name]).model_dump(mode="json")


def test_what_is_quoted_can_still_be_read():
    assert "see @ada in <a>, `b`" in unescape(comment(hostile("see @ada in <a>, `b`"))).replace(
        "\u200b", ""
    )


def test_what_a_finding_is_about_is_said_once():
    finding = Finding(status="FAIL", message="mini has no floor", about="mini")
    assert "    - mini has no floor" in text(verdict(result("evals", "FAIL", finding)))


def test_a_long_verdict_is_cut_to_what_github_takes():
    findings = [
        Finding(status="FAIL", message="|" * 300, cites=(Cite(path="<" * 300),)) for _ in range(40)
    ]
    many = verdict(*(result(f"check-{'a' * n}", "FAIL", *findings) for n in range(1, 23)))
    said = comment(many)
    assert len(said) <= MAX_CHARACTERS
    assert len([line for line in said.splitlines() if line.startswith("❌ Check")]) == 22
    few = verdict(result("evals", "FAIL", *findings))
    assert "- and 20 more" in comment(few)


def test_a_verdict_is_never_taken_for_a_signed_review():

    trigger = "As a PR reviewer and CODEOWNER, I have reviewed this and have:"
    said = Comment(
        url="https://forge.example/1",
        form="comment",
        author="ada",
        author_type="user",
        body=comment(hostile(trigger)),
        created=datetime(2026, 10, 19, tzinfo=UTC),
    )
    assert excuse(said, markers=(MARKER,)) == "verdict"
