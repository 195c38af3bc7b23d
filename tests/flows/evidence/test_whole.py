"""From a repository, a run and a record to a form that is signed, and to a verdict."""

import pytest

import submitted
from factual import judgements
from infx.flows.signoff import changed_since, fill
from infx.flows.verify import verify
from infx.policy.signoff_form import OPENING
from infx.store import evidence
from refusals import refusal
from reviewed import ASKED, CONCURRENCIES, LOADED, START, Review, comment
from submitted import MUSE, RECIPE
from threads import judged


@pytest.fixture
def review(tmp_path):
    return Review(tmp_path)


def statuses(folder):
    """Judge as `verify` does, without a process for it."""
    judgement = judged(evidence.read(folder).submission, "2026-10", titles=False)
    assert not judgement.crashes
    return {one.check: one.status for one in judgement.results}


def test_a_change_is_gathered_filled_in_signed_and_passes(review):
    folder = review.gather()
    before = {one.check: one.status for one in verify(folder, "2026-10").judgement.results}
    assert before == statuses(folder)
    waiting = {check for check, status in before.items() if status not in ("PASS", "N/A")}
    assert waiting == {"owner-sign-off", "upstream-recipe", "checklist"}

    filled = fill(folder, "2026-10")
    assert {line.item.id for line in filled.lines if not line.checked} == {
        "code-quality", "reasons-given", "recipe-published", "recipe-merged",
    }  # fmt: skip
    signed = OPENING + filled.text.partition(OPENING)[2].replace("- [ ]", "- [x]").rstrip()
    review.comments.append(comment(2, f"{signed} @ada"))
    after = review.gather()
    assert set(statuses(after).values()) <= {"PASS", "N/A"}
    assert changed_since(after, folder) == ()

    review.repo.commit({"README.md": "more\n"})
    assert changed_since(review.gather(), after) == ()
    review.repo.commit(submitted.edited(RECIPE, ("hicache-size: 120", "hicache-size: 90")))
    moved = changed_since(review.gather(), after)
    assert [one.concurrency for one in moved] == list(CONCURRENCIES)


def test_what_a_server_shows_beats_what_was_asked(review):
    short = START.replace("4.05", "4.5")
    review.logs[3] = review.log("agg:6", short + LOADED + ASKED)
    assert statuses(review.gather())["golden-acceptance"] == "FAIL"


def test_a_point_without_a_log_is_not_verified(review):
    del review.logs[3]
    assert statuses(review.gather())["golden-acceptance"] == "FAIL"


def test_an_eval_that_simulates_is_told(review):
    review.logs[-1] = review.log("agg:32:eval", START + LOADED + ASKED)
    found = statuses(review.gather())
    assert (found["evals"], found["golden-acceptance"]) == ("FAIL", "FAIL")


def test_raw_completions_are_counted(review):
    raw = ASKED.replace("chat/", "")
    review.logs[0] = review.log("agg:1", START + LOADED + raw)
    assert statuses(review.gather())["chat-template"] == "FAIL"


@pytest.mark.parametrize(
    ("loaded", "weights"),
    [
        (LOADED.replace("bfloat16", "bfloat16, quant=fp8"), "fp8"),
        (LOADED.replace("bfloat16", "bfloat16, quant=new"), None),
        (LOADED.replace("bfloat16", "odd"), None),
        (LOADED + LOADED.replace("bfloat16", "float32"), None),
    ],
)
def test_drafts_that_were_loaded_otherwise_are_told(review, loaded, weights):
    review.logs[0] = review.log("agg:1", START + loaded + ASKED)
    folder = review.gather()
    drafts = {one.variant: one for one in evidence.read(folder).submission.drafts}
    assert drafts["override_c1"].effective.weights == weights
    assert drafts["override_c2"].effective.weights == "bf16"
    assert statuses(folder)["draft-precision"] == "FAIL"


def test_the_metadata_of_checkpoints_is_kept_under_its_revision(review):
    found = evidence.read(review.gather())
    assert "checkpoints/RadixArk/Muse-Spark-Open-DFlash2@46c90f41.json" in found.files


def test_logs_are_kept_and_cited_by_entry_and_point(review):
    found = evidence.read(review.gather())
    assert f"logs/{MUSE}/agg-c1.log" in found.files
    assert judgements(found.submission) == []
    row = next(one for one in found.submission.acceptance if one.concurrency == (1,))
    assert row.observed[0].cite.path == f"logs/{MUSE}/agg-c1.log"
    assert row.observed[0].cite.line == 1


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("x", "names no log"),
        ("a:agg:1=f", "no affected entry 'a'"),
        (f"{MUSE}:router:1=f", "names no role at a concurrency"),
        (f"{MUSE}:agg:one=f", "names no role at a concurrency"),
        (f"{MUSE}:agg:1:perf=f", "names no log"),
        (f"{MUSE}:agg:1=nowhere", "the log cannot be read"),
    ],
)
def test_words_that_name_no_log_are_refused(review, word, said):
    assert said in refusal(lambda: review.gather(logs=(word,)))
