"""Runs that are over, or were killed: list, open, verify, recover."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from infx.errors import InputError, Problem, nearest
from infx.flows.summary import summarise_in
from infx.model.bundle import Manifest, PointFile
from infx.model.record import RequestRecord
from infx.model.result import PointSummary, RunResult
from infx.store import bundle_audit, bundle_recovery
from infx.store.bundle_reader import Bundle, open_bundle, read_manifest
from infx.store.bundles import MANIFEST, is_alive, point_folder


@dataclass(frozen=True, slots=True)
class Run:
    """One run, opened from its folder."""

    bundle: Bundle

    @property
    def manifest(self) -> Manifest:
        """Who ran what, when, on which host."""
        return self.bundle.manifest

    @property
    def points(self) -> tuple[PointFile, ...]:
        """The points that began, in their order."""
        return self.bundle.points

    @property
    def result(self) -> RunResult:
        """The whole run as `--format json` prints it; raises InputError for a bad summary."""
        return result_of(self.bundle)

    def records(self, point_id: str, repetition: int = 0) -> tuple[RequestRecord, ...]:
        """Return every request of a point; a unique beginning of its id is enough.

        Raises InputError for an id that no point has, or several.
        """
        of_repetition = [point for point in self.points if point.repetition == repetition]
        found = [point for point in of_repetition if point.point_id.startswith(point_id)]
        if len(found) == 1:
            return self.bundle.records(found[0])
        known = [point.point_id[:16] for point in of_repetition]
        if found:
            what, remedy = f"{len(found)} points begin with {point_id!r}", "give more of the id"
        else:
            what = f"repetition {repetition} has no point {point_id!r}"
            remedy = nearest(point_id, known) if known else "the run has none"
        raise InputError(Problem(what, str(self.bundle.path), remedy))

    def __repr__(self) -> str:
        concurrencies = sorted({point.concurrency for point in self.points})
        lanes = ", ".join(map(str, concurrencies)) or "none"
        state = self.manifest.state
        return f"<Run {self.manifest.run}: {state}, {len(self.points)} points, concurrency {lanes}>"


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One folder of a list of runs: its manifest, or why that cannot be read.

    `alive` tells a run that is going from one whose client was killed; both say `running`.
    """

    path: Path
    manifest: Manifest | None
    problem: Problem | None
    alive: bool


def open_run(path: str | Path) -> Run:
    """Open a run's folder; raises InputError when it is no bundle or a file of it is bad."""
    return Run(open_bundle(Path(path)))


def list_runs(root: str | Path) -> tuple[RunEntry, ...]:
    """Return every run under `root`, by name, which is by time; an empty or missing root has none.

    Folders without a manifest are no runs; a manifest that cannot be read is listed as a problem.
    """
    return tuple(_entries(Path(root)))


def _entries(root: Path) -> Iterator[RunEntry]:
    for file in sorted(root.glob(f"*/{MANIFEST}")):
        path = file.parent
        try:
            manifest = read_manifest(path)
        except InputError as error:
            yield RunEntry(path, None, error.problems[0], alive=False)
        else:
            yield RunEntry(path, manifest, None, alive=is_alive(path))


def verify_run(path: str | Path) -> tuple[Problem, ...]:
    """Return everything that is wrong with a run's bundle; see `store.bundle_audit.verify`."""
    return bundle_audit.verify(Path(path))


def recover_run(path: str | Path) -> Run:
    """Finish the bundle of a killed run, and open it; see `store.bundle_recovery.recover`.

    Points that had no summary get one; they are not certified, as their client left no audit.
    """

    def anew(point: PointFile, records: tuple[RequestRecord, ...]) -> PointSummary:
        return summarise_in(point_folder(Path(path), point), point, records, torn=True)

    return Run(bundle_recovery.recover(Path(path), anew))


def result_of(bundle: Bundle) -> RunResult:
    """Return a run as one value: the summaries, and every reason against certifying the whole.

    Beside the reasons of its points a run has `run-<state>` unless it finished, `point-unfinished`
    when a point began and has no summary, and `no-points`.
    """
    summaries = [bundle.summary(point) for point in bundle.points]
    points = tuple(summary for summary in summaries if summary is not None)
    reasons: dict[str, None] = {}
    if bundle.manifest.state != "finished":
        reasons[f"run-{bundle.manifest.state}"] = None
    if len(points) < len(summaries):
        reasons["point-unfinished"] = None
    if not summaries:
        reasons["no-points"] = None
    reasons.update(dict.fromkeys(reason for point in points for reason in point.reasons))
    return RunResult(
        run=bundle.manifest.run,
        bundle=str(bundle.path),
        certified=not reasons,
        reasons=tuple(reasons),
        simulated=bundle.manifest.simulated,
        points=points,
    )
