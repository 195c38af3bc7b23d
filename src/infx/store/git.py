"""Facts out of a git repository, by object id, through git's own plumbing.

No text of a user reaches a shell, and a name that begins with a dash is never an option. What a
commit says is read from objects; only `edited` and `content` look at the work tree.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from infx.errors import InputError, MachineError, Problem
from infx.process import Command, Completed, exchange

ENVIRONMENT = ("PATH", "HOME", "LANG", "TMPDIR")
"""All that git may see of our environment: no variable of a caller redirects it."""

_TIMEOUT_S = 60.0
_UNSHALLOW = "get the history: git fetch --unshallow"
_FILE = "100"


@dataclass(frozen=True, slots=True)
class Repository:
    """A work tree and its repository; `shallow` when its history was cut at a clone."""

    root: Path
    shallow: bool
    environment: Mapping[str, str]

    def path(self, file: Path) -> str:
        """Return a file's path from the root, as objects name it.

        Raises InputError when it is outside.
        """
        try:
            inside = file.absolute().resolve().relative_to(self.root)
        except ValueError:
            what = f"the file is outside the repository {self.root}"
            raise InputError(Problem(what, str(file), "name a file of this repository")) from None
        return PurePosixPath(inside).as_posix()


@dataclass(frozen=True, slots=True)
class Span:
    """The two commits that are compared: `base` is where HEAD's history left `ref`."""

    ref: str
    base: str
    head: str


def open_repository(folder: Path, environment: Mapping[str, str]) -> Repository:
    """Return the repository that a folder belongs to; raise InputError when there is none."""
    allowed = {name: environment[name] for name in ENVIRONMENT if name in environment}
    done = _run(
        folder, allowed, "rev-parse", "--show-toplevel", "--is-shallow-repository", check=False
    )
    if done.code:
        raise InputError(
            Problem(_reason(done, "not a git repository"), str(folder), "run it in a clone")
        )
    root, shallow = done.stdout.decode(errors="surrogateescape").rstrip("\n").rsplit("\n", 1)
    return Repository(Path(root).resolve(), shallow == "true", allowed)


def span(repository: Repository, ref: str) -> Span:
    """Return HEAD, and the commit at which it left `ref`.

    Raises InputError for a ref that is unknown, for histories that share nothing, and where a
    shallow clone lacks what is needed.
    """
    if ref.startswith("-") or not ref.strip():
        raise InputError(Problem(f"{ref!r} is no name of a commit", None, "name a branch or a tag"))
    names = (f"{ref}^{{commit}}", "HEAD^{commit}")
    done = _git(repository, "rev-parse", *names, check=False)
    found = done.stdout.decode().split()
    if done.code:
        # rev-parse prints what it knows before it stops at the first name that it does not.
        known = [line for line in found if len(line) in (40, 64) and "^" not in line]
        raise _unknown(repository, "HEAD" if known else ref)
    tip, head = found
    if tip == head:
        return Span(ref, tip, head)
    merged = _git(repository, "merge-base", tip, head, check=False)
    base = merged.stdout.decode().strip()
    if merged.code or not base:
        raise _unrelated(repository, ref)
    return Span(ref, base, head)


def resolve(repository: Repository, ref: str) -> str | None:
    """Return the commit that a name stands for, or None when it stands for none."""
    if ref.startswith("-"):
        return None
    done = _git(repository, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}", check=False)
    return done.stdout.decode().strip() or None


def tree(repository: Repository, commit: str, paths: Sequence[str] = (".",)) -> dict[str, str]:
    """Return the blob id of every file of a commit, or of those at or under `paths`.

    Symbolic links and submodules are no files.
    """
    done = _git(repository, "ls-tree", "-r", "-z", "--full-tree", commit, "--", *paths)
    files = {}
    for line in done.stdout.decode(errors="surrogateescape").split("\0"):
        facts, _, path = line.partition("\t")
        if path and facts.startswith(_FILE):
            files[path] = facts.rpartition(" ")[2]
    return files


def blobs(repository: Repository, ids: Iterable[str]) -> dict[str, bytes]:
    """Return the content of each blob, all read by one process.

    Raises InputError for an object that a partial clone lacks.
    """
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        return {}
    given = "".join(f"{one}\n" for one in wanted).encode()
    output = memoryview(_git(repository, "cat-file", "--batch", given=given).stdout)
    found = {}
    start = 0
    for one in wanted:
        end = bytes(output[start : start + 200]).index(b"\n") + start
        head = bytes(output[start:end]).split()
        if len(head) != 3:
            what = f"the object {one} is missing"
            raise InputError(Problem(what, str(repository.root), "fetch it: git fetch --refetch"))
        size = int(head[2])
        found[one] = bytes(output[end + 1 : end + 1 + size])
        start = end + size + 2
    return found


def edited(repository: Repository, paths: Sequence[str]) -> tuple[str, ...]:
    """Return the files under `paths` that are not as in HEAD, untracked ones too, sorted."""
    done = _git(
        repository, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--",
        *paths,
    )  # fmt: skip
    lines = done.stdout.decode(errors="surrogateescape").split("\0")
    return tuple(sorted(line[3:] for line in lines if line))


def content(repository: Repository, path: str) -> bytes | None:
    """Return a file of the work tree, None where it is gone or is no plain file."""
    file = repository.root / path
    try:
        return file.read_bytes() if file.is_file() and not file.is_symlink() else None
    except OSError as error:
        raise InputError(
            Problem(f"the file cannot be read: {error.strerror}", str(file), "check it")
        ) from None


def configure(repository: Repository, name: str, value: str) -> None:
    """Set a value in the repository's own configuration."""
    _git(repository, "config", "--local", name, value)


def merge_file(
    repository: Repository, *, ours: Path, ancestor: Path, theirs: Path
) -> tuple[int, bytes]:
    """Merge line by line as git does; return the number of conflicts and the text with marks."""
    done = _git(
        repository, "merge-file", "-p", "-L", "ours", "-L", "base", "-L", "theirs",
        str(ours.absolute()), str(ancestor.absolute()), str(theirs.absolute()), check=False,
    )  # fmt: skip
    if done.code < 0 or done.code > 127:
        raise MachineError(Problem(_reason(done, "git merge-file failed"), str(ours)))
    return done.code, done.stdout


def _git(repository: Repository, *words: str, given: bytes = b"", check: bool = True) -> Completed:
    return _run(repository.root, repository.environment, *words, given=given, check=check)


def _run(
    folder: Path, environment: Mapping[str, str], *words: str, given: bytes = b"", check: bool
) -> Completed:
    argv = ("git", "--no-optional-locks", "--literal-pathspecs", *words)
    done = exchange(Command(argv, environment, cwd=folder), given, timeout_s=_TIMEOUT_S)
    if check and done.code:
        raise MachineError(Problem(_reason(done, f"git {words[0]} failed"), str(folder)))
    return done


def _reason(done: Completed, otherwise: str) -> str:
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return lines[0].removeprefix("fatal: ") if lines else otherwise


def _unknown(repository: Repository, ref: str) -> InputError:
    if ref == "HEAD":
        return InputError(Problem("there is no commit yet", str(repository.root), "commit first"))
    cut = "; the clone is shallow" if repository.shallow else ""
    what = f"no commit is called {ref!r} here{cut}"
    return InputError(Problem(what, str(repository.root), _way_to(repository, ref)))


def _way_to(repository: Repository, ref: str) -> str:
    """Say how to get a commit that is not here; the command makes the name known as it stands."""
    remotes = _git(repository, "remote").stdout.decode().split()
    if not set("~^@:").isdisjoint(ref):
        deepen = repository.shallow and remotes
        return _UNSHALLOW if deepen else "git log --oneline lists what is here"
    if not remotes:
        return "git branch --all lists what is here"
    remote, _, branch = ref.partition("/")
    if branch and remote in remotes:
        # A shallow clone follows one branch: others must be told where to go.
        to = f":refs/remotes/{ref}" if repository.shallow else ""
        return f"fetch it: git fetch {remote} {branch}{to}"
    first = "origin" if "origin" in remotes else remotes[0]
    if resolve(repository, f"{first}/{ref}"):
        return f"did you mean {first}/{ref}?"
    return f"fetch it: git fetch {first} {ref}:{ref}"


def _unrelated(repository: Repository, ref: str) -> InputError:
    where = str(repository.root)
    if repository.shallow:
        what = f"the clone is shallow: it lacks the commit where HEAD left {ref}"
        return InputError(Problem(what, where, _UNSHALLOW))
    what = f"HEAD and {ref} have no commit in common"
    return InputError(Problem(what, where, "name the branch that HEAD grew from"))
