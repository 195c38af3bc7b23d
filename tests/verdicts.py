"""Verdicts that are written by hand, plain ones and hostile ones."""

from infx.model.verdict import Cite, Finding, Question, Result, Verdict, overall

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
