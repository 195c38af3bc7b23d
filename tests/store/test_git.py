"""What commits say, read by object id, whatever the work tree and the environment say."""

from pathlib import Path

import pytest

import gitted
from infx.store import git
from refusals import refusal

ENVIRONMENT = {"PATH": gitted.ENVIRONMENT["PATH"], "HOME": "/nonexistent"}


@pytest.fixture
def repo(tmp_path: Path) -> gitted.Repo:
    return gitted.repository(tmp_path / "repo", {"a/one.yaml": "1\n", "two.yaml": "2\n"})


def opened(repo: gitted.Repo) -> git.Repository:
    return git.open_repository(repo.root, ENVIRONMENT)


def test_blobs_are_read_as_they_were_committed_all_at_once(repo):
    odd = bytes(range(256)) + b"\nblob 3\n"
    repo.commit({"a/odd name\n.bin": odd, "empty": b""})
    repo.write({"two.yaml": "edited"})
    found = git.tree(opened(repo), "HEAD", ["."])
    assert set(found) == {"a/one.yaml", "two.yaml", "a/odd name\n.bin", "empty"}
    contents = git.blobs(opened(repo), [*found.values(), *found.values()])
    assert {path: contents[one] for path, one in found.items()} == {
        "a/one.yaml": b"1\n",
        "two.yaml": b"2\n",
        "a/odd name\n.bin": odd,
        "empty": b"",
    }
    assert set(git.tree(opened(repo), "HEAD", ["a"])) == {"a/one.yaml", "a/odd name\n.bin"}
    assert git.blobs(opened(repo), []) == {}


def test_links_are_no_files(repo):
    (repo.root / "link.yaml").symlink_to("/etc/passwd")
    repo.commit({})
    assert "link.yaml" not in git.tree(opened(repo), "HEAD", ["."])
    assert git.content(opened(repo), "link.yaml") is None


def test_the_base_is_where_the_branch_left_the_ref(repo):
    fork = repo.git("rev-parse", "HEAD")
    repo.commit({"two.yaml": "new on main\n"})
    repo.git("checkout", "-q", "-b", "topic", fork)
    head = repo.commit({"a/one.yaml": "changed\n"})
    assert git.span(opened(repo), "main") == git.Span("main", fork, head)
    assert git.span(opened(repo), "HEAD") == git.Span("HEAD", head, head)


def test_unknown_names_are_refused_with_the_way_to_them(repo, tmp_path):
    where = str(repo.root)
    assert refusal(lambda: git.span(opened(repo), "origin/main")) == (
        f"{where}: no commit is called 'origin/main' here; git branch --all lists what is here"
    )
    assert refusal(lambda: git.span(opened(repo), "main~9")) == (
        f"{where}: no commit is called 'main~9' here; git log --oneline lists what is here"
    )
    clone = gitted.Repo(tmp_path / "clone")
    repo.git("clone", "-q", str(repo.root), str(clone.root))
    clone.git("branch", "-q", "-m", "topic")
    repo.git("branch", "late")
    for name, advice in (
        ("main", "did you mean origin/main?"),
        ("origin/late", "fetch it: git fetch origin late"),
        ("late", "did you mean origin/late?"),
    ):
        said = refusal(lambda name=name: git.span(opened(clone), name))
        assert said == f"{clone.root}: no commit is called {name!r} here; {advice}"
        if advice.startswith("fetch"):
            clone.git(*advice.removeprefix("fetch it: git ").split())
            assert git.span(opened(clone), name)
    repo.git("tag", "v9")
    said = refusal(lambda: git.span(opened(clone), "v9"))
    assert said.endswith("; fetch it: git fetch origin v9:v9")
    clone.git("fetch", "-q", "origin", "v9:v9")
    assert git.span(opened(clone), "v9")
    assert refusal(lambda: git.span(opened(repo), "--all")) == (
        "'--all' is no name of a commit; name a branch or a tag"
    )
    assert git.resolve(opened(repo), "nosuch") is None
    assert git.resolve(opened(repo), "--all") is None
    assert git.resolve(opened(repo), "main") == repo.git("rev-parse", "main")


def test_a_folder_outside_of_git_is_refused(tmp_path):
    said = refusal(lambda: git.open_repository(tmp_path, ENVIRONMENT))
    assert said.startswith(f"{tmp_path}: not a git repository")
    assert said.endswith("; run it in a clone")


def test_a_repository_without_commits_is_refused(tmp_path):
    repo = gitted.Repo(tmp_path)
    repo.git("init", "-q")
    assert "no commit" in refusal(lambda: git.span(opened(repo), "HEAD"))


def test_histories_that_share_nothing_are_refused(repo):
    repo.git("checkout", "-q", "--orphan", "island")
    repo.commit({"three.yaml": "3\n"})
    said = refusal(lambda: git.span(opened(repo), "main"))
    assert said.endswith(
        "HEAD and main have no commit in common; name the branch that HEAD grew from"
    )


def test_a_shallow_clone_says_what_to_fetch(repo, tmp_path):
    repo.commit({"two.yaml": "more\n"}, branch="topic")
    repo.git("checkout", "-q", "main")
    repo.commit({"two.yaml": "other\n"})
    clone = gitted.Repo(tmp_path / "clone")
    source = f"file://{repo.root}"
    repo.git("clone", "-q", "--depth", "1", "-b", "topic", source, str(clone.root))
    said = refusal(lambda: git.span(opened(clone), "origin/main"))
    advice = "git fetch origin main:refs/remotes/origin/main"
    assert said.endswith(
        f"no commit is called 'origin/main' here; the clone is shallow; fetch it: {advice}"
    )
    assert refusal(lambda: git.span(opened(clone), "HEAD~1")).endswith(
        "here; the clone is shallow; get the history: git fetch --unshallow"
    )
    clone.git(*advice.removeprefix("git ").split(), "--depth", "1")
    said = refusal(lambda: git.span(opened(clone), "origin/main"))
    assert said.endswith(
        "the clone is shallow: it lacks the commit where HEAD left origin/main; "
        "get the history: git fetch --unshallow"
    )
    clone.git("fetch", "-q", "--unshallow")
    assert git.span(opened(clone), "origin/main").base == repo.git("rev-parse", "main~1")


def test_edited_files_are_named_untracked_and_deleted_ones_too(repo):
    assert git.edited(opened(repo), ["."]) == ()
    repo.write({"a/one.yaml": "x", "a/new dir/é.yaml": "y"})
    (repo.root / "two.yaml").unlink()
    assert git.edited(opened(repo), ["."]) == ("a/new dir/é.yaml", "a/one.yaml", "two.yaml")
    assert git.edited(opened(repo), ["a"]) == ("a/new dir/é.yaml", "a/one.yaml")
    assert git.content(opened(repo), "a/one.yaml") == b"x"
    assert git.content(opened(repo), "two.yaml") is None


def test_variables_that_would_redirect_git_are_not_passed_on(repo, tmp_path):
    other = gitted.repository(tmp_path / "other")
    redirected = {**ENVIRONMENT, "GIT_DIR": str(other.root / ".git")}
    assert git.open_repository(repo.root, redirected).root == repo.root.resolve()


def test_a_path_is_named_from_the_root_and_must_be_inside(repo):
    assert opened(repo).path(repo.root / "a" / "one.yaml") == "a/one.yaml"
    said = refusal(lambda: opened(repo).path(Path("/etc/hosts")))
    assert said.startswith("/etc/hosts: the file is outside the repository ")


def test_the_work_tree_is_found_from_a_folder_below(repo):
    assert git.open_repository(repo.root / "a", ENVIRONMENT).root == repo.root.resolve()
