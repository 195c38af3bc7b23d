"""Runs on disk: listed, opened in a notebook, verified, finished after a kill."""

import shutil

import pytest

import bundled
from infx.errors import InputError
from infx.flows.runs import list_runs, open_run, recover_run, verify_run
from infx.model.record import EndState
from infx.store.bundles import create
from infx.store.journal import Journal
from journaled import ending, issue


def test_a_run_opens_with_its_result_points_and_records(tmp_path):
    run = open_run(str(bundled.finished(tmp_path, 1, 2)))
    assert repr(run) == "<Run 20270115T080000Z-abc123: finished, 2 points, concurrency 1, 2>"
    assert run.result.bundle == str(tmp_path / "20270115T080000Z-abc123")
    assert run.result.certified
    assert run.result.reasons == ()
    assert [point.concurrency for point in run.result.points] == [1, 2]
    assert [point.concurrency for point in run.points] == [1, 2]
    identity = bundled.point(2).point_id
    assert [r.state for r in run.records(identity)] == [EndState.OK, EndState.OK, EndState.ERROR]
    assert run.records(identity[:12]) == run.records(identity)


def test_an_unknown_point_gets_the_nearest_and_an_unclear_one_asks_for_more(tmp_path):
    run = open_run(bundled.finished(tmp_path, 1, 2))
    known = bundled.point(1).point_id[:16]
    with pytest.raises(InputError, match=f"did you mean {known}?"):
        run.records(known[:-1] + "x")
    with pytest.raises(InputError, match="2 points begin with ''; give more of the id"):
        run.records("")
    with pytest.raises(InputError, match=r"repetition 1 has no point .*; the run has none"):
        run.records(known, repetition=1)


@pytest.mark.parametrize(
    ("state", "ends", "reasons"),
    [
        ("interrupted", (1,), ("run-interrupted", "point-unfinished")),
        ("failed", (1, 2), ("run-failed",)),
        ("finished", (1, 2), ()),
    ],
)
def test_a_run_that_did_not_finish_is_not_certified_and_says_why(tmp_path, state, ends, reasons):
    writer = bundled.begin(tmp_path, 1, 2)
    for concurrency in ends:
        bundled.finish_point(writer, concurrency)
    writer.close(state, "2027-01-15T08:01:00+00:00")
    result = open_run(writer.path).result
    assert result.reasons == reasons
    assert result.certified is (not reasons)
    assert len(result.points) == len(ends)


def test_a_run_without_points_is_not_certified(tmp_path):
    result = open_run(bundled.finished(tmp_path)).result
    assert (result.certified, result.reasons) == (False, ("no-points",))


def test_runs_are_listed_by_time_with_what_is_wrong(tmp_path):
    bundled.finished(tmp_path, 1)
    live = create(tmp_path, bundled.manifest(run="20270115T090000Z-aaaaaa"))
    shutil.copytree(live.path, tmp_path / "20270115T100000Z-aaaaaa")
    (tmp_path / "20270115T110000Z-aaaaaa").mkdir()
    (tmp_path / "20270115T110000Z-aaaaaa" / "manifest.json").write_text("{")
    (tmp_path / "no-run").mkdir()
    entries = list_runs(tmp_path)
    assert [(e.path.name[9:13], e.manifest and e.manifest.state, e.alive) for e in entries] == [
        ("0800", "finished", False),
        ("0900", "running", True),
        ("1000", "running", False),
        ("1100", None, False),
    ]
    assert "this is not JSON" in str(entries[-1].problem)
    assert list_runs(tmp_path / "nowhere") == ()
    live.close("finished", "2027-01-15T09:01:00+00:00")


def test_a_good_run_verifies_and_an_altered_one_does_not(tmp_path):
    run = bundled.finished(tmp_path, 1)
    assert verify_run(run) == ()
    (run / "server" / "server.log").write_text("altered")
    assert [problem.what for problem in verify_run(str(run))] == [
        "the file was changed: its sha256 differs"
    ]


def test_a_killed_run_is_finished_with_summaries_that_are_not_certified(tmp_path):
    writer = bundled.begin(tmp_path / "live", 1)
    bundled.finish_point(writer, 1)
    folder = writer.begin_point(bundled.point(2))
    with Journal(folder / "requests.jsonl.zst") as journal:
        for number in range(4):
            journal.issue(issue(number))
        journal.end(ending(issue(0), first_content_ns=1_100, completion_tokens=1))
    path = shutil.copytree(writer.path, tmp_path / writer.path.name)
    run = recover_run(path)
    assert run.manifest.state == "recovered"
    first, second = run.result.points
    assert first.certified
    assert second.counts == bundled.counts(ok=1, lost=3)
    assert not second.certified
    assert "client-not-audited" in second.reasons
    assert run.result.reasons[0] == "run-recovered"
    assert verify_run(path) == ()
