"""Nothing in a finished bundle can change unseen."""

import json

import pytest

import bundled
from infx.errors import InputError
from infx.store.bundle_audit import verify
from infx.store.files import sha256_of


@pytest.fixture
def run(tmp_path):
    return bundled.finished(tmp_path, 1, 2)


def said(run):
    return [str(problem).replace(f"{run}/", "") for problem in verify(run)]


def folder(run, concurrency=1):
    return run / "points" / bundled.point(concurrency).point_id


def rewrite(path, change):
    """Change a JSON file, and let the manifest agree: only the content is wrong then."""
    data = json.loads(path.read_bytes())
    change(data)
    path.write_text(json.dumps(data, indent=2))
    run = next(parent for parent in path.parents if (parent / "manifest.json").exists())
    manifest = json.loads((run / "manifest.json").read_bytes())
    manifest["files"][path.relative_to(run).as_posix()] = sha256_of(path)
    (run / "manifest.json").write_text(json.dumps(manifest))


def test_a_true_bundle_has_no_problem(run):
    assert verify(run) == ()


def test_a_bit_flipped_in_any_file_is_seen(run):
    for path in sorted(run.rglob("*")):
        if not path.is_file() or path.name == "manifest.json":
            continue
        whole = path.read_bytes()
        for position in {0, len(whole) // 2, len(whole) - 1}:
            damaged = bytearray(whole)
            damaged[position] ^= 1
            path.write_bytes(damaged)
            name = path.relative_to(run)
            assert f"{name}: the file was changed: its sha256 differs; restore it" in said(run)
        path.write_bytes(whole)
    assert verify(run) == ()


def test_missing_extra_and_linked_files_are_seen(run):
    (run / "server" / "server.log").unlink()
    (run / "notes.txt").write_text("mine")
    plan = folder(run) / "plan.bin"
    (run.parent / "elsewhere").write_bytes(plan.read_bytes())
    plan.unlink()
    plan.symlink_to(run.parent / "elsewhere")
    assert said(run) == [
        (
            f"points/{bundled.point(1).point_id}/plan.bin: this is a link, not a file; "
            "restore the file from a copy"
        ),
        "server/server.log: the file is missing; restore it from a copy",
        "notes.txt: the manifest does not know this file; remove it",
    ]


def test_a_run_that_has_not_ended_says_so(tmp_path):
    writer = bundled.begin(tmp_path, 1)
    assert [str(problem) for problem in verify(writer.path)] == [
        (
            f"{writer.path}: the run has not ended; "
            "if its process is gone, finish it with: infx runs recover"
        )
    ]


def test_keys_that_do_not_follow_from_the_content_are_seen(run):
    rewrite(folder(run) / "point.json", lambda data: data["recipe"].update(engine="vllm"))
    names = [line.split(": ")[1].split(" is ")[0] for line in said(run)]
    assert names == ["recipe_digest", "point_id", "curve_key"]


def test_a_plan_that_is_not_the_point_s_is_seen(run):
    rewrite(folder(run) / "point.json", lambda data: data.update(plan_digest="0" * 64))
    assert said(run) == [
        (
            f"points/{bundled.point(1).point_id}/plan.bin: the plan is not the one that the point "
            "names; restore it"
        )
    ]


def test_counts_that_the_journal_does_not_bear_out_are_seen(run):
    def hide_the_error(data):
        data["counts"].update(ok=2, error=0)

    rewrite(folder(run) / "summary.json", hide_the_error)
    (line,) = said(run)
    assert line.startswith(f"points/{bundled.point(1).point_id}/summary.json: counts is issued=2")
    assert "ok=2 error=0" in line
    assert "but the point has issued=2 ok=1 error=1" in line


def test_counts_that_do_not_sum_are_seen(run):
    rewrite(folder(run) / "summary.json", lambda data: data["counts"].update(issued=3))
    (line,) = said(run)
    assert "counts: issued must be the sum of the six end states" in line


def test_a_point_whose_file_is_gone_does_not_hide_the_others(run):
    (folder(run, 1) / "point.json").unlink()
    (folder(run, 2) / "requests.jsonl.zst").unlink()
    one, two = (f"points/{bundled.point(n).point_id}" for n in (1, 2))
    assert sorted(said(run)) == sorted(
        [
            f"{one}/point.json: the file is missing; restore it from a copy",
            f"{two}/requests.jsonl.zst: the file is missing; restore it from a copy",
            f"{one}/point.json: the file cannot be read: No such file or directory; check the path",
            (
                f"{two}/requests.jsonl.zst: the journal cannot be read: No such file or directory; "
                "check the path"
            ),
        ]
    )


def test_without_a_manifest_there_is_nothing_to_verify(tmp_path):
    with pytest.raises(InputError, match="this is not a run bundle"):
        verify(tmp_path)
