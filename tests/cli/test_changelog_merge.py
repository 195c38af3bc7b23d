"""The merge driver in real repositories: both branches append, nobody resolves anything."""

import os
import subprocess
from pathlib import Path

import pytest

import gitted
from toy_repository import CHANGELOG, LINK, entry
from transcript import CONSOLE, refused

FILE = "perf-changelog.yaml"
OURS, THEIRS = entry("toy-fp8-h200-sglang"), entry("toy-fp8-h200-vllm", link=f"{LINK}3")
ODD = CHANGELOG + "  \n" + CHANGELOG  # history may hold what no addition may


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> gitted.Repo:
    """A repository with the driver installed, on `topic`, which has appended an entry."""
    path = f"{Path(CONSOLE).parent}{os.pathsep}{gitted.ENVIRONMENT['PATH']}"
    monkeypatch.setitem(gitted.ENVIRONMENT, "PATH", path)
    repo = gitted.repository(tmp_path, {FILE: ODD})
    install(repo)
    repo.commit({})
    repo.commit({FILE: ODD + OURS}, branch="topic")
    repo.git("checkout", "-q", "main")
    repo.commit({FILE: ODD + THEIRS})
    repo.git("checkout", "-q", "topic")
    return repo


def install(repo: gitted.Repo) -> str:
    argv = (CONSOLE, "changelog", "merge", "--install", "--base", "main")
    done = subprocess.run(
        argv, cwd=repo.root, env=gitted.ENVIRONMENT, capture_output=True, text=True, check=True
    )
    return done.stdout


def text(repo: gitted.Repo) -> str:
    return (repo.root / FILE).read_bytes().decode()


def test_the_base_merged_into_a_branch_keeps_the_base_first(repo):
    repo.git("merge", "-q", "--no-edit", "main")
    assert text(repo) == ODD + THEIRS + OURS
    assert repo.git("status", "--porcelain") == ""


def test_a_branch_merged_into_the_base_comes_last(repo):
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-edit", "topic")
    assert text(repo) == ODD + THEIRS + OURS


def test_a_branch_is_rebased_onto_the_base(repo):
    repo.git("rebase", "-q", "main")
    assert text(repo) == ODD + THEIRS + OURS


def test_an_entry_is_picked_onto_another_branch(repo):
    repo.git("checkout", "-q", "main")
    repo.git("cherry-pick", "topic")
    assert text(repo) == ODD + THEIRS + OURS


def test_edited_history_is_left_to_people_with_marks(repo):
    repo.commit({FILE: ODD.replace("Begin", "Start") + OURS})
    repo.git("merge", "-q", "--no-edit", "main", check=False)
    assert repo.git("status", "--porcelain") == f"UU {FILE}"
    assert "<<<<<<< ours\n" in text(repo)
    assert "Start" in text(repo)


def test_without_the_driver_the_same_merge_conflicts(repo):
    repo.git("config", "--remove-section", "merge.infx-changelog")
    repo.git("merge", "-q", "--no-edit", "main", check=False)
    assert repo.git("status", "--porcelain") == f"UU {FILE}"


def test_installing_twice_changes_nothing(repo):
    attributes = repo.root / ".gitattributes"
    assert attributes.read_text() == f"/{FILE} merge=infx-changelog\n"
    attributes.write_text("*.bin binary")
    assert install(repo) == f"{attributes}: /{FILE} merge=infx-changelog\n"
    assert attributes.read_text() == f"*.bin binary\n/{FILE} merge=infx-changelog\n"
    install(repo)
    assert attributes.read_text() == f"*.bin binary\n/{FILE} merge=infx-changelog\n"


def test_a_base_is_never_read_by_a_shell(tmp_path):
    repo = gitted.repository(tmp_path, {FILE: CHANGELOG})
    argv = (CONSOLE, "changelog", "merge", "--install", "--base", "a; touch b")
    subprocess.run(argv, cwd=repo.root, env=gitted.ENVIRONMENT, check=True, capture_output=True)
    assert repo.git("config", "merge.infx-changelog.driver") == (
        "infx changelog merge --base 'a; touch b' %O %A %B %P"
    )


def test_without_files_it_says_what_is_meant(infx):
    assert infx("changelog", "merge") == refused(
        2, "git calls this with three files; you want --install; infx changelog merge --install"
    )


def test_without_a_known_base_ours_goes_first(tmp_path, infx):
    gitted.repository(tmp_path)
    for name, tail in (("o", ""), ("a", OURS), ("b", THEIRS)):
        (tmp_path / name).write_text(CHANGELOG + tail)
    assert infx("changelog", "merge", "o", "a", "b").code == 0
    assert (tmp_path / "a").read_text() == CHANGELOG + OURS + THEIRS


def test_the_changelog_of_a_catalog_is_found(tmp_path, infx):
    gitted.repository(tmp_path, {f"catalog/{FILE}": CHANGELOG})
    line = f"/catalog/{FILE} merge=infx-changelog"
    said = infx("changelog", "merge", "--install")
    assert (said.code, said.out) == (0, f"{tmp_path}/.gitattributes: {line}\n")
    assert (tmp_path / ".gitattributes").read_text() == f"{line}\n"
