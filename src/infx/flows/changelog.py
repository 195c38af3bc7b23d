"""The stories of `infx changelog`: judge what a change adds to it, and add what a change needs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from infx.errors import InputError, Problem
from infx.flows.changed import Ask, Comparison, compare
from infx.flows.generation import ungenerated
from infx.matrix.affected import KeyChange
from infx.matrix.append_only import scenarios
from infx.matrix.changelog import Delta, Links, delta, repository_of
from infx.matrix.changelog_rules import Additions, Case, uncovered, violations
from infx.matrix.changelog_write import appended
from infx.model.changelog import SCENARIOS, ChangelogCheck, Entry, Scenario
from infx.store.documents import parse_yaml, validate
from infx.store.files import refused

FILE = "perf-changelog.yaml"
PLACES = (FILE, f"catalog/{FILE}", f"inferencex-e2e/{FILE}")
"""Where the changelog is looked for, from the folder of the command."""


@dataclass(frozen=True, slots=True)
class Review:
    """A comparison, and what it makes of the changelog's new entries.

    `additions` is None where no entry was added, or none could be read.
    """

    comparison: Comparison
    file: Path
    old: bytes
    new: bytes
    delta: Delta
    additions: Additions | None
    problems: tuple[Problem, ...]

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries that the change adds."""
        return self.additions.entries if self.additions else ()


def check(
    ask: Ask,
    environment: Mapping[str, str],
    *,
    file: Path | None = None,
    pr_link: str | None = None,
    labels: Sequence[str] = (),
) -> Review:
    """Judge what a change does to the changelog; with `pr_link`, links must be exactly that one.

    Raises InputError as `changed.compare` does, and where there is no changelog.
    """
    path = place(ask.folder, file)
    comparison = compare(ask, environment, (path,))
    both = comparison.snapshots
    inside = both.head.contents.repository.path(ask.folder / path)
    old, new = both.base.read(inside) or b"", both.head.read(inside)
    if new is None:
        if ask.worktree:
            raise InputError(Problem("there is no such file", str(path), "begin it empty"))
        remedy = "commit it, or look at the work tree with --worktree"
        raise InputError(Problem("HEAD has no such file", str(path), remedy))
    return judge(comparison, path, (old, new), pr_link=pr_link, labels=labels)


def judge(
    comparison: Comparison,
    file: Path,
    texts: tuple[bytes, bytes],
    *,
    pr_link: str | None = None,
    labels: Sequence[str] = (),
) -> Review:
    """Judge a new text of the changelog beside the old one and what really changed."""
    old, new = texts
    links = Links(repository_of(old), pr_link)
    found = delta(old, new, str(file), links)
    review = Review(comparison, file, old, new, found, None, found.problems)
    if found.edited:
        return review
    additions = None
    if found.tail.strip():
        try:
            additions = _additions(found)
        except InputError as error:
            return replace(review, problems=(*found.problems, *error.problems))
    case = Case(
        delta=found,
        additions=additions,
        changes=comparison.changes,
        sides=comparison.sides,
        links=links,
        labels=labels,
    )
    rules = list(violations(case))
    if additions is not None:
        rules += ungenerated(comparison, additions)
    return replace(review, additions=additions, problems=(*found.problems, *rules))


def _additions(found: Delta) -> Additions:
    # Empty lines stand for the history: what is added keeps its line numbers.
    text = b"\n" * (found.line - 1) + found.tail
    try:
        document = parse_yaml(text, found.file)
    except InputError as error:
        # A byte that the contract forbids keeps YAML from being read: that is one fault.
        told = {one.where for one in found.problems}
        raise InputError(*(one for one in error.problems if one.where not in told)) from None
    return Additions(document, validate(document, tuple[Entry, ...]))


def summary(review: Review) -> ChangelogCheck:
    """Return a review as it is printed."""
    return ChangelogCheck.model_validate(
        {
            "file": str(review.file),
            "base": review.comparison.ask.base,
            "entries": len(review.entries),
            "changed": tuple(one.key for one in review.comparison.changes),
            "violations": tuple(map(str, review.problems)),
        }
    )


@dataclass(frozen=True, slots=True)
class Added:
    """The text that was appended to a file; empty where every change had its entry."""

    file: Path
    text: str
    comparison: Comparison


def add(
    ask: Ask,
    environment: Mapping[str, str],
    description: Sequence[str],
    *,
    file: Path | None = None,
    pr_link: str | None = None,
) -> Added:
    """Append the entry for what the work tree changed and no new entry names yet.

    Raises InputError for a changelog that breaks its contract already, and for a bad link.
    """
    ask = replace(ask, worktree=True)
    review = check(ask, environment, file=file)
    comparison = review.comparison
    if review.delta.problems or (review.delta.tail.strip() and review.additions is None):
        raise InputError(*review.problems)
    sides = comparison.sides
    missing = uncovered(review.entries, comparison.changes, sides.head_names)
    if not missing:
        return Added(review.file, "", comparison)
    repository = repository_of(review.old)
    link = pr_link or (f"https://github.com/{repository}/pull/XXX" if repository else "XXX")
    entry = Entry.model_validate(
        {
            "config-keys": tuple(one.key for one in missing),
            "description": tuple(description),
            "pr-link": link,
            "scenario-type": _scenarios(missing, comparison),
        }
    )
    text = appended(entry, first=not review.new)
    after = judge(comparison, review.file, (review.old, review.new + text))
    if after.problems:
        raise InputError(*after.problems)
    _append(ask.folder / review.file, text)
    return Added(review.file, text.decode(), comparison)


def _scenarios(missing: Sequence[KeyChange], comparison: Comparison) -> tuple[Scenario, ...] | None:
    """Return the scenarios that changed, None where these are all that the keys have."""
    keys = comparison.sides.head_keys
    has = {one for change in missing for one in scenarios(keys[change.key])}
    changed = {one for change in missing for one in change.scenarios}
    return None if has <= changed else tuple(one for one in SCENARIOS if one in changed)


def _append(path: Path, text: bytes) -> None:
    """Write behind the last byte: what stands in the file is not touched."""
    try:
        with path.open("ab") as file:
            file.write(text)
    except OSError as error:
        raise refused(path, "write the changelog", error) from None


def place(folder: Path, file: Path | None) -> Path:
    """Return the changelog that is named, else the one that is found from a folder."""
    if file is not None:
        return file
    found = (Path(place) for place in PLACES if (folder / place).is_file())
    return next(found, Path(FILE))
