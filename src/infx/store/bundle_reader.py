"""A run bundle, read: its manifest, its points, and what each of them holds."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from infx.errors import InputError, Problem
from infx.model.bundle import Manifest, PointFile
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.result import Counts, PointSummary
from infx.model.scrape import Page, Scrape
from infx.model.traits import traits
from infx.store import journal, samples
from infx.store.bundles import (
    FOLDER_NAME,
    MANIFEST,
    POINT,
    POINTS,
    REQUESTS,
    SAMPLES,
    SUMMARY,
    point_folder,
)
from infx.store.documents import read_json, validate


@dataclass(frozen=True, slots=True)
class Bundle:
    """One run's folder: the manifest and the points that began, in their order."""

    path: Path
    manifest: Manifest
    points: tuple[PointFile, ...]

    def summary(self, point: PointFile) -> PointSummary | None:
        """Return what the point says, None where it never came to its end.

        What tells it apart is taken from the point: summaries of earlier versions do not say it.
        Raises InputError when the file is not a summary.
        """
        path = point_folder(self.path, point) / SUMMARY
        if not path.exists():
            return None
        found = validate(read_json(path), PointSummary)
        return found.model_copy(update={"curve_key": point.curve_key, "traits": traits(point)})

    def records(self, point: PointFile) -> tuple[RequestRecord, ...]:
        """Return every request that the point issued, of all phases, by number.

        In a run that is going or was killed, requests without an end are `lost`, and a torn tail is
        passed over; in any other run it raises InputError, as a missing or altered journal does.
        A point whose artifact kept no requests has none.
        """
        if not point.keeps_requests:
            return ()
        path = point_folder(self.path, point) / REQUESTS
        return journal.records(path, tolerate_torn=self.manifest.state == "running")

    def scrapes(self, point: PointFile) -> Iterator[Scrape]:
        """Yield what was read of the server's metrics pages; nothing where none were asked for.

        A torn tail is passed over, and InputError raised, as `records` does.
        """
        path = point_folder(self.path, point) / SAMPLES
        if path.exists():
            yield from samples.read(path, tolerate_torn=self.manifest.state == "running")

    def scraped_pages(self, point: PointFile) -> Iterator[Page]:
        """Yield those of `scrapes` that are kept whole, which is quicker."""
        path = point_folder(self.path, point) / SAMPLES
        if path.exists():
            yield from samples.pages(path, tolerate_torn=self.manifest.state == "running")


def open_bundle(path: Path) -> Bundle:
    """Read a run's manifest and the `point.json` of each of its points.

    Raises InputError when the folder is no bundle, or a file of it does not hold what it should.
    """
    manifest = read_manifest(path)
    return Bundle(path, manifest, tuple(read_point(path, name) for name in manifest.points))


def read_manifest(path: Path) -> Manifest:
    """Read `manifest.json` of a run's folder; raises InputError when it is missing or bad."""
    file = path / MANIFEST
    if not file.is_file():
        what = f"this is not a run bundle: it has no {MANIFEST}"
        raise InputError(Problem(what, str(path), "infx runs list shows the runs there are"))
    return validate(read_json(file), Manifest)


def read_point(run: Path, name: str) -> PointFile:
    """Read the `point.json` in `points/<name>`; raises InputError also for one of another point."""
    file = run / POINTS / name / POINT
    if not FOLDER_NAME.fullmatch(name):
        raise InputError(Problem(f"{name!r} cannot name a point", str(run / MANIFEST)))
    point = validate(read_json(file), PointFile)
    if point.directory != name:
        what = f"the file is that of point {point.directory}"
        raise InputError(Problem(what, str(file), "restore the file"))
    return point


def count_ends(records: Iterable[RequestRecord], phase: Phase) -> Counts:
    """Count the requests of one phase by their end state."""
    counts = dict.fromkeys(EndState, 0)
    for record in records:
        if record.phase is phase:
            counts[record.state] += 1
    by_name = {state.value: count for state, count in counts.items()}
    return Counts(issued=sum(counts.values()), **by_name)
