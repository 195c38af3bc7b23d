"""What the pull request's text claims is what its facts say.

What
    Takes the technical claims of the text: the lines of its claims block, and plain statements that
    a small grammar reads (concurrencies, TP and EP, image tags and digests, run ids, what stays
    unchanged and what alone changed). Each is compared with the facts of the submission, what did
    not change with the launches of the base. Nothing else of the text is judged.

Why
    Readers of a change believe its description, and so do the notes that are made from it.

Fails
    A claim differs from the facts. A claim has nothing to be compared with, so that nobody can say
    whether it is true.

Passes
    Every claim is what the facts say. A text that leaves something out claims nothing about it.

Fix
    Correct the text, or the change. A claims block that is made from the change agrees with it.

Evidence
    The claims, each with its line and what the facts have in its place (`claims`).
"""

from collections.abc import Iterator

from infx.model.review_facts import Claim
from infx.model.submission import Submission
from infx.model.verdict import Finding
from infx.policy.context import Context

NEEDS = ("claims",)


def check(submission: Submission, context: Context) -> Iterator[Finding]:
    """Yield for each claim whether it is so."""
    claims = submission.claims or ()
    if not claims:
        yield Finding(status="N/A", message="the text makes no claim that can be compared")
    for claim in claims:
        yield _finding(claim)


def _finding(claim: Claim) -> Finding:
    if claim.equal is None or claim.actual is None:
        return Finding(
            status="FAIL",
            message=f"could not be verified: {claim.subject} {claim.stated}, as {claim.text!r}",
            cites=(claim.cite,),
            about=claim.subject,
            confidence="claimed",
            remedy="gather what it speaks of, or take the claim out of the text",
        )
    if not claim.equal:
        said = f"{claim.subject} is {claim.actual}, and the text has {claim.stated}"
        return Finding(
            status="FAIL",
            message=f"{said}: {claim.text!r}",
            cites=(claim.cite,),
            about=claim.subject,
            remedy="correct the text",
        )
    return Finding(
        status="PASS",
        message=f"{claim.subject} is {claim.actual}, as the text has it",
        cites=(claim.cite,),
        about=claim.subject,
    )
