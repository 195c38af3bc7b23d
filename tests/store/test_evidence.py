import hashlib
import json

import pytest

from infx.model.submission import Submission
from infx.store.evidence import INDEX, read, write
from refusals import refusal

FACTS = {
    "day": "2026-10-19",
    "head": "1" * 40,
    "base": "0" * 40,
    "measured": None,
    "unknown": {"evals": "the run has none"},
}
FILES = {"pr.json": b"{}", "runs/9/agg.json": b"[1]"}


def facts(**more):
    return Submission.model_validate_json(json.dumps({"evidence": "", **FACTS, **more}))


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path, facts(), FILES)


def test_a_folder_is_named_by_the_digest_of_all_that_is_in_it(folder):
    digest = hashlib.sha256((folder / INDEX).read_bytes()).hexdigest()
    assert folder.name == digest
    evidence = read(folder)
    assert evidence.submission == facts(evidence=digest)
    assert {path: one.sha256 for path, one in evidence.files.items()} == {
        path: hashlib.sha256(data).hexdigest() for path, data in FILES.items()
    }


def test_the_same_evidence_is_one_folder_and_other_evidence_another(folder, tmp_path):
    source = tmp_path / "agg"
    source.write_bytes(b"[1]")
    same = dict(reversed(FILES.items())) | {"runs/9/agg.json": source}
    assert write(tmp_path, facts(evidence="x"), same) == folder
    assert write(tmp_path, facts(), FILES | {"pr.json": b"[]"}) != folder
    assert write(tmp_path, facts(base="2" * 40), FILES) != folder
    assert not list(tmp_path.glob(".evidence-*"))


def test_files_are_not_written_again(folder):
    assert {path.stat().st_mode & 0o222 for path in folder.rglob("*") if path.is_file()} == {0}


def test_every_change_after_writing_is_told(folder):
    (folder / "pr.json").chmod(0o644)
    (folder / "pr.json").write_bytes(b"[]")
    (folder / "runs/9/agg.json").unlink()
    (folder / "runs/9/agg.json").symlink_to("/etc/hostname")
    (folder / "more.txt").write_text("?")
    said = refusal(lambda: read(folder))
    assert [line.removeprefix(f"{folder}/").partition(";")[0] for line in said.splitlines()] == [
        "pr.json: the file is not the one of the index",
        "runs/9/agg.json: is a link or a device, not a file",
        "more.txt: the index does not know this file",
    ]


def test_changed_facts_are_told_by_the_folders_name(folder):
    (folder / INDEX).chmod(0o644)
    (folder / INDEX).write_text((folder / INDEX).read_text().replace("the run", "a run"))
    assert "is named after a digest that it does not have" in refusal(lambda: read(folder))


@pytest.mark.parametrize(
    "path", ["../x", "/etc/x", "a//b", "a/./b", "a\\b", "C:x", "a\x00b", INDEX, "", "a\u202eb"]
)
def test_a_path_that_leaves_the_folder_is_refused(tmp_path, path):
    refusal(lambda: write(tmp_path / "out", facts(), {path: b""}))
    assert not (tmp_path / "out").exists()


def test_a_path_in_a_foreign_index_is_refused_where_it_stands(tmp_path):
    raw = {"sha256": "a" * 64, "bytes": 1}
    whole = {
        "format": "infx-evidence-1",
        "facts": FACTS,
        "files": {"../secret": raw, "A": raw, "a": raw},
    }
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / INDEX).write_text(json.dumps(whole, indent=1))
    said = refusal(lambda: read(tmp_path / "e"))
    line = json.dumps(whole, indent=1).splitlines().index(' "files": {') + 2
    assert f"{INDEX}:{line}: is no path of names from the folder" in said
    assert "a and A are one file on some systems" in said


def test_facts_alone_are_one_file(tmp_path):
    path = tmp_path / "facts.json"
    path.write_text(json.dumps(FACTS))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert read(path).submission == facts(evidence=digest)
    path.write_text(json.dumps({"evidence": "abc", **FACTS}))
    assert read(path).submission.evidence == "abc"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "should be an object"),
        ('{"day": "x"}', "the key head is missing"),
        ('{"head": "1", "head": "2"}', "head"),
        ('{"evals": [NaN]}', "facts.json:1"),
        (json.dumps({**FACTS, "evlas": 1}), "did you mean evals?"),
    ],
)
def test_facts_that_are_no_submission_are_refused_with_their_line(tmp_path, text, message):
    path = tmp_path / "facts.json"
    path.write_text(text)
    assert message in refusal(lambda: read(path))


def test_a_folder_without_an_index_is_no_evidence(tmp_path):
    assert f"{INDEX}: the file cannot be read" in refusal(lambda: read(tmp_path))
