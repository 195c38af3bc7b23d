"""Which run of the sweep counts, and which of the jobs that it had to do it did.

A job is known by its config, its kind and its concurrencies, never by its name. Lanes that a change
has no config for ask for no job, and jobs that only collect are never asked for.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from infx.model.config_facts import Point
from infx.model.run_facts import ExpectedJob, Job, Run
from infx.model.submission import Submission
from infx.model.verdict import Cite

BLOCKING = ("agentx-fast", "evals-only")
"""Labels under which a sweep is no evidence of a submission: it measured less than one asks for."""

State = Literal["success", "failure", "timed_out", "cancelled", "none", "skipped", "absent"]
"""What became of a job that the matrix asks for; `none` has not ended, `absent` was never there."""

WORDS: dict[State, str] = {
    "success": "succeeded",
    "failure": "failed",
    "timed_out": "ran out of time",
    "cancelled": "was cancelled",
    "none": "has not ended",
    "skipped": "was skipped",
    "absent": "has no job",
}

_WORST: tuple[State, ...] = ("failure", "timed_out", "cancelled", "none", "skipped", "absent")


@dataclass(frozen=True, slots=True, order=True)
class Identity:
    """What a job does: one kind of work on one config at some concurrencies, lowest first."""

    config: str
    kind: str
    concurrency: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the jobs of one identity; `jobs` are those that decide it."""

    identity: Identity
    state: State
    jobs: tuple[Job, ...]


def cite(run: Run, value: str | None = None) -> Cite:
    """Return a run as the place of a fact."""
    return Cite(path=f"run {run.id}", value=value, at=run.url)


def job_cites(run: Run, outcome: Outcome) -> tuple[Cite, ...]:
    """Return the jobs of an outcome as places, the run where there is none."""
    found = tuple(
        Cite(path=f"job {job.name}", value=job.conclusion, at=f"{run.url} attempt {job.attempt}")
        for job in outcome.jobs
    )
    return found or (cite(run),)


def refusals(run: Run, submission: Submission) -> Iterator[str]:
    """Yield why a run is no evidence of the submission, whatever its jobs did."""
    commits = () if submission.pull is None else submission.pull.commits
    if run.head not in commits:
        yield f"it measured {run.head[:12]}, which is no commit of the pull request any more"
    elif run.head != submission.measured:
        measured = (submission.measured or "no commit")[:12]
        yield f"it measured {run.head[:12]}, and the matrix is that of {measured}"
    for label in BLOCKING:
        if label in run.labels:
            yield f"it ran under the label {label}"
    if run.simulated:
        yield "its engines were simulated"
    if run.altered:
        first = run.altered[0]
        more = f", and {len(run.altered) - 1} more" if run.altered[1:] else ""
        yield f"its bundle is not as the client wrote it: {first.path}: {first.value}{more}"


def counting(submission: Submission) -> tuple[Run, ...]:
    """Return the runs that nothing refuses, newest first."""
    runs = sorted(submission.runs or (), key=lambda run: run.id, reverse=True)
    return tuple(run for run in runs if not any(refusals(run, submission)))


def outcomes(run: Run, expected: Sequence[ExpectedJob]) -> tuple[Outcome, ...]:
    """Return what became of each job that the matrix asks for, by identity.

    Of a job that ran again its latest attempt counts. Two rows of the matrix may have one identity;
    then as many jobs must have succeeded, and none of the others may have failed.
    """
    did = _latest(run)
    asked = sorted(_asked(expected).items())
    return tuple(_outcome(one, count, did.get(one, ())) for one, count in asked)


def best(submission: Submission) -> Run | None:
    """Return the run that counts and left least undone, the newest of several; None without one."""
    asked = _asked(submission.expected_jobs or ())

    def done(run: Run) -> int:
        # Of the jobs that it has, not of all that are asked for: there may be many runs.
        ends = (_outcome(one, asked[one], did) for one, did in _latest(run).items() if one in asked)
        return sum(end.state == "success" for end in ends)

    return max(counting(submission), key=done, default=None)


def has_passed(run: Run, submission: Submission) -> bool:
    """Return whether a run counts and did all that the matrix asks for."""
    expected = submission.expected_jobs or ()
    did = outcomes(run, expected)
    refused = any(refusals(run, submission))
    return bool(did) and not refused and all(one.state == "success" for one in did)


def asked_points(submission: Submission) -> tuple[Point, ...]:
    """Return the points that the submission claims: those that it changes or has measured.

    A point that only the base has is gone, and one that is as in the base and in no job of the
    matrix keeps the figures that it has.
    """
    jobs = submission.expected_jobs or ()
    measured = {(job.config, one) for job in jobs for one in job.concurrency}
    return tuple(
        point
        for point in submission.points or ()
        if point.digest is not None
        and (is_changed(point) or (point.config, point.concurrency) in measured)
    )


def is_changed(point: Point) -> bool:
    """Return whether the head has a point that its base has not, or has otherwise."""
    return point.digest is not None and point.digest != point.base_digest


def identity(job: ExpectedJob | Job) -> Identity:
    """Return what a job of the matrix or of a run does."""
    return Identity(job.config or "", job.kind, tuple(sorted(job.concurrency)))


def _asked(expected: Sequence[ExpectedJob]) -> Counter[Identity]:
    return Counter(identity(job) for job in expected)


def _latest(run: Run) -> Mapping[Identity, tuple[Job, ...]]:
    newest: dict[tuple[Identity, str], list[Job]] = defaultdict(list)
    for job in run.jobs:
        same = newest[identity(job), job.name]
        if same and same[0].attempt < job.attempt:
            same.clear()
        if not same or same[0].attempt == job.attempt:
            same.append(job)
    found: dict[Identity, tuple[Job, ...]] = defaultdict(tuple)
    for (one, _), jobs in newest.items():
        found[one] += tuple(jobs)
    return found


def _outcome(one: Identity, count: int, jobs: tuple[Job, ...]) -> Outcome:
    good = tuple(job for job in jobs if job.conclusion == "success")
    bad = tuple(job for job in jobs if job.conclusion not in ("success", "skipped"))
    if len(good) >= count and not bad:
        return Outcome(one, "success", good)
    rest = bad or tuple(job for job in jobs if job.conclusion == "skipped")
    states = {job.conclusion for job in rest}
    state: State = next((state for state in _WORST if state in states), "absent")
    return Outcome(one, state, tuple(job for job in rest if job.conclusion == state))
