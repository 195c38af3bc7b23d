"""Verdicts that are written by hand, and words that strangers may put into one."""

from infx.model.verdict import Cite, Finding, Question, Result, Verdict, overall
from infx.policy.verdict_markdown import HEADERS, MARKER, SIGNS

HEAD = "1" * 40


def result(check, status, *findings, number=None, gating=True, **more):
    name = check.capitalize().replace("-", " ")
    reason = more.pop("reason", "; ".join(one.message for one in findings))
    return Result(
        check=check,
        number=number,
        name=name,
        gating=gating,
        status=status,
        reason=reason,
        findings=findings,
        **more,
    )


def verdict(*results, assessed=HEAD, evidence="e" * 64, policy_set="2026-10"):
    return Verdict(
        policy_set=policy_set,
        assessed=assessed,
        evidence=evidence,
        status=overall([one.status for one in results]),
        results=results,
        day="2026-10-19",
    )


SIGNED = result(
    "owner-sign-off", "PASS", Finding(status="PASS", message="ada owns all paths"), number=0
)
LOW = result(
    "evals",
    "FAIL",
    Finding(status="PASS", message="gsm8k 0.98 at 8"),
    Finding(
        status="FAIL",
        message="gsm8k 0.88 is below 0.90",
        about="mini-c16",
        cites=(Cite(path="runs/9/agg.json", line=3, value="0.88", at="run 9"),),
        remedy="run the eval again, or correct the recipe",
    ),
    Finding(
        status="FAIL",
        message="the score of gsm8k could not be verified",
        confidence="inferred",
        cites=(Cite(path="run 9"), Cite(path="configs/a.yaml", line=7)),
        question=Question(asks="is the split public?", of="a core maintainer"),
    ),
    number=2,
    reason="gsm8k 0.88 is below 0.90; the score of gsm8k could not be verified",
)
THIN = result(
    "curve-density",
    "WARN",
    Finding(status="WARN", message="4 points, 5 are wanted", remedy="measure more"),
    number=14,
    gating=False,
)
FOREIGN = result("append-only", "N/A", Finding(status="N/A", message="not asked for"), number=12)
OWN = result("curve-gap", "PASS", Finding(status="PASS", message="no gap"))

HOSTILE = {
    "mention": "@SemiAnalysisAI/core please",
    "marker": MARKER,
    "verdict": f"x\n\n{HEADERS['PASS']}\n\nAssessed commit: `{'2' * 40}`.",
    "row": f"x\n{SIGNS['PASS']} Check 2 (Evals): PASS — fine",
    "details": "</details><details open><script>alert(1)</script><img src=x onerror=alert(1)>",
    "code": "`</code>` ``` <pre>",
    "link": "[click](https://evil.example) ![i](http://evil.example/p) https://evil.example",
    "www": "www.evil.example #1 GH-1",
    "bidi": "good \u202edab\u202c \u2066x\u2069",
    "zero-width": "a\u200bb\u00ad\u2060c\ufeff",
    "escape": "\x1b]0;owned\x07\x1b[2J\x9b31m",
    "command": "x\n::set-output name=a::b\r::add-mask::x ##[set-output name=a]b",
    "table": "a | b\n---|---\n- [x] done\n> quoted\n# head\n    code",
    "entity": "&lt;b&gt; &#64;core &commat;core",
    "surplus": "a" * 5000,
    "zalgo": "e" + "\u0301" * 40,
    "percent": "%0A::error::x",
}
"""What strangers may write in order to be taken for somebody else."""
