"""Somebody with authority ordered the run of the passing sweep to be reused.

What
    Reads `/use ID` and the older `/reuse-sweep-run [ID]` from comments: a whole line, outside
    quotations and code. The newest comment of an owner, member or collaborator that has one counts,
    and in it the last such line. A comment is as new as its creation, so that no edit of an old one
    overtakes a newer one.

Why
    Nothing is measured at the merge: without an order its results come from nowhere, and with an
    order for another run they are not the ones that were judged.

Fails
    No such comment is there; a bot or somebody without authority wrote it. Whoever wrote it has
    permissions that do not reach, where those were looked up. The run is not known, measured a
    commit that left the pull request, was not started by it, or did not pass as a sweep. A label
    that blocks reuse is on the pull request.

Passes
    The ordered run is one that `passing-sweep` passes. An order without a number is taken for the
    newest such run, and an edited comment as it reads now; both are said.

Fix
    Comment `/use` with the number of the passing run on a line of its own.

Evidence
    The pull request with its labels (`pull`), its comments (`comments`), the runs (`runs`) with the
    points and jobs that tell which of them passed (`points`, `expected_jobs`).
"""

from collections.abc import Iterator
from typing import cast

from infx.model.comment import Comment
from infx.model.review_facts import PullRequest
from infx.model.run_facts import Run
from infx.model.submission import Submission
from infx.model.verdict import Finding
from infx.policy.commands import Reuse, is_trusted, newest_reuse, reuse
from infx.policy.context import Context
from infx.policy.reviews import authority, cite
from infx.policy.sweeps import BLOCKING, asked_points, counting, has_passed, refusals
from infx.policy.sweeps import cite as cite_run

NEEDS = ("pull", "comments", "runs", "points", "expected_jobs")

SWEEP = "run-sweep.yml"
"""The file of the workflow whose runs can be reused."""

_REMEDY = "comment `/use` with the number of the passing run on a line of its own"


def check(submission: Submission, context: Context) -> Iterator[Finding]:
    """Yield whether the order that holds is for the run that passed."""
    if not asked_points(submission):
        yield Finding(status="N/A", message="the change asks for no points, so nothing is reused")
        return
    found = newest_reuse(submission.comments or ())
    if found is None:
        yield _unordered(submission)
        return
    comment, order = found
    run = _run(order, submission)
    faults = list(_faults(comment, order, run, submission))
    if faults or run is None:
        yield from (_fault(fault, comment, order, run) for fault in faults)
    else:
        yield _ordered(comment, order, run)


def _unordered(submission: Submission) -> Finding:
    others = [
        (comment, order)
        for comment in submission.comments or ()
        if not is_trusted(comment) and (order := reuse(comment.body)) is not None
    ]
    why = "".join(
        f"; that of @{comment.author} does not count ({_standing(comment)})"
        for comment, _ in others
    )
    return Finding(
        status="FAIL",
        message=f"nobody with authority ordered the reuse of a run{why}",
        cites=tuple(cite(comment, line=order.line) for comment, order in others),
        remedy=_REMEDY,
    )


def _standing(comment: Comment) -> str:
    is_person = comment.author_type == "user"
    return comment.association or "no association" if is_person else "no person wrote it"


def _run(order: Reuse, submission: Submission) -> Run | None:
    """Return the run that an order names; for one without a number, the newest that passed."""
    if order.run is not None:
        return next((run for run in submission.runs or () if run.id == order.run), None)
    passed = (run for run in counting(submission) if has_passed(run, submission))
    return next(passed, None)


def _faults(
    comment: Comment, order: Reuse, run: Run | None, submission: Submission
) -> Iterator[str]:
    if why := authority(comment):
        yield f"{why}, which lets nobody order a reuse"
    labels = cast("PullRequest", submission.pull).labels
    for label in BLOCKING:
        if label in labels:
            yield f"the label {label} blocks reuse while it is on the pull request"
    if run is None and order.run is None:
        yield "the order names no run, and none has passed"
    elif run is None:
        yield f"could not be verified: run {order.run} is not among the known runs"
    else:
        yield from _unfit(run, submission)


def _unfit(run: Run, submission: Submission) -> Iterator[str]:
    refused = list(refusals(run, submission))
    if run.event != "pull_request" or run.workflow.rpartition("/")[2] != SWEEP:
        yield (
            f"run {run.id} is of the workflow {run.workflow} by {run.event}, and only one of"
            f" {SWEEP} by pull_request can be reused"
        )
    if refused:
        yield f"run {run.id} does not count: {'; '.join(refused)}"
    elif not has_passed(run, submission):
        yield f"run {run.id} did not do every job of the sweep"


def _fault(fault: str, comment: Comment, order: Reuse, run: Run | None) -> Finding:
    places = [cite(comment, line=order.line, value=str(order.run or "no number"))]
    places += [] if run is None else [cite_run(run, run.head)]
    return Finding(status="FAIL", message=fault, cites=tuple(places), remedy=_REMEDY)


def _ordered(comment: Comment, order: Reuse, run: Run) -> Finding:
    is_edited = comment.edited is not None and comment.edited != comment.created
    notes = ["; it names no number, and this is the newest that passed"] if not order.run else []
    notes += [f"; the comment was edited on {comment.edited:%Y-%m-%d}"] if is_edited else []
    who = f"@{comment.author} ({comment.association})"
    return Finding(
        status="PASS",
        message=f"{who} ordered run {run.id}, the passing sweep{''.join(notes)}",
        cites=(cite(comment, line=order.line, value=str(run.id)),),
        confidence="claimed" if is_edited else "certain",
    )
