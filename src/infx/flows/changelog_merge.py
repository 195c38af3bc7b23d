"""The story of the merge driver: git hands over three texts of the changelog, one comes back."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from infx.errors import InputError, Problem
from infx.matrix.changelog_merge import join
from infx.store import git
from infx.store.files import refused

NAME = "infx-changelog"
ATTRIBUTES = ".gitattributes"


@dataclass(frozen=True, slots=True)
class Merged:
    """How a merge ended; `conflicts` are counted as git counts them, 0 is a clean one."""

    conflicts: int


def merge(
    files: tuple[Path, Path, Path],
    environment: Mapping[str, str],
    *,
    folder: Path,
    path: str | None = None,
    base: str = "origin/main",
) -> Merged:
    """Join the ancestor's, our and their text into our file, as git asks of a merge driver.

    What `base` has of the file at `path` goes first, so that the history that others see stays as
    it is; where that does not decide, ours goes first. Texts that do more than append and correct
    links are merged line by line, with git's marks where they conflict.
    """
    ancestor, ours, theirs = (_read(folder / file) for file in files)
    repository = git.open_repository(folder, environment)
    known = _published(repository, base, path)
    swap = known is not None and known.startswith(theirs) and not known.startswith(ours)
    sides = (theirs, ours) if swap else (ours, theirs)
    joined = join(ancestor, *sides)
    conflicts = 0
    if joined is None:
        spelled = [folder / file for file in files]
        conflicts, joined = git.merge_file(
            repository, ancestor=spelled[0], ours=spelled[1], theirs=spelled[2]
        )
    _write(folder / files[1], joined)
    return Merged(conflicts)


def install(
    file: Path, environment: Mapping[str, str], *, folder: Path, base: str = "origin/main"
) -> tuple[Path, str]:
    """Tell a repository to merge the changelog with us; return the attributes file and its line.

    The driver is written into the clone's own configuration; the line has to be committed once.
    """
    repository = git.open_repository(folder, environment)
    path = repository.path(folder / file)
    if any(char.isspace() or char in '"*?[\\' for char in path):
        what = "git's attributes cannot name a path with such characters"
        raise InputError(Problem(what, path, "rename the file"))
    driver = f"infx changelog merge --base {shlex.quote(base)} %O %A %B %P"
    git.configure(repository, f"merge.{NAME}.name", "appends entries of both sides")
    git.configure(repository, f"merge.{NAME}.driver", driver)
    line = f"/{path} merge={NAME}"
    attributes = repository.root / ATTRIBUTES
    text = _read(attributes) if attributes.exists() else b""
    if line.encode() not in text.split(b"\n"):
        separator = b"" if not text or text.endswith(b"\n") else b"\n"
        _write(attributes, text + separator + line.encode() + b"\n")
    return attributes, line


def _published(repository: git.Repository, base: str, path: str | None) -> bytes | None:
    """Return what others see of the file, None where that is not known."""
    commit = git.resolve(repository, base)
    if commit is None or path is None:
        return None
    found = git.tree(repository, commit, [path])
    return git.blobs(repository, found.values())[found[path]] if path in found else None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        what = f"the file cannot be read: {error.strerror}"
        raise InputError(
            Problem(what, str(path), "git calls this with the files to merge")
        ) from None


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise refused(path, "write the merged text", error) from None
