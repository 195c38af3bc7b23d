"""The exit code of a run, and the line that says why it is not 0."""

from pathlib import Path

import pytest

import bundled
from infx.cli.verdict import judge
from infx.errors import Problem
from infx.flows.bench import Outcome
from infx.flows.runs import open_run
from infx.model.record import EndState, Phase
from infx.store.bundles import PLAN, REQUESTS
from infx.store.journal import Journal
from journaled import ending, issue


def run(folder: Path, *ends: EndState):
    """A finished run of one point whose profiling requests ended so."""
    writer = bundled.create(folder, bundled.manifest())
    place = writer.begin_point(bundled.point(1))
    (place / PLAN).write_bytes(bundled.PLAN_BYTES)
    with Journal(place / REQUESTS) as journal:
        for number, state in enumerate(ends):
            began = issue(number, Phase.PROFILING)
            journal.issue(began)
            journal.end(ending(began, state))
    counted = bundled.counts(**{state.value: ends.count(state) for state in EndState})
    ended = bundled.point(1).model_copy(update={"plan_digest": bundled.PLAN_SHA256})
    summary = bundled.summary(ended, profiling=counted, warmup=bundled.counts())
    writer.end_point(ended, summary)
    writer.close("finished", "2027-01-15T08:01:00+00:00")
    return open_run(writer.path)


OK, ERROR, CUT = EndState.OK, EndState.ERROR, EndState.CANCELLED_AT_END


@pytest.mark.parametrize(
    ("ends", "code"),
    [
        ([OK] * 9 + [ERROR], 0),  # a share of exactly 0.1 is allowed
        ([OK] * 8 + [ERROR], 1),
        ([OK] * 8 + [EndState.OVERFLOW], 1),
        ([OK] * 8 + [EndState.LOST], 1),
        ([OK] + [CUT] * 9, 0),  # cut at the end of a run by time: they did not fail
        ([OK] + [EndState.CANCELLED_BY_PLAN] * 9, 0),
        ([ERROR], 3),
        ([CUT], 3),
        ([], 3),
    ],
)
def test_failed_requests_are_a_no_and_nothing_ok_is_a_dead_server(tmp_path, ends, code):
    verdict = judge(Outcome(run(tmp_path, *ends)), max_error=0.1, strict=True)
    assert verdict.code == code
    assert bool(verdict.lines) == (code != 0)


def test_the_words_of_each_verdict(tmp_path):
    good = run(tmp_path / "good", OK)
    half = run(tmp_path / "half", OK, ERROR)
    died = Problem("it died", "server.log", "look")

    def says(outcome, **settings):
        verdict = judge(outcome, **{"max_error": 0.1, "strict": False, **settings})
        return verdict.code, *verdict.lines

    assert says(Outcome(good)) == (0,)
    assert says(Outcome(half)) == (
        1, "1 of 2 requests failed; --max-error 0.1 allows less",
    )  # fmt: skip
    assert says(Outcome(half), max_error=0.5) == (0,)
    assert says(Outcome(half, failure=died)) == (3, "server.log: it died; look")
    assert says(Outcome(half, interrupted=True, failure=died)) == (
        130, f"interrupted; what was measured is kept in {half.bundle.path}",
    )  # fmt: skip
