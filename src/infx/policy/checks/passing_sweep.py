"""A sweep of a commit in the pull request did every job, with the recipes that the head has.

What
    Takes the jobs that the matrix of the measured commit asks for, throughput and evals, and looks
    for each in one run on that commit. Of a job that ran again its latest attempt counts. Then it
    compares the recipe of every claimed point at the measured commit with the one at the head.

Why
    A green run says nothing of jobs that it skipped, and nothing of a recipe that was edited after
    it.

Fails
    A job was skipped, failed, was cancelled, has not ended or is not there; jobs that only collect
    never count. The run measured a commit that was rebased out of the pull request, or another one
    than the matrix is of; ran under `agentx-fast` or `evals-only`; or had simulated engines. A
    point was measured with another recipe than the head has, or was not measured. A local run
    started its server with other flags than the recipe has or with weights of another precision
    than the entry's, its requests broke too often, or its bundle is not as the client wrote it.

Passes
    Each job that is asked for succeeded in one run, whatever the run as a whole came to: a
    cancelled run counts when all its needed jobs are done, and a canary is the job of its point.
    Lanes that the change has no config for may be skipped. A change without points needs no sweep.
    Where a local run asked a server that somebody else had started, its owner's word says which
    recipe that was, and the finding is marked as claimed.

Fix
    Rerun the failed jobs, or put the primary sweep label on anew so that the head is measured.

Evidence
    The pull request's commits (`pull`), the points with the digests of their recipes at the base,
    the measured commit and the head (`points`), the runs with their jobs (`runs`), the jobs of the
    measured commit's matrix (`expected_jobs`), and of local runs what was started
    (`measurements`, `recipes`).
"""

from collections.abc import Iterable, Iterator
from itertools import groupby

from infx.model.config_facts import Point
from infx.model.run_facts import Run
from infx.model.submission import Submission
from infx.model.verdict import Cite, Finding
from infx.policy.context import Context
from infx.policy.started import is_claimed, started_otherwise, undone
from infx.policy.sweeps import (
    WORDS,
    Outcome,
    asked_points,
    best,
    cite,
    is_changed,
    job_cites,
    outcomes,
    refusals,
)

NEEDS = ("pull", "points", "runs", "expected_jobs")

_MEASURE = "measure the head: take the primary sweep label off and put it on again"


def check(submission: Submission, context: Context) -> Iterator[Finding]:
    """Yield whether a run did what the matrix asks for, with the recipes of the head."""
    points = asked_points(submission)
    if not points:
        yield Finding(status="N/A", message="the change asks for no points, so for no sweep")
        return
    faults = list(_unmeasured(points, submission))
    run = best(submission)
    if run is None:
        yield from faults
        yield _no_run(submission)
        return
    did = outcomes(run, submission.expected_jobs or ())
    faults += [*_undone(run, did), *undone(run, submission), *started_otherwise(run, submission)]
    yield from faults or [_passed(run, did, submission)]


def _unmeasured(points: Iterable[Point], submission: Submission) -> Iterator[Finding]:
    """Yield, for each config, the points whose recipe was not measured, or measured otherwise."""
    jobs = submission.expected_jobs or ()
    done = {(job.config, job.kind, one) for job in jobs for one in job.concurrency}
    other, absent = [], []
    for point in points:
        kind = "eval" if point.eval else "throughput"
        is_done = not is_changed(point) or (point.config, kind, point.concurrency) in done
        if point.measured_digest is None or not is_done:
            absent.append(point)
        elif point.measured_digest != point.digest:
            other.append(point)
    for what, some in (
        ("the sweep measured another recipe than the head has", other),
        ("the sweep did not measure the point", absent),
    ):
        for config, group in groupby(sorted(some, key=_place), key=lambda point: point.config):
            yield _other(what, config, list(group), submission)


def _place(point: Point) -> tuple[str, int, str]:
    return point.config, point.concurrency, point.variant


def _other(what: str, config: str, points: list[Point], submission: Submission) -> Finding:
    entries = (one.cite for one in submission.configs or () if one.key == config)
    at = submission.measured
    return Finding(
        status="FAIL",
        message=f"{what}: {_concurrencies([one.concurrency for one in points])} of {config}",
        cites=(*entries, *(_digests(point, at) for point in points)),
        about=config,
        remedy=_MEASURE,
    )


def _digests(point: Point, at: str | None) -> Cite:
    measured = (point.measured_digest or "nothing")[:12]
    value = f"{measured} measured, {(point.digest or 'nothing')[:12]} at the head"
    return Cite(path=f"point {point.config} c{point.concurrency}", value=value, at=at)


def _no_run(submission: Submission) -> Finding:
    runs = sorted(submission.runs or (), key=lambda run: run.id, reverse=True)
    if not runs:
        message = "no run of the sweep is there"
    else:
        why = "; ".join(refusals(runs[0], submission))
        more = f", and {len(runs) - 1} earlier ones neither" if runs[1:] else ""
        message = f"run {runs[0].id} does not count{more}: {why}"
    return Finding(
        status="FAIL",
        message=message,
        cites=tuple(cite(run, run.head) for run in runs),
        remedy=_MEASURE,
    )


def _undone(run: Run, did: Iterable[Outcome]) -> Iterator[Finding]:
    """Yield, for each config and kind, the jobs that came to the same bad end."""

    def end(one: Outcome) -> tuple[str, str, str]:
        return one.identity.config, one.identity.kind, one.state

    bad = sorted((one for one in did if one.state != "success"), key=end)
    for (config, kind, _), group in groupby(bad, key=end):
        some = list(group)
        which = _concurrencies([c for one in some for c in one.identity.concurrency])
        yield Finding(
            status="FAIL",
            message=f"{kind} of {which} {WORDS[some[0].state]} in run {run.id}: {config}",
            cites=tuple(place for one in some for place in job_cites(run, one)),
            about=config,
            remedy="rerun the jobs, or measure the head anew",
        )


def _passed(run: Run, did: Iterable[Outcome], submission: Submission) -> Finding:
    jobs = [one for one in did for _ in one.jobs]
    kinds = {
        kind: sum(one.identity.kind == kind for one in jobs) for kind in ("throughput", "eval")
    }
    counted = " and ".join(f"{number} {kind}" for kind, number in kinds.items() if number)
    claimed = is_claimed(run, submission)
    whose = "by its owner's word with" if claimed else "with"
    return Finding(
        status="PASS",
        message=f"run {run.id} on {run.head[:12]}: all {counted} jobs succeeded, {whose} the"
        " recipes of the head",
        cites=(cite(run, run.head),),
        confidence="claimed" if claimed else "certain",
    )


def _concurrencies(numbers: Iterable[int]) -> str:
    return ", ".join(f"c{number}" for number in sorted(set(numbers)))
