"""The parts of a submission: each gathered from what is given, or why it is not known."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from infx.errors import InputError, Problem
from infx.flows.acceptance import golden
from infx.flows.changed import Ask
from infx.flows.changelog import Review
from infx.flows.evidence import (
    artifacts,
    bundles,
    changelog,
    checkpoints,
    drafts,
    figures,
    logs,
    measured,
    patches,
    raw,
    recipes,
    workloads,
)
from infx.flows.evidence.acceptance import acceptance
from infx.flows.evidence.changes import changes
from infx.flows.evidence.checkpoints import Checkpoints
from infx.flows.evidence.closures import closures
from infx.flows.evidence.curves import Figure, curves
from infx.flows.evidence.known import Known
from infx.flows.evidence.logs import Logs
from infx.flows.evidence.points import Trio, configs, jobs, others, points
from infx.flows.evidence.publication import publication, shown
from infx.flows.evidence.reached import reached
from infx.flows.evidence.scripts import Scripts
from infx.flows.evidence.states import State
from infx.flows.evidence.variants import Bound, bound
from infx.model.config_facts import Closure, Config, Patches
from infx.model.model_registry import ModelRegistry
from infx.model.pull_record import PullRecord
from infx.model.registry import HardwareRegistry, Thresholds
from infx.model.run_facts import ExpectedJob, Run
from infx.model.setting_registry import (
    ArchitectureRegistry,
    DraftPrecisionRegistry,
    PackageRegistry,
    ThinkingRegistry,
)
from infx.model.submission import Submission
from infx.store import datasets
from infx.store.registries import registry

if TYPE_CHECKING:
    from infx.store.hub import Hub

Found = dict[str, Any]
"""Parts of a submission by their names; one that is not known is its reason, a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What evidence is gathered from.

    `measured` is the commit that was measured. `runs` are `[ENTRY=]BUNDLE`, `artifacts`
    `[RUN=]PATH`, `logs` `ENTRY:ROLE:CONCURRENCIES[:eval]=FILE`, `checkpoints`
    `REPOSITORY[@REVISION]=FOLDER`, or without a folder what is to be asked of the `hub`; `on_talk`
    hears of that. `day` is that of the review, UTC.
    """

    ask: Ask
    day: date
    measured: str | None = None
    runs: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()
    logs: tuple[str, ...] = ()
    pull: Path | None = None
    checkpoints: tuple[str, ...] = ()
    hub: "Hub | None" = None
    on_talk: Callable[[str], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class _Inputs:
    """What a caller gave beside the repository, read."""

    checkpoints: Checkpoints
    logs: Logs
    bundles: tuple[bundles.Given, ...]
    artifacts: tuple[artifacts.Artifacts, ...]


T = TypeVar("T")


def _inputs(
    given: Given, affected: Mapping[str, Config], state: State, runs: tuple[Run, ...] | None
) -> _Inputs:
    """Read what is given; raises InputError with the problems of all of it."""
    problems: list[Problem] = []

    def tried(read: Callable[[], T], nothing: T) -> T:
        try:
            return read()
        except InputError as error:
            problems.extend(error.problems)
            return nothing

    found = _Inputs(
        tried(lambda: checkpoints.read(given.checkpoints, given.hub, given.on_talk), Checkpoints()),
        tried(lambda: logs.read(given.logs, affected), Logs()),
        tried(lambda: bundles.read(given.runs, affected, state), ()),
        tried(lambda: artifacts.read(given.artifacts, runs), ()),
    )
    if problems:
        raise InputError(*problems)
    return found


def _expected(trio: Trio) -> tuple[ExpectedJob, ...] | str:
    if trio.measured is None:
        return "nobody says which commit was measured"
    if trio.measured.problems:
        told = "; ".join(one.what for one in trio.measured.problems)
        return f"the catalog of the measured commit cannot be read: {told}"
    return tuple(jobs(trio.measured))


class Parts:
    """Gathers the parts of one submission from what is given."""

    def __init__(
        self, given: Given, trio: Trio, review: Review | None, record: PullRecord | None
    ) -> None:
        self._given, self._trio, self._review, self._record = given, trio, review, record
        self._hardware = registry(HardwareRegistry)
        models, thinking = registry(ModelRegistry), registry(ThinkingRegistry)
        affected = {one.key: one for one in configs(trio, self._hardware, thinking)}
        state = trio.measured or trio.head
        inputs = _inputs(given, affected, state, None if record is None else record.runs)
        self._known = Known(
            commit=trio.head.commit,
            configs=affected,
            models=models,
            precision=registry(DraftPrecisionRegistry),
            architecture=registry(ArchitectureRegistry),
            thinking=thinking,
            golden=golden(),
            checkpoints=inputs.checkpoints,
            logs=Logs((*inputs.logs.known, *logs.of_bundles(inputs.bundles))),
        )
        packages = registry(PackageRegistry)
        self._head = Scripts(trio.head, packages, self._hardware)
        self._base = Scripts(trio.base, packages, self._hardware)
        self._bound: tuple[Bound, ...] = tuple(bound(trio.head, self._head))
        self._reached = reached(trio.comparison, packages, self._hardware)
        self._bundles, self._artifacts = inputs.bundles, inputs.artifacts

    def repository(self) -> Found:
        """Return what the repository says."""
        trio, known = self._trio, self._known
        comments = None if self._record is None else self._record.comments
        pages = patches.waivers(trio.head.snapshot, trio.base.snapshot, comments)
        return {
            "configs": (*known.configs.values(), *self._by_script()),
            "others": tuple(others(trio, self._hardware)),
            "points": tuple(points(trio)),
            "recipes": tuple(recipes.effective(self._bound, known.precision, known.commit)),
            "acceptance": tuple(acceptance(self._bound, known)),
            "drafts": tuple(drafts.drafts(self._bound, known)),
            "overrides": tuple(recipes.overrides(self._bound, known)),
            "publication": tuple(
                publication(
                    self._bound, known.configs, known.commit, shown(self._bundles, self._record)
                )
            ),
            "patches": (
                *patches.patches(self._bound, self._head, self._base),
                *self._patches_by_script(),
            ),
            "closures": (
                *closures(trio, self._base, self._head),
                *self._closures_by_script(),
            ),
            "changes": tuple(changes(self._base, self._head)),
            "waivers": tuple(pages),
            "changelog": changelog.changelog(self._review, trio.head)
            if self._review is not None
            else "the repository has no changelog",
            "expected_jobs": _expected(trio),
        }

    def _by_script(self) -> Iterator[Config]:
        if self._reached is not None:
            trio, _, _ = self._reached
            for one in configs(trio, self._hardware, self._known.thinking):
                yield one.model_copy(update={"change": "script"})

    def _patches_by_script(self) -> Iterator[Patches]:
        if self._reached is not None:
            trio, head, base = self._reached
            yield from patches.patches(bound(trio.head, head), head, base)

    def _closures_by_script(self) -> Iterator[Closure]:
        if self._reached is not None:
            trio, head, base = self._reached
            yield from closures(trio, base, head)

    def recorded(self) -> Found:
        """Return what the record of the pull request says."""
        names = [name for name in PullRecord.model_fields if name in Submission.model_fields]
        names = [name for name in names if name not in ("unknown", "runs")]
        if self._record is None:
            return dict.fromkeys(names, "no record of the pull request was given")
        record = self._record
        why = dict.fromkeys(names, "the record of the pull request does not have it")
        found = {name: getattr(record, name) for name in names}
        return {
            name: {**why, **record.unknown}[name] if value is None else value
            for name, value in found.items()
        }

    def results(self) -> Found:
        """Return what was measured."""
        state = self._trio.measured or self._trio.head
        matching = artifacts.Matching(state, self._hardware, self._known.configs)
        nothing = "no bundle and no artifacts of a run were given"
        asked = bool(self._bundles or self._artifacts)
        recorded = None if self._record is None else self._record.runs
        local = tuple(bundles.runs(self._bundles, self._trio_commit()))
        runs = (*(recorded or ()), *local)
        scores = tuple(
            score
            for one in self._artifacts
            for score in artifacts.evals(one, matching, registry(Thresholds), self._known.logs)
        )
        return {
            "runs": runs if runs or recorded is not None else nothing,
            "evals": scores if self._artifacts else self._no_evals(),
            "curves": tuple(curves(self._figures(matching), self._beside(matching)))
            if asked
            else nothing,
            "clients": self._clients(matching) if asked else nothing,
            **self._measured(),
        }

    def said(self) -> tuple[Problem, ...]:
        """Return what was given and counts for nothing."""
        return tuple(bundles.unasked(self._bundles))

    def files(self) -> Iterator[tuple[str, bytes | Path]]:
        """Yield the raw files that facts were read from, by their paths in the folder."""
        recipes_ = sorted({one.binding.file for one in self._bound})
        changelog_ = () if self._review is None else (str(self._review.file),)
        yield from raw.of_commit(self._trio, (*recipes_, *changelog_))
        if self._given.pull is not None:
            yield "pull.json", self._given.pull
        yield from raw.of_artifacts(self._artifacts)
        yield from raw.of_bundles(self._bundles)
        yield from raw.of_checkpoints(self._known.checkpoints.known)
        yield from ((log.name, log.path) for log in self._known.logs.known)

    def _no_evals(self) -> str:
        none = "no artifacts of evals were given"
        return f"{none}, and run bundles hold no scores" if self._bundles else none

    def _trio_commit(self) -> str | None:
        return None if self._trio.measured is None else self._trio.measured.commit

    def _figures(self, matching: artifacts.Matching) -> Iterator[Figure]:
        for one in self._artifacts:
            yield from artifacts.figures(one, matching)
        yield from figures.figures(self._bundles)

    def _beside(self, matching: artifacts.Matching) -> Iterator[Figure]:
        for one in self._artifacts:
            yield from artifacts.beside(one, matching)

    def _clients(self, matching: artifacts.Matching) -> tuple[object, ...]:
        foreign = (
            one
            for found in self._artifacts
            for one in artifacts.clients(found, matching, self._known.logs)
        )
        return (*foreign, *bundles.clients(self._bundles))

    def _measured(self) -> Found:
        found = self._bundles
        if not found:
            nothing = "only run bundles say it, and none was given"
            return dict.fromkeys(("workloads", "measurements", "outputs"), nothing)
        known = datasets.registry()
        return {
            "workloads": tuple(workloads.workloads(found, self._known.models, known)),
            "measurements": tuple(measured.measurements(found)),
            "outputs": tuple(measured.outputs(found)),
        }
