"""Two states of a repository's configuration: a commit, and what HEAD or the work tree made of it.

A file is known by the id of its content, so that what both sides share is read and parsed once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha1

from infx.model.document import Document
from infx.store import git
from infx.store.documents import parse_yaml


@dataclass(slots=True)
class Contents:
    """What files say, by the id of their content; read from git when it is asked for."""

    repository: git.Repository
    _bytes: dict[str, bytes] = field(default_factory=dict)
    _documents: dict[str, Document] = field(default_factory=dict)

    def add(self, data: bytes) -> str:
        """Keep content that stands in no commit, and return its id."""
        one = sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
        self._bytes[one] = data
        return one

    def fetch(self, ids: Iterable[str]) -> None:
        """Read many contents at once."""
        missing = [one for one in ids if one not in self._bytes]
        self._bytes |= git.blobs(self.repository, missing)

    def read(self, one: str) -> bytes:
        """Return a content."""
        self.fetch([one])
        return self._bytes[one]

    def document(self, one: str, file: str) -> Document:
        """Return a content as YAML in which repeated keys are let pass, parsed once.

        `file` names it in messages. Raises InputError for what is not YAML.
        """
        if one not in self._documents:
            self._documents[one] = parse_yaml(self.read(one), file, last_wins=True)
        return self._documents[one]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files of one side: path from the root -> id of its content.

    `prefix` stands before paths in messages: `1a2b3c4d5e6f:` for a commit that is not checked out.
    """

    files: Mapping[str, str]
    contents: Contents
    prefix: str = ""

    def name(self, path: str) -> str:
        """Return how a message names a file of this side."""
        return f"{self.prefix}{path}"

    def read(self, path: str) -> bytes | None:
        """Return what a file says, None where this side has none."""
        one = self.files.get(path)
        return None if one is None else self.contents.read(one)

    def document(self, path: str) -> Document:
        """Return a file as YAML; raises KeyError where this side has none."""
        return self.contents.document(self.files[path], self.name(path))


@dataclass(frozen=True, slots=True)
class Snapshots:
    """Both sides; `edited` are files whose uncommitted edits the head does not have."""

    span: git.Span
    base: Snapshot
    head: Snapshot
    edited: tuple[str, ...] = ()

    @property
    def files(self) -> frozenset[str]:
        """The files of either side."""
        return frozenset((*self.base.files, *self.head.files))

    def fetch(self, paths: Iterable[str]) -> None:
        """Read what both sides have at `paths`, all at once."""
        sides = (self.base.files, self.head.files)
        ids = (files[path] for path in paths for files in sides if path in files)
        self.head.contents.fetch(dict.fromkeys(ids))


def snapshots(repository: git.Repository, ref: str) -> Snapshots:
    """Return the commit where HEAD left `ref`, and HEAD; raises InputError as `git.span` does."""
    span = git.span(repository, ref)
    contents = Contents(repository)
    before = git.tree(repository, span.base)
    after = before if span.base == span.head else git.tree(repository, span.head)
    base = Snapshot(before, contents, f"{span.base[:12]}:")
    return Snapshots(span, base, Snapshot(after, contents))


def with_edits(both: Snapshots, paths: Sequence[str]) -> Snapshots:
    """Return the sides with the head's files at `paths` as they lie in the work tree."""
    contents = both.head.contents
    files = dict(both.head.files)
    for path in paths:
        data = git.content(contents.repository, path)
        if data is None:
            files.pop(path, None)
        else:
            files[path] = contents.add(data)
    return Snapshots(both.span, both.base, Snapshot(files, contents))
