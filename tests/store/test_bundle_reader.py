"""What a bundle holds is read strictly, and a bad file is named."""

import pytest

import bundled
from infx.errors import InputError
from infx.model.record import EndState, Phase
from infx.store.bundle_reader import count_ends, open_bundle


def test_a_bundle_gives_back_what_was_written(tmp_path):
    bundle = open_bundle(bundled.finished(tmp_path, 2, 1))
    assert bundle.manifest.state == "finished"
    assert [point.concurrency for point in bundle.points] == [2, 1]
    point = bundle.points[0]
    assert point.plan_digest == bundled.PLAN_SHA256
    assert bundle.summary(point).counts == bundled.counts(ok=1, error=1)
    assert [record.state for record in bundle.records(point)] == [
        EndState.OK,
        EndState.OK,
        EndState.ERROR,
    ]


def test_a_run_that_goes_on_is_read_with_what_is_there(tmp_path):
    writer = bundled.begin(tmp_path, 1)
    journal = writer.path / "points" / bundled.point(1).point_id / "requests.jsonl.zst"
    with journal.open("ab") as file:
        file.write(b"\x28\xb5\x2f\xfd half a frame")
    bundle = open_bundle(writer.path)
    assert bundle.summary(bundle.points[0]) is None
    assert len(bundle.records(bundle.points[0])) == 3
    writer.close("failed", "2027-01-15T08:01:00+00:00")
    bundle = open_bundle(writer.path)
    with pytest.raises(InputError, match="the journal is not whole after byte"):
        bundle.records(bundle.points[0])


def test_ends_are_counted_by_phase(tmp_path):
    bundle = open_bundle(bundled.finished(tmp_path, 1))
    records = bundle.records(bundle.points[0])
    assert count_ends(records, Phase.WARMUP) == bundled.counts(ok=1)
    assert count_ends(records, Phase.PROFILING) == bundled.counts(ok=1, error=1)


def refusal(path):
    with pytest.raises(InputError) as caught:
        open_bundle(path)
    return str(caught.value)


def test_a_folder_without_a_manifest_is_no_bundle(tmp_path):
    assert refusal(tmp_path) == (
        f"{tmp_path}: this is not a run bundle: it has no manifest.json; "
        "infx runs list shows the runs there are"
    )


@pytest.mark.parametrize("name", ["../../other", "a/b", "", ".."])
def test_points_outside_the_bundle_are_refused(tmp_path, name):
    run = bundled.finished(tmp_path, 1)
    manifest = run / "manifest.json"
    text = manifest.read_text().replace(
        f'  "points": [\n    "{bundled.point(1).point_id}"', f'  "points": [\n    "{name}"'
    )
    manifest.write_text(text)
    assert "cannot name a point" in refusal(run)


def test_a_point_in_the_folder_of_another_is_refused(tmp_path):
    run = bundled.finished(tmp_path, 1, 2)
    one, two = (run / "points" / bundled.point(n).point_id / "point.json" for n in (1, 2))
    two.write_bytes(one.read_bytes())
    assert refusal(run) == (
        f"{two}: the file is that of point {bundled.point(1).point_id}; restore the file"
    )


def test_every_bad_key_of_a_manifest_is_said_with_its_line(tmp_path):
    run = bundled.finished(tmp_path, 1)
    manifest = run / "manifest.json"
    lines = manifest.read_text().splitlines()
    state = next(n for n, line in enumerate(lines, 1) if '"state"' in line)
    simulated = next(n for n, line in enumerate(lines, 1) if '"simulated"' in line)
    text = "\n".join(lines).replace('"finished"', '"done"').replace('"simulated"', '"simulatd"')
    manifest.write_text(text)
    expected = "'running', 'finished', 'interrupted', 'failed' or 'recovered', found 'done'"
    assert refusal(run).splitlines() == [
        f"{manifest}:{state}: state: input should be {expected}",
        f"{manifest}:{simulated}: simulatd: unknown key; did you mean simulated?",
    ]
