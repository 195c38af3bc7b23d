"""Every eval that the sweep asks for has a passing score, on the submitted image.

What
    Takes the run of `passing-sweep` and, for each eval job that its matrix asks for, the scores of
    that run: each is a finite number from 0 to 1, counts every sample of the task, reaches its
    floor, and was answered by the image that is submitted, with real acceptance of drafts.

Why
    A fast server with wrong answers is not fast. A score of ten questions, or one that drafts were
    simulated in, says nothing of the answers.

Fails
    The job was skipped or failed, or its score is empty. The harness broke. The score is no number
    (`NaN`, a truth value, above 1), is below its floor, or counts fewer samples than the task has.
    No floor is known, or its row cannot be read: the policy set says which floor is the last
    resort, and `infx-1` has none. The image is another one. Acceptance was simulated, or nothing
    says that it was not. Concurrencies of a batch failed or are missing. A score stands twice. The
    changelog turns the evals off, or only diagnostic tasks were asked.

Passes
    Each score is whole and at its floor; it is said when chance alone could have lifted it there.
    Diagnostic tasks are held to what broke, not to a score. A change whose matrix asks for no eval
    by itself, and one that is append-only, needs none.

Fix
    Rerun the failed eval jobs without a limit of samples and on the image of the configuration; a
    score below its floor is a wrong answer of the server, to be found there.

Evidence
    The runs (`runs`), the jobs of the measured matrix (`expected_jobs`), the scores (`evals`), the
    affected entries with their images (`configs`, `points`), the pull request's commits (`pull`),
    and the added entries where no eval is asked for (`changelog`).
"""

from collections import defaultdict
from collections.abc import Container, Iterator, Sequence

from infx.model.config_facts import Config, Point
from infx.model.run_facts import Eval, Run
from infx.model.submission import Submission
from infx.model.verdict import Cite, Finding, Question
from infx.policy.context import Context
from infx.policy.scope import points_by_config
from infx.policy.scores import batch_faults, faults, held, nears_floor, served_faults, which
from infx.policy.sweeps import WORDS, Outcome, best, job_cites, outcomes

NEEDS = ("pull", "runs", "expected_jobs", "configs")

_RERUN = "rerun the eval job on the submitted image, with all samples"


def check(submission: Submission, context: Context) -> Iterator[Finding]:
    """Yield what each eval of the sweep came to."""
    expected = [job for job in submission.expected_jobs or () if job.kind == "eval"]
    run = best(submission)
    if not expected:
        yield _unasked(submission)
    elif submission.evals is None:
        why = submission.unknown.get("evals") or "the evidence has no evals"
        yield Finding(
            status="FAIL",
            message=f"could not be verified: {why}",
            about="evals",
            remedy="gather the evidence with evals (--artifacts)",
        )
    elif run is None:
        yield Finding(
            status="FAIL",
            message="could not be verified: no run of the sweep counts, so no score does",
            cites=tuple(Cite(path=f"run {run.id}", at=run.url) for run in submission.runs or ()),
            remedy="measure the head: take the primary sweep label off and put it on again",
        )
    else:
        rows = [row for row in submission.evals or () if row.run == run.id]
        scored = {(row.config, tuple(sorted(row.concurrency))) for row in rows}
        for outcome in outcomes(run, expected):
            yield from _scored(run, outcome, scored)
        yield from _twice(rows)
        configs = {config.key: config for config in submission.configs or ()}
        known = [(row, configs[row.config]) for row in rows if row.config in configs]
        yield from _diagnostic_only(known, context)
        points = points_by_config(submission)
        for row, config in known:
            yield from _row(row, config, points.get(row.config, ()), context)


def _unasked(submission: Submission) -> Finding:
    """Say why no eval is asked for: by the matrix itself, or because the change wants none."""
    changelog = submission.changelog
    if not submission.expected_jobs:
        return Finding(status="N/A", message="the change asks for no jobs, so for no evals")
    if changelog is None:
        return Finding(
            status="FAIL",
            message="could not be verified: nothing says why the sweep has no evals",
            remedy="gather the evidence with the changelog",
        )
    off = [one for one in changelog.entries if one.evals == "no-evals" and not one.append_only]
    if not off:
        return Finding(status="N/A", message="the matrix of the measured commit asks for no evals")
    return Finding(
        status="FAIL",
        message="the changelog turns the evals off, so nothing says that the answers are right",
        cites=tuple(one.cite for one in off),
        remedy="take `no-evals` out of the entry and measure the head",
        question=Question(asks="can this change not alter an answer?", of="a core maintainer"),
    )


def _scored(
    run: Run, outcome: Outcome, scored: Container[tuple[str, tuple[int, ...]]]
) -> Iterator[Finding]:
    """Yield a finding for an eval job that did not succeed, or succeeded and left no score.

    `scored` are the configs and the concurrencies, lowest first, that have one.
    """
    one = outcome.identity
    what = f"the eval of {which(one.concurrency)} of {one.config}"
    message = None
    if outcome.state != "success":
        message = f"{what} {WORDS[outcome.state]}"
    elif (one.config, one.concurrency) not in scored:
        message = f"{what} succeeded and its result is empty: there is no score"
    if message is not None:
        yield Finding(
            status="FAIL",
            message=f"{message} in run {run.id}",
            cites=job_cites(run, outcome),
            about=one.config,
            remedy=_RERUN,
        )


def _twice(rows: Sequence[Eval]) -> Iterator[Finding]:
    groups: dict[object, list[Eval]] = defaultdict(list)
    for row in rows:
        groups[_key(row)].append(row)
    for same in groups.values():
        if len(same) > 1:
            yield Finding(
                status="FAIL",
                message=f"{_name(same[0])} has {len(same)} results, and the latest is one",
                cites=tuple(_cite(row) for row in same),
                about=same[0].config,
                remedy="keep only the latest result of each eval in the artifact",
            )


def _key(row: Eval) -> tuple[str, tuple[int, ...], str, str | None, str | None]:
    return row.config, tuple(sorted(row.concurrency)), row.task, row.suite, row.score_name


def _diagnostic_only(known: Sequence[tuple[Eval, Config]], context: Context) -> Iterator[Finding]:
    """Yield a finding where no score of the run is held to a floor."""
    bars = [held(row, config.prefix, context) for row, config in known]
    if bars and all(bar is not None and bar.diagnostic for bar in bars):
        yield Finding(
            status="FAIL",
            message="only diagnostic tasks were asked, and they are held to no floor",
            cites=tuple(_cite(row) for row, _ in known),
            remedy="run the default evals too",
        )


def _row(row: Eval, config: Config, points: Sequence[Point], context: Context) -> Iterator[Finding]:
    bar = held(row, config.prefix, context)
    wrong = [*faults(row, bar), *batch_faults(row), *served_faults(row, config, points)]
    for fault in wrong:
        yield Finding(
            status="FAIL",
            message=f"{_name(row)}: {fault}",
            cites=(_cite(row),),
            about=row.config,
            remedy=_RERUN,
        )
    if bar is not None and not wrong:
        near = ", and chance alone could have lifted it there" if nears_floor(row, bar) else ""
        counted = f"{row.samples} samples, floor {bar.floor} by {bar.rule}{near}"
        yield Finding(
            status="PASS",
            message=f"{_name(row)}: {row.score_name} {row.score} ({counted})",
            cites=(_cite(row),),
            about=row.config,
        )


def _cite(row: Eval) -> Cite:
    return row.cite if row.cite.value else row.cite.model_copy(update={"value": str(row.score)})


def _name(row: Eval) -> str:
    return f"{row.task} at {which(row.concurrency)} of {row.config}"
