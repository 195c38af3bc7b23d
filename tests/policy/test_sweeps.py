import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.model.config_facts import Point
from infx.model.review_facts import PullRequest
from infx.model.run_facts import ExpectedJob, Job, Run
from infx.model.submission import Submission
from infx.policy.sweeps import asked_points, best, has_passed, outcomes, refusals

HEAD, OLD, BASE = "1" * 40, "2" * 40, "0" * 40
KEY = "mini"


def job(conc, conclusion="success", *, kind="throughput", attempt=1, name=None, config=KEY):
    return Job(
        name=name or f"{kind} c{conc}",
        conclusion=conclusion,
        kind=kind,
        config=config,
        concurrency=(conc,),
        attempt=attempt,
    )


def run(*jobs, id_=900, head=HEAD, **more):
    facts = {"attempt": 1, "event": "pull_request", "workflow": "run-sweep.yml", "url": "u"}
    return Run(id=id_, head=head, conclusion="success", jobs=jobs, **facts, **more)


def asked(*concs, kind="throughput"):
    return tuple(ExpectedJob(config=KEY, kind=kind, concurrency=(conc,)) for conc in concs)


def submission(*runs, expected=(), points=(), commits=(HEAD,), measured=HEAD):
    pull = PullRequest(
        number=1, title="", body="", author="a", head=HEAD, base=BASE, commits=commits
    )
    return Submission.model_validate(
        {
            "evidence": "e",
            "day": "2026-10-19",
            "head": HEAD,
            "base": BASE,
            "measured": measured,
            "pull": pull,
            "runs": runs,
            "expected_jobs": expected,
            "points": points,
        },
        strict=False,
    )


def states(one, expected):
    return [outcome.state for outcome in outcomes(one, expected)]


@pytest.mark.parametrize(
    ("jobs", "state"),
    [
        ((), "absent"),
        ((job(8),), "success"),
        ((job(8, "skipped"),), "skipped"),
        ((job(8, "none"),), "none"),
        ((job(8, kind="collect"),), "absent"),
        ((job(8, kind="eval"),), "absent"),
        ((job(8, config="other"),), "absent"),
        ((job(8, config=None),), "absent"),
        ((job(9),), "absent"),
        ((job(8, "failure"), job(8, attempt=2)), "success"),
        ((job(8, attempt=2), job(8, "failure")), "success"),
        ((job(8), job(8, "failure", attempt=2)), "failure"),
        ((job(8, name="canary"), job(8, "skipped")), "success"),
        ((job(8, name="canary"), job(8, "failure")), "failure"),
        ((job(8, "cancelled"), job(8, "failure", name="b")), "failure"),
    ],
)
def test_a_job_comes_to_what_its_latest_attempt_did(jobs, state):
    assert states(run(*jobs), asked(8)) == [state]


def test_a_batch_is_one_job_whatever_the_order_of_its_concurrencies():
    batch = ExpectedJob(config=KEY, kind="throughput", concurrency=(64, 16))
    done = Job(name="b", conclusion="success", kind="throughput", config=KEY, concurrency=(16, 64))
    assert states(run(done), (batch,)) == ["success"]
    assert states(run(job(16), job(64, name="c")), (batch,)) == ["absent"]


def test_two_rows_of_one_identity_want_two_jobs():
    assert states(run(job(8, name="1k1k")), asked(8, 8)) == ["absent"]
    assert states(run(job(8, name="1k1k"), job(8, name="8k1k")), asked(8, 8)) == ["success"]


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"head": "3" * 40}, "no commit of the pull request any more"),
        ({"head": OLD}, "the matrix is that of"),
        ({"labels": ("agentx-fast",)}, "agentx-fast"),
        ({"labels": ("full-sweep-enabled", "evals-only")}, "evals-only"),
        ({"simulated": True}, "simulated"),
    ],
)
def test_runs_that_are_no_evidence_whatever_they_did(facts, why):
    one = run(job(8), **facts)
    facts = submission(one, expected=asked(8), commits=(OLD, HEAD))
    assert [why in reason for reason in refusals(one, facts)] == [True]
    assert not has_passed(one, facts)
    assert best(facts) is None


def test_without_a_measured_commit_no_run_counts():
    assert best(submission(run(job(8)), expected=asked(8), measured=None)) is None


def test_a_run_of_no_jobs_passes_nothing():
    assert not has_passed(run(), submission(run()))


def test_the_run_that_did_most_is_the_best_and_the_newest_of_equal_ones():
    runs = (run(job(8), id_=1), run(job(8), id_=2), run(job(8, "failure"), id_=3))
    assert best(submission(*runs, expected=asked(8))).id == 2


CONCLUSIONS = ("failure", "cancelled", "skipped", "timed_out", "none")


@given(
    concs=st.lists(st.integers(1, 64), min_size=1, max_size=6, unique=True),
    data=st.data(),
)
def test_no_job_can_be_missing(concs, data):
    jobs = [job(conc) for conc in concs]
    noise = [job(conc, kind=kind) for conc in concs for kind in ("collect", "other", "eval")]
    expected = asked(*concs)
    whole = run(*jobs, *noise)
    assert has_passed(whole, submission(whole, expected=expected))
    at = data.draw(st.sampled_from(range(len(jobs))))
    end = data.draw(st.sampled_from([None, *CONCLUSIONS]))
    jobs[at : at + 1] = [] if end is None else [job(concs[at], end)]
    broken = run(*jobs, *noise)
    assert not has_passed(broken, submission(broken, expected=expected))


def point(conc, digest, *, base=None, measured=None):
    return Point(
        config=KEY,
        concurrency=conc,
        scenario="s",
        variant="",
        digest=digest,
        base_digest=base,
        measured_digest=measured,
        image="i",
        series="c",
    )


def test_points_are_claimed_that_change_or_are_measured():
    points = (
        point(1, "a", base="a"),
        point(2, "a", base="a"),
        point(4, "b", base="a"),
        point(8, "b"),
        point(16, None, base="a"),
    )
    found = asked_points(submission(expected=asked(2), points=points))
    assert [one.concurrency for one in found] == [2, 4, 8]
