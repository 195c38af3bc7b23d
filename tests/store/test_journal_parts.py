"""Parts of a journal become one, whole or not at all, and each of them once."""

import pytest

import bundled
from infx.errors import InputError, MachineError
from infx.store.bundle_recovery import recover
from infx.store.bundles import create
from infx.store.journal import Journal, records
from infx.store.journal_parts import gather, held, merge, part_path, parts_of
from journaled import ending, issue


def write(path, *numbers, ended=True):
    with Journal(path) as journal:
        for number in numbers:
            journal.issue(issue(number))
            if ended:
                journal.end(ending(issue(number)))
            journal.flush()
    return path


@pytest.fixture
def whole(tmp_path):
    return tmp_path / "requests.jsonl.zst"


def numbers(path):
    return [record.request for record in records(path)]


def test_parts_are_found_by_their_index(whole):
    for name in ("requests.10", "requests.2", "requests.x", "other.1", "requests"):
        (whole.parent / f"{name}.jsonl.zst").touch()
    assert [part.name for part in parts_of(whole)] == [
        "requests.2.jsonl.zst", "requests.10.jsonl.zst",
    ]  # fmt: skip


def test_parts_are_appended_byte_for_byte_and_go(whole):
    before = write(whole, 0, 1).read_bytes()
    parts = [write(part_path(whole, index), 2 + index, 4 + index) for index in (0, 1)]
    contents = b"".join(part.read_bytes() for part in parts)
    merge(whole, parts)
    assert whole.read_bytes() == before + contents
    assert numbers(whole) == [0, 1, 2, 3, 4, 5]
    assert [path.name for path in whole.parent.iterdir()] == [whole.name]


def test_parts_alone_make_a_journal_and_none_leave_it_alone(whole):
    merge(whole, ())
    assert not whole.exists()
    merge(whole, [write(part_path(whole, 0), 7), write(part_path(whole, 1))])
    assert numbers(whole) == [7]
    merge(whole, [write(part_path(whole, 0))])
    assert numbers(whole) == [7]


def test_a_merge_that_was_killed_before_it_removed_the_parts(whole):
    parts = [write(part_path(whole, index), index, 2 + index) for index in (0, 1)]
    kept = parts[1].read_bytes()
    merge(whole, parts)
    merged = whole.read_bytes()
    parts[1].write_bytes(kept)
    gather(whole)
    assert whole.read_bytes() == merged
    assert parts_of(whole) == ()


def test_a_torn_part_is_merged_by_gather_only(whole):
    write(part_path(whole, 0), 0)
    torn = write(part_path(whole, 1), 1, ended=False)
    with torn.open("ab") as file:
        file.write(b"\x28\xb5\x2f")
    with pytest.raises(InputError, match=r"requests\.1\.jsonl\.zst: the journal is not whole"):
        merge(whole, parts_of(whole))
    assert not whole.exists()
    gather(whole)
    assert [(one.request, one.state) for one in records(whole)] == [(0, "ok"), (1, "lost")]


def test_a_part_that_is_written_is_left_alone(whole):
    part = part_path(whole, 0)
    with held(part):
        with pytest.raises(InputError, match="another process still writes this part"):
            gather(whole)
        assert part.exists()
    gather(whole)
    assert not part.exists()


def test_a_refusal_of_the_machine_keeps_the_parts(whole, monkeypatch):
    write(whole, 0)
    before = whole.read_bytes()
    part = write(part_path(whole, 0), 1)

    def full(source, target, size):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("infx.store.journal_parts.shutil.copyfileobj", full)
    with pytest.raises(MachineError, match="cannot merge the journal's parts: No space left"):
        merge(whole, [part])
    assert whole.read_bytes() == before
    assert [path.name for path in whole.parent.iterdir()] == [part.name, whole.name]


def test_a_run_with_unmerged_parts_cannot_end_but_be_recovered(tmp_path):
    writer = create(tmp_path / "live", bundled.manifest())
    folder = writer.begin_point(bundled.point(1))
    write(part_path(folder / "requests.jsonl.zst", 0), 0, ended=False)
    with pytest.raises(MachineError, match="is not merged; finish the run with: infx runs recover"):
        writer.close("failed", "2027-01-15T08:01:00+00:00")
    writer._lock.release()

    def summarise(point, seen):
        return bundled.summary(point, profiling=bundled.counts(lost=1), warmup=bundled.counts())

    bundle = recover(writer.path, summarise)
    assert [one.state for one in bundle.records(bundle.points[0])] == ["lost"]
    assert sorted(bundle.manifest.files) == [
        f"points/{folder.name}/{name}"
        for name in ("point.json", "requests.jsonl.zst", "summary.json")
    ]
