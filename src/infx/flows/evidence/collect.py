"""The story of `infx evidence collect`: a repository, runs and a record to one submission.

What a commit says is read from git's objects. Every part that nobody can gather is None, and the
submission says why; nothing is judged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from infx.errors import InputError, Problem
from infx.flows.changed import Comparison, compare
from infx.flows.changelog import Review, judge
from infx.flows.evidence import changelog
from infx.flows.evidence.parts import Given, Parts
from infx.flows.evidence.points import Trio
from infx.flows.evidence.states import Reader, snapshot_of
from infx.model.pull_record import PullRecord
from infx.model.submission import Submission
from infx.policy.claims import claims
from infx.store import git
from infx.store.documents import read_json, validate


@dataclass(slots=True)
class Gathered:
    """A submission, the raw files that it was read from, and what could not be read."""

    submission: Submission
    files: dict[str, bytes | Path] = field(default_factory=dict)
    said: tuple[Problem, ...] = ()


def collect(given: Given, environment: Mapping[str, str]) -> Gathered:
    """Gather the facts of a submission.

    Raises InputError for what is given and cannot be used: a folder outside git, unknown commits,
    files of other forms than they should have.
    """
    comparison = compare(given.ask, environment)
    record = None if given.pull is None else validate(read_json(given.pull), PullRecord)
    head = comparison.snapshots.span.head
    if record is not None and record.pull.head != head:
        what = f"it records {record.pull.head[:12]}, and HEAD is {head[:12]}"
        raise InputError(Problem(what, str(given.pull), "check out what it records"))
    review = _review(comparison, given.ask.folder, () if record is None else record.pull.labels)
    trio = _trio(comparison, review, given.measured)
    if trio.head.problems:
        raise InputError(*trio.head.problems)
    parts = Parts(given, trio, review, record)
    sides = (trio.base, trio.measured)
    unread = [one for side in sides if side is not None for one in side.problems]
    said = dict.fromkeys((*comparison.errors, *unread, *parts.said()))
    return Gathered(_submission(given.day, trio, parts), dict(parts.files()), tuple(said))


def _review(comparison: Comparison, folder: Path, labels: Sequence[str]) -> Review | None:
    """Return what the change does to the changelog, None where the head has none."""
    both = comparison.snapshots
    place = changelog.place(both.head.files, both.head.contents.repository.path(folder))
    if place is None:
        return None
    texts = (both.base.read(place) or b"", both.head.read(place) or b"")
    return judge(comparison, Path(place), texts, labels=labels)


def _trio(comparison: Comparison, review: Review | None, measured: str | None) -> Trio:
    both = comparison.snapshots
    reader = Reader(comparison, {} if review is None else changelog.modes(review))
    repository = both.head.contents.repository
    commit = _measured(repository, measured)
    return Trio(
        comparison=comparison,
        head=reader.at(both.span.head, both.head),
        base=reader.at(both.span.base, both.base),
        measured=None
        if commit is None
        else reader.at(commit, snapshot_of(repository, commit, both.head)),
    )


def _submission(day: date, trio: Trio, parts: Parts) -> Submission:
    known = {**parts.repository(), **parts.recorded(), **parts.results()}
    unknown = {name: why for name, why in known.items() if isinstance(why, str)}
    found = Submission(
        evidence="",
        day=day,
        head=trio.head.commit,
        base=trio.base.commit,
        measured=None if trio.measured is None else trio.measured.commit,
        unknown=unknown,
        **{name: value for name, value in known.items() if name not in unknown},
    )
    if found.pull is None or found.claims is not None:
        return found
    # What a description claims is compared with all other facts, so it comes last.
    kept = {name: why for name, why in unknown.items() if name != "claims"}
    return found.model_copy(update={"claims": claims(found), "unknown": kept})


def _measured(repository: git.Repository, name: str | None) -> str | None:
    if name is None:
        return None
    found = git.resolve(repository, name)
    if found is None:
        what = f"no commit is called {name!r} here"
        raise InputError(Problem(what, str(repository.root), "fetch the commit that was measured"))
    return found
