"""From a repository, a run and a record to a form that is signed, and to a verdict."""

import json
from datetime import date

import pytest

import gitted
import submitted
from factual import judgements
from infx.flows.changed import Ask
from infx.flows.evidence.collect import collect
from infx.flows.evidence.parts import Given
from infx.flows.signoff import changed_since, fill
from infx.flows.verify import verify
from infx.policy.signoff_form import OPENING
from infx.store import evidence
from refusals import refusal
from submitted import MUSE, RECIPE, RUN

DAY = date(2026, 10, 19)
DRAFT = "RadixArk/Muse-Spark-Open-DFlash2"
CONCURRENCIES = (1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32)
COOKBOOK = "https://docs.sglang.io/cookbook/autoregressive/Meta/MuseSparkOpen"
START = """\
SGLANG_SIMULATE_ACC_LEN=4.05 SGLANG_SIMULATE_ACC_METHOD=match-expected
SGLANG_SIMULATE_ACC_TOKEN_MODE=real-draft-token
"""
LOADED = "Load weight end. elapsed=9 s, type=DFlash2DraftModel, dtype=torch.bfloat16, mem=3.61 GB\n"
ASKED = 'INFO: 10.0.0.1:1 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n'


def comment(number, body, author="ada"):
    return {
        "url": f"https://forge.example/pull/42#{number}", "form": "comment", "author": author,
        "author_type": "user", "created": f"2026-10-18T10:0{number}:00Z", "association": "MEMBER",
        "permission": "admin", "role": "admin", "body": body,
    }  # fmt: skip


def job(kind, *concurrency, conclusion="success"):
    return {
        "name": f"agentic / c{concurrency[0]}", "conclusion": conclusion, "kind": kind,
        "config": MUSE, "concurrency": list(concurrency),
    }  # fmt: skip


class Review:
    """A change with all that somebody may gather of it."""

    def __init__(self, root):
        self.root = root
        self.repo = submitted.smaller_cache(root / "repo")
        self.comments = [comment(1, f"/use {RUN}")]
        self.checkpoint = root / "draft"
        self.checkpoint.mkdir()
        (self.checkpoint / "config.json").write_text('{"torch_dtype": "bfloat16"}')
        rows = [
            submitted.agentx_row(c, p90=10.0 + c, p75=8.0 + c, per_gpu=100.0 + c)
            for c in CONCURRENCIES
        ]
        self.artifacts = submitted.artifacts(root, rows, [submitted.eval_row()])
        self.logs = [
            *(self.log(f"agg:{c}", START + LOADED + ASKED) for c in CONCURRENCIES),
            self.log("agg:32:eval", LOADED + ASKED),
        ]

    def log(self, place, text):
        path = self.root / f"{place.replace(':', '-')}.log"
        path.write_text(text)
        return f"{MUSE}:{place}={path}"

    def record(self):
        head = self.repo.git("rev-parse", "HEAD")
        jobs = [*(job("throughput", c) for c in CONCURRENCIES), job("eval", 32)]
        path = self.root / "pull.json"
        told = {
            "pull": {
                "number": 42, "title": "Less cache", "body": "", "author": "bob", "head": head,
                "base": "0" * 40, "commits": [head], "labels": ["full-sweep-fail-fast"],
                "files": [{"path": RECIPE, "change": "modified"}],
            },
            "comments": self.comments,
            "owners": {"path": "CODEOWNERS", "text": "* @ada\n", "at": "0" * 40},
            "template": {"checklist": "2026-10", "at": "0" * 40},
            "runs": [{
                "id": RUN, "attempt": 1, "event": "pull_request", "workflow": "run-sweep.yml",
                "head": head, "conclusion": "success", "url": f"https://forge.example/runs/{RUN}",
                "jobs": jobs, "artifacts": ["bmk_agentic_x", "eval_results_all"],
                "labels": ["full-sweep-fail-fast"],
            }],
            "published": [{
                "url": COOKBOOK, "form": "page", "engine": "sglang", "configs": [MUSE],
                "uncovered": [],
            }],
            "overview": [{
                "prefix": "musespark", "engine": "sglang", "vendor": "nvidia", "link": COOKBOOK,
                "cite": {"path": "overview", "line": 3},
            }],
        }  # fmt: skip
        path.write_text(json.dumps(told))
        return path

    def gather(self, **changes):
        given = {
            "measured": "HEAD", "artifacts": (str(self.artifacts),), "logs": tuple(self.logs),
            "checkpoints": (f"{DRAFT}@46c90f41={self.checkpoint}",), "pull": self.record(),
        }  # fmt: skip
        ask = Ask(base="main", folder=self.repo.root)
        found = collect(Given(ask=ask, day=DAY, **{**given, **changes}), gitted.ENVIRONMENT)
        return evidence.write(self.root / "out", found.submission, found.files)


@pytest.fixture
def review(tmp_path):
    return Review(tmp_path)


def statuses(folder):
    judgement = verify(folder, "2026-10").judgement
    assert not judgement.crashes
    return {one.check: one.status for one in judgement.results}


def test_a_change_is_gathered_filled_in_signed_and_passes(review):
    folder = review.gather()
    before = statuses(folder)
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
