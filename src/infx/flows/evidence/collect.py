"""The story of `infx evidence collect`: a repository, runs and a record to one submission.

What a commit says is read from git's objects. Every part that nobody can gather is None, and the
submission says why; nothing is judged.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from infx.errors import InputError, Problem
from infx.flows.acceptance import golden
from infx.flows.changed import Ask, compare
from infx.flows.changelog import Review, judge
from infx.flows.evidence import (
    artifacts,
    bundles,
    changelog,
    checkpoints,
    drafts,
    patches,
    raw,
    recipes,
)
from infx.flows.evidence.acceptance import acceptance
from infx.flows.evidence.curves import Figure, curves
from infx.flows.evidence.points import Trio, configs, jobs, others, points
from infx.flows.evidence.states import Reader, State, snapshot_of
from infx.flows.evidence.variants import Bound, bound
from infx.model.config_facts import Config
from infx.model.model_registry import ModelRegistry
from infx.model.pull_record import PullRecord
from infx.model.registry import HardwareRegistry, Thresholds
from infx.model.setting_registry import ArchitectureRegistry, DraftPrecisionRegistry
from infx.model.submission import Submission
from infx.policy.claims import claims
from infx.store import datasets, git
from infx.store.documents import read_json, validate
from infx.store.registries import registry

Parts = dict[str, Any]
"""Parts of a submission by their names; one that is not known is its reason, a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What evidence is gathered from.

    `measured` is the commit that was measured. `runs` are `[ENTRY=]BUNDLE`, `artifacts`
    `[RUN=]FOLDER`, `checkpoints` `REPOSITORY[@REVISION]=FOLDER`. `day` is that of the review, UTC.
    """

    ask: Ask
    day: date
    measured: str | None = None
    runs: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()
    pull: Path | None = None
    checkpoints: tuple[str, ...] = ()


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
    head, base = comparison.snapshots.span.head, comparison.snapshots.span.base
    repository = comparison.snapshots.head.contents.repository
    measured = _measured(repository, given.measured)
    record = None if given.pull is None else validate(read_json(given.pull), PullRecord)
    if record is not None and record.pull.head != head:
        what = f"it records {record.pull.head[:12]}, and HEAD is {head[:12]}"
        raise InputError(Problem(what, str(given.pull), "check out what it records"))
    both = comparison.snapshots
    start = repository.path(given.ask.folder)
    place = changelog.place(both.head.files, start)
    labels = () if record is None else record.pull.labels
    review = None
    if place is not None:
        texts = (both.base.read(place) or b"", both.head.read(place) or b"")
        review = judge(comparison, Path(place), texts, labels=labels)
    reader = Reader(comparison, {} if review is None else changelog.modes(review))
    trio = Trio(
        comparison=comparison,
        head=reader.at(head, both.head),
        base=reader.at(base, both.base),
        measured=None
        if measured is None
        else reader.at(measured, snapshot_of(repository, measured, both.head)),
    )
    if trio.head.problems:
        raise InputError(*trio.head.problems)
    parts = _Parts(given, trio, review, record)
    known = {**parts.repository(), **parts.recorded(), **parts.results()}
    unknown = {name: why for name, why in known.items() if isinstance(why, str)}
    submission = Submission(
        evidence="",
        day=given.day,
        head=head,
        base=base,
        measured=measured,
        unknown=unknown,
        **{name: value for name, value in known.items() if name not in unknown},
    )
    if submission.claims is None and submission.pull is not None:
        kept = {name: why for name, why in unknown.items() if name != "claims"}
        update = {"claims": claims(submission), "unknown": kept}
        submission = submission.model_copy(update=update)
    said = (*comparison.errors, *(one for side in (trio.base, trio.measured) if side
                                  for one in side.problems))  # fmt: skip
    return Gathered(submission, dict(parts.files()), tuple(dict.fromkeys(said)))


def _measured(repository: git.Repository, name: str | None) -> str | None:
    if name is None:
        return None
    found = git.resolve(repository, name)
    if found is None:
        what = f"no commit is called {name!r} here"
        raise InputError(Problem(what, str(repository.root), "fetch the commit that was measured"))
    return found


class _Parts:
    """Gathers the parts of one submission from what is given."""

    def __init__(
        self, given: Given, trio: Trio, review: Review | None, record: PullRecord | None
    ) -> None:
        self._given, self._trio, self._review, self._record = given, trio, review, record
        self._models = registry(ModelRegistry)
        self._hardware = registry(HardwareRegistry)
        self._configs: dict[str, Config] = {
            one.key: one for one in configs(trio, self._hardware, self._models)
        }
        self._bound: tuple[Bound, ...] = tuple(bound(trio))
        self._bundles = bundles.read(given.runs, self._configs)
        runs = None if record is None else record.runs
        self._artifacts = artifacts.read(given.artifacts, runs)

    def repository(self) -> Parts:
        """Return what the repository says."""
        trio, head = self._trio, self._trio.head
        given = checkpoints.read(self._given.checkpoints)
        prefixes = {key: one.prefix for key, one in self._configs.items()}
        frameworks = {key: one.framework for key, one in self._configs.items()}
        precision = registry(DraftPrecisionRegistry)
        architecture = registry(ArchitectureRegistry)
        return {
            "configs": tuple(self._configs.values()),
            "others": tuple(others(trio, self._hardware)),
            "points": tuple(points(trio)),
            "recipes": tuple(recipes.effective(self._bound, head.commit)),
            "acceptance": tuple(acceptance(self._bound, self._configs, golden(), head.commit)),
            "drafts": tuple(
                drafts.drafts(self._bound, precision, self._models, given, prefixes, head.commit)
            ),
            "overrides": tuple(recipes.overrides(self._bound, architecture, given, head.commit)),
            "publication": tuple(recipes.publication(self._bound, frameworks, head.commit)),
            "patches": tuple(patches.patches(trio, self._bound)),
            "waivers": tuple(
                patches.waivers(
                    head.snapshot,
                    trio.base.snapshot,
                    None if self._record is None else self._record.comments,
                )
            ),
            "changelog": changelog.changelog(self._review, trio.base, head)
            if self._review is not None
            else "the repository has no changelog",
            "expected_jobs": "nobody says which commit was measured"
            if trio.measured is None
            else tuple(jobs(trio.measured)),
        }

    def recorded(self) -> Parts:
        """Return what the record of the pull request says."""
        names = [name for name in PullRecord.model_fields if name not in ("unknown", "runs")]
        if self._record is None:
            return dict.fromkeys(names, "no record of the pull request was given")
        record = self._record
        why = dict.fromkeys(names, "the record of the pull request does not have it")
        found = {name: getattr(record, name) for name in names}
        return {
            name: {**why, **record.unknown}[name] if value is None else value
            for name, value in found.items()
        }

    def results(self) -> Parts:
        """Return what was measured."""
        state = self._trio.measured or self._trio.head
        matching = artifacts.Matching(state, self._hardware, self._configs)
        nothing = "no bundle and no artifacts of a run were given"
        asked = bool(self._bundles or self._artifacts)
        recorded = None if self._record is None else self._record.runs
        local = tuple(bundles.runs(self._bundles, self._trio_commit()))
        runs = (*(recorded or ()), *local)
        scores = tuple(
            score
            for one in self._artifacts
            for score in artifacts.evals(one, matching, registry(Thresholds))
        )
        return {
            "runs": runs if runs or recorded is not None else nothing,
            "evals": scores if self._artifacts else "no artifacts of evals were given",
            "curves": tuple(curves(self._figures(matching))) if asked else nothing,
            "clients": self._clients(matching) if asked else nothing,
            "workloads": self._workloads(state)
            if self._bundles
            else "only bundles say what was asked, and none was given",
            "outputs": "no answers were kept",
        }

    def files(self) -> Iterator[tuple[str, bytes | Path]]:
        """Yield the raw files that facts were read from, by their paths in the folder."""
        recipes_ = sorted({one.binding.file for one in self._bound})
        changelog_ = () if self._review is None else (str(self._review.file),)
        yield from raw.of_commit(self._trio, (*recipes_, *changelog_))
        if self._given.pull is not None:
            yield "pull.json", self._given.pull
        yield from raw.of_artifacts(self._artifacts)
        yield from raw.of_bundles(self._bundles)

    def _trio_commit(self) -> str | None:
        return None if self._trio.measured is None else self._trio.measured.commit

    def _figures(self, matching: artifacts.Matching) -> Iterator[Figure]:
        for one in self._artifacts:
            yield from artifacts.figures(one, matching)
        yield from bundles.figures(self._bundles)

    def _clients(self, matching: artifacts.Matching) -> tuple[object, ...]:
        foreign = (one for found in self._artifacts for one in artifacts.clients(found, matching))
        return (*foreign, *bundles.clients(self._bundles))

    def _workloads(self, state: State) -> tuple[object, ...]:
        known = datasets.registry()
        return tuple(bundles.workloads(self._bundles, state, self._models, known))
