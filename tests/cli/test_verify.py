"""`infx verify` and `infx evidence show` as transcripts; the judge itself has its own tests."""

import json

import pytest

from infx.cli import verify as command
from infx.flows.verify import Verified
from infx.model.verdict import Crash, Judgement
from policy_cases import filled
from transcript import Infx, Transcript, infx, refused
from verdicts import LOW, SIGNED, THIN

__all__ = ["infx"]
SEEN = {"policy_set": "2026-10", "assessed": "1" * 40, "evidence": "e" * 64, "day": "2026-10-19"}
FACTS = {"configs": [{"image": "someone/sglang:v1"}], "points": []}


@pytest.fixture
def judged(monkeypatch):
    """Let `infx verify` find a judgement that is written here."""

    def set_(results, crashes=(), signer=None):
        asked = []
        judgement = Judgement(**SEEN, results=results, crashes=crashes)
        monkeypatch.setattr(
            command, "judged", lambda *words: asked.append(words) or Verified(judgement, signer)
        )
        return asked

    return set_


@pytest.mark.parametrize(
    ("results", "code"), [((SIGNED,), 0), ((SIGNED, THIN), 0), ((SIGNED, LOW, THIN), 1)]
)
@pytest.mark.parametrize("form", ["text", "json", "markdown", "github"])
def test_only_a_rejection_is_a_no(infx: Infx, judged, results, code, form):
    judged(results)
    said = infx("verify", "here", "--format", form)
    assert (said.code, said.err) == (code, "")
    word = {0: "PASS", 1: "REJECTED"}[code] if THIN not in results or code else "WARN"
    assert word in said.out


def test_the_signer_is_mentioned_in_markdown(infx: Infx, judged):
    judged((LOW,), signer="ada")
    assert "\n@ada: these checks block: Check 2" in infx("verify", "x", "--format", "markdown").out


def test_a_check_that_broke_is_told_with_its_traceback_and_no_verdict(infx: Infx, judged):
    trace = 'Traceback (most recent call last):\n  File "x.py", line 3\nKeyError: 1\n'
    judged((LOW, SIGNED), (Crash(check="checklist", error="KeyError(1)", trace=trace),))
    assert infx("verify", "here") == Transcript(
        4,
        "",
        f"infx: the check checklist broke, a defect in infx: KeyError(1)\n{trace}\n"
        "infx: no verdict; 2 others ran, failing: evals\n",
    )


def test_a_file_of_facts_is_judged(infx: Infx, tmp_path):
    (tmp_path / "facts.json").write_text(json.dumps(filled(FACTS)))
    said = infx("verify", "facts.json", "--policy", "2026-10", "--format", "json")
    assert (said.code, said.err) == (1, "")
    verdict = json.loads(said.out)
    assert verdict["status"] == "REJECTED"
    assert len(verdict["results"]) == 18


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ["none.json"],
            "none.json: the file cannot be read: No such file or directory; check the path",
        ),
        (["facts.json", "--policy", "2026-11"], "no policy set '2026-11'; did you mean 2026-10?"),
    ],
)
def test_what_cannot_be_judged_is_refused(infx: Infx, tmp_path, words, line):
    (tmp_path / "facts.json").write_text(json.dumps(filled({})))
    assert infx("verify", *words) == refused(2, line)


def test_evidence_shows_what_is_known_and_why_not(infx: Infx, tmp_path):
    facts = filled(FACTS) | {"unknown": {"evals": "no \u202eone"}}
    (tmp_path / "facts.json").write_text(json.dumps(facts))
    said = infx("evidence", "show", "facts.json")
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[:5] == [
        f"evidence {'e' * 64}, gathered for 2026-10-19",
        f"head     {'1' * 40}",
        f"base     {'0' * 40}",
        f"measured {'1' * 40}",
        "",
    ]
    rows = dict(line.split(maxsplit=1) for line in said.out.splitlines()[5:])
    assert rows["configs"] == "1"
    assert rows["points"] == "0"
    assert rows["evals"] == "not known: no <U+202E>one"
    assert rows["runs"] == "not known: nobody gathered it"
    told = json.loads(infx("evidence", "show", "facts.json", "--format", "json").out)
    assert told["submission"]["configs"][0]["image"] == "someone/sglang:v1"
