"""A run's folder can be read at any moment, is written by one process, and is never overwritten."""

import errno
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import bundled
from infx.clock import NS
from infx.errors import InputError, MachineError
from infx.store import bundles
from infx.store.bundles import BundleWriter, Lock, create, is_alive, new_run_id


def test_run_ids_sort_by_time_and_do_not_collide():
    first = new_run_id(1_800_000_000 * NS)
    assert first.startswith("20270115T080000Z-")
    assert first < new_run_id(1_800_000_001 * NS)
    assert len({new_run_id(0) for _ in range(50)}) == 50


def test_a_whole_run_lies_where_the_layout_says(tmp_path):
    run = bundled.finished(tmp_path / "runs", 1, 2)
    one, two = (bundled.point(concurrency).point_id for concurrency in (1, 2))
    assert run == tmp_path / "runs" / "20270115T080000Z-abc123"
    assert sorted(p.relative_to(run).as_posix() for p in run.rglob("*") if p.is_file()) == sorted(
        ["manifest.json", "server/server.log"]
        + [
            f"points/{point}/{name}"
            for point in (one, two)
            for name in ("point.json", "plan.bin", "requests.jsonl.zst", "summary.json")
        ]
    )
    text = (run / "manifest.json").read_text("utf-8")
    manifest = json.loads(text)
    assert text.startswith('{\n  "anchor": {\n')
    assert text.endswith("}\n")
    assert list(manifest) == sorted(manifest)
    assert manifest["state"] == "finished"
    assert manifest["ended"] == "2027-01-15T08:01:00+00:00"
    assert manifest["points"] == [one, two]
    assert manifest["files"]["server/server.log"] == hashlib.sha256(b"ready\n").hexdigest()
    assert len(manifest["files"]) == 9


def test_repetitions_of_a_point_have_folders_of_their_own(tmp_path):
    writer = create(tmp_path, bundled.manifest())
    folder = writer.begin_point(bundled.point(1, repetition=2))
    assert folder == writer.path / "points" / f"{bundled.point(1).point_id}-r2"
    assert writer.manifest.points == (folder.name,)


def test_a_run_is_never_written_over(tmp_path):
    run = bundled.finished(tmp_path, 1)
    before = (run / "manifest.json").read_bytes()
    with pytest.raises(InputError, match="the run exists already; choose another"):
        create(tmp_path, bundled.manifest())
    assert (run / "manifest.json").read_bytes() == before


@pytest.mark.parametrize("name", ["../up", "a/b", "", ".hidden", "a b"])
def test_a_run_id_must_be_a_plain_folder_name(tmp_path, name):
    with pytest.raises(InputError, match="cannot name a run"):
        create(tmp_path, bundled.manifest(run=name))


def test_a_root_that_is_a_file_is_said(tmp_path):
    (tmp_path / "runs").write_text("")
    with pytest.raises(MachineError) as caught:
        create(tmp_path / "runs", bundled.manifest())
    assert str(caught.value) == (
        f"{tmp_path}/runs: cannot make the folder: File exists; choose a path that is a folder"
    )


def test_an_unwritable_folder_is_said(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("pathlib.Path.mkdir", refuse)
    with pytest.raises(MachineError) as caught:
        create(tmp_path / "runs", bundled.manifest())
    assert str(caught.value) == (
        f"{tmp_path}/runs: cannot make the folder: Permission denied; "
        "choose a folder you may write to"
    )


def fill_disk(monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", refuse)


def test_a_full_disk_at_the_beginning_leaves_nothing_behind(tmp_path, monkeypatch):
    fill_disk(monkeypatch)
    with pytest.raises(MachineError, match="No space left on device; free disk space"):
        create(tmp_path, bundled.manifest())
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_later_leaves_the_old_files_whole(tmp_path, monkeypatch):
    writer = bundled.begin(tmp_path, 1)
    before = {path: path.read_bytes() for path in writer.path.rglob("*") if path.is_file()}
    with monkeypatch.context() as patch:
        fill_disk(patch)
        with pytest.raises(MachineError, match="cannot write the file: No space left"):
            bundled.finish_point(writer, 1)
        with pytest.raises(MachineError, match="cannot write the file: No space left"):
            writer.close("failed", "2027-01-15T08:01:00+00:00", "the disk is full")
    assert {path: path.read_bytes() for path in writer.path.rglob("*") if path.is_file()} == before
    writer.close("failed", "2027-01-15T08:01:00+00:00", "the disk is full")
    assert json.loads((writer.path / "manifest.json").read_bytes())["failure"] == "the disk is full"


def test_a_reader_never_sees_a_part_of_a_file(tmp_path, monkeypatch):
    """The new bytes reach the disk under another name before they take the old one's place."""
    writer = create(tmp_path, bundled.manifest())
    old = (writer.path / "manifest.json").read_bytes()
    real, seen = os.fsync, []

    def fsync(descriptor):
        seen.append((writer.path / "manifest.json").read_bytes())
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    writer.close("finished", "2027-01-15T08:01:00+00:00")
    assert seen == [old, (writer.path / "manifest.json").read_bytes()]


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", "manifest.json", ".lock"])
def test_files_stay_inside_and_off_the_store_s_own(tmp_path, name):
    with pytest.raises(ValueError, match="is no place for a file"):
        create(tmp_path, bundled.manifest()).add_file(name, b"")


def test_a_point_begins_once_and_ends_only_after(tmp_path):
    writer = create(tmp_path, bundled.manifest())
    with pytest.raises(ValueError, match="has not begun"):
        bundled.finish_point(writer, 1)
    writer.begin_point(bundled.point(1))
    with pytest.raises(ValueError, match="has begun already"):
        writer.begin_point(bundled.point(1))


def test_a_run_is_alive_until_it_is_closed(tmp_path):
    writer = create(tmp_path, bundled.manifest())
    assert is_alive(writer.path)
    with pytest.raises(InputError) as caught:
        Lock(writer.path)
    assert str(caught.value) == (
        f"{writer.path}: the run is still going; wait for it, or end its process"
    )
    writer.close("finished", "2027-01-15T08:01:00+00:00")
    assert not is_alive(writer.path)
    assert not (writer.path / ".lock").exists()


def test_the_lock_of_a_killed_process_falls(tmp_path):
    script = (
        "import os, signal, sys; from pathlib import Path; sys.path.insert(0, sys.argv[2])\n"
        "import bundled; bundled.begin(Path(sys.argv[1]), 1)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    tests = Path(bundled.__file__).parent
    done = subprocess.run([sys.executable, "-c", script, tmp_path, tests], check=False)
    assert done.returncode == -9
    (run,) = tmp_path.iterdir()
    assert (run / ".lock").exists()
    assert not is_alive(run)
    Lock(run).release()


def test_files_of_a_run_include_links_but_not_its_own_two(tmp_path):
    run = bundled.finished(tmp_path, 1)
    (run / "link").symlink_to("/etc")
    assert "link" in bundles.files_of(run)
    assert "manifest.json" not in bundles.files_of(run)


def test_the_writer_is_given_with_the_lock(tmp_path):
    writer = create(tmp_path / "deep" / "runs", bundled.manifest())
    assert isinstance(writer, BundleWriter)
    assert writer.manifest.state == "running"
