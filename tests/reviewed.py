"""A change of our catalog, with all that somebody may gather of its review."""

import json
from datetime import date

import gitted
import submitted
from infx.flows.changed import Ask
from infx.flows.evidence.collect import collect
from infx.flows.evidence.parts import Given
from infx.store import evidence
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
        self.overview = [{
            "prefix": "musespark", "engine": "sglang", "vendor": "nvidia", "link": COOKBOOK,
            "cite": {"path": "overview", "line": 3},
        }]  # fmt: skip
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
            "overview": self.overview,
        }  # fmt: skip
        path.write_text(json.dumps(told))
        return path

    def gather(self, **changes):
        """Write the folder of evidence, and return it."""
        found = self.collect(**changes)
        return evidence.write(self.root / "out", found.submission, found.files)

    def collect(self, **changes):
        """Gather the facts of the change; `changes` replace what else is given."""
        given = {
            "measured": "HEAD", "artifacts": (str(self.artifacts),), "logs": tuple(self.logs),
            "checkpoints": (f"{DRAFT}@46c90f41={self.checkpoint}",), "pull": self.record(),
        }  # fmt: skip
        ask = Ask(base="main", folder=self.repo.root)
        return collect(Given(ask=ask, day=DAY, **{**given, **changes}), gitted.ENVIRONMENT)
