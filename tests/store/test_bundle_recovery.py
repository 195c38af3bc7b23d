"""A killed run becomes a whole bundle, at whatever moment it was killed."""

import dataclasses
import shutil

import pytest

import bundled
from infx.errors import InputError
from infx.store.bundle_audit import verify
from infx.store.bundle_recovery import recover
from infx.store.bundles import create
from infx.store.journal import Journal
from journaled import ending, issue


def never(point, records):
    raise AssertionError("this point was summarised already")


def killed(writer, to):
    """Copy a run as a kill leaves it: the files of the moment, and no lock held on them."""
    return shutil.copytree(writer.path, to / writer.path.name)


def test_a_run_killed_in_its_second_point_is_finished(tmp_path):
    writer = bundled.begin(tmp_path / "live", 1)
    bundled.finish_point(writer, 1)
    folder = writer.begin_point(bundled.point(2))
    journal = Journal(folder / "requests.jsonl.zst")
    journal.issue(issue(0))
    journal.issue(issue(1))
    journal.end(ending(issue(0)))
    journal.flush()
    run = killed(writer, tmp_path)
    journal.close()
    with (run / "points" / folder.name / "requests.jsonl.zst").open("ab") as file:
        file.write(b"\x28\xb5\x2f")

    bundle = recover(run, bundled.counted)

    assert bundle.manifest.state == "recovered"
    assert bundle.manifest.failure == "the client was killed before the run ended"
    first, second = bundle.points
    assert bundle.summary(first).counts == bundled.counts(ok=1, error=1)
    assert bundle.summary(second).counts == bundled.counts(ok=1, lost=1)
    assert verify(run) == ()


def test_the_end_is_the_last_moment_that_a_journal_knows(tmp_path):
    writer = create(tmp_path / "live", bundled.manifest())
    folder = writer.begin_point(bundled.point(1))
    with Journal(folder / "requests.jsonl.zst") as journal:
        journal.issue(issue(0))
        # The anchor stands at 1000 ns; this request ended 7 s later.
        journal.end(dataclasses.replace(ending(issue(0)), end_ns=7_000_001_000))
    run = killed(writer, tmp_path)
    assert recover(run, bundled.counted).manifest.ended == "2027-01-15T08:00:07+00:00"


def test_a_run_killed_before_its_first_request_is_finished_too(tmp_path):
    writer = create(tmp_path / "live", bundled.manifest())
    writer.begin_point(bundled.point(1))
    run = killed(writer, tmp_path)
    bundle = recover(run, bundled.counted)
    assert bundle.manifest.ended == bundle.manifest.started
    assert bundle.summary(bundle.points[0]).counts == bundled.counts()
    assert bundle.records(bundle.points[0]) == ()
    assert verify(run) == ()


def test_a_run_without_any_point_is_finished_too(tmp_path):
    run = killed(create(tmp_path / "live", bundled.manifest()), tmp_path)
    assert recover(run, never).points == ()
    assert verify(run) == ()


def test_a_point_killed_before_it_was_listed_is_found(tmp_path):
    writer = bundled.begin(tmp_path / "live", 1)
    before = (writer.path / "manifest.json").read_bytes()
    bundled.ask(writer.begin_point(bundled.point(2)))
    run = killed(writer, tmp_path)
    (run / "manifest.json").write_bytes(before)
    (run / "points" / "empty").mkdir()
    assert [point.concurrency for point in recover(run, bundled.counted).points] == [1, 2]
    assert verify(run) == ()


def test_finished_points_keep_their_summaries_and_half_files_go(tmp_path):
    writer = bundled.begin(tmp_path / "live", 1)
    bundled.finish_point(writer, 1)
    run = killed(writer, tmp_path)
    leftover = run / "points" / bundled.point(1).point_id / ".summary.json.tmp"
    leftover.write_bytes(b"{")
    (run / ".manifest.json.tmp").write_bytes(b"")
    bundle = recover(run, never)
    assert bundle.summary(bundle.points[0]).certified
    assert not leftover.exists()
    assert verify(run) == ()


def test_a_recovery_that_was_killed_itself_is_taken_up(tmp_path):
    writer = create(tmp_path / "live", bundled.manifest())
    folder = writer.begin_point(bundled.point(1))
    with Journal(folder / "requests.jsonl.zst") as journal:
        journal.issue(issue(0))
    run = killed(writer, tmp_path)

    def die(point, records):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        recover(run, die)
    bundle = recover(run, bundled.counted)
    assert bundle.summary(bundle.points[0]).counts == bundled.counts(lost=1)
    assert verify(run) == ()


def test_a_run_that_is_alive_or_over_is_left_alone(tmp_path):
    writer = bundled.begin(tmp_path, 1)
    before = (writer.path / "manifest.json").read_bytes()
    with pytest.raises(InputError, match="the run is still going; wait for it"):
        recover(writer.path, never)
    assert (writer.path / "manifest.json").read_bytes() == before
    writer.close("interrupted", "2027-01-15T08:01:00+00:00")
    with pytest.raises(InputError) as caught:
        recover(writer.path, never)
    assert str(caught.value) == (
        f"{writer.path}: there is nothing to recover: the run is interrupted; "
        "show it with: infx runs show"
    )


def test_an_altered_journal_is_not_made_to_look_whole(tmp_path):
    writer = create(tmp_path / "live", bundled.manifest())
    folder = writer.begin_point(bundled.point(1))
    with Journal(folder / "requests.jsonl.zst") as journal:
        for number in range(3):
            journal.issue(issue(number))
            journal.flush()
    run = killed(writer, tmp_path)
    path = run / "points" / folder.name / "requests.jsonl.zst"
    damaged = bytearray(path.read_bytes())
    damaged[20] ^= 255
    path.write_bytes(damaged)
    with pytest.raises(InputError, match="restore the file from a copy"):
        recover(run, bundled.counted)
    assert path.read_bytes() == damaged
