"""Finish a bundle whose writer was killed: whole journals, all counts, final manifest."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from infx.clock import NS
from infx.errors import InputError, Problem
from infx.model.bundle import Manifest, PointFile
from infx.model.record import Phase, RequestRecord
from infx.model.result import PointSummary
from infx.store import frame_file, journal, journal_parts
from infx.store.bundle_reader import Bundle, count_ends, open_bundle, read_manifest, read_point
from infx.store.bundles import (
    POINT,
    POINTS,
    REQUESTS,
    SAMPLES,
    BundleWriter,
    Lock,
    point_folder,
)
from infx.store.files import TEMPORARY

Summarise = Callable[[PointFile, tuple[RequestRecord, ...]], PointSummary]
"""Computes what a point says from its records: metrics are another room's."""

KILLED = "the client was killed before the run ended"


def recover(path: Path, summarise: Summarise) -> Bundle:
    """Finish the bundle of a killed run and return it; its state is then `recovered`.

    Torn journals lose their tail, parts of one are merged, requests without an end become `lost`, a
    point whose summary is missing or counts otherwise is summarised anew. A second `recover` goes
    on where a killed one stopped. Raises InputError when the run has ended by itself, is still
    going, or was altered.
    """
    _unfinished(path)
    lock = Lock(path)
    try:
        manifest = _unfinished(path)
        for leftover in path.rglob(f".*{TEMPORARY}"):
            leftover.unlink()
        points = tuple(read_point(path, name) for name in _begun(path, manifest))
        names = tuple(point.directory for point in points)
        writer = BundleWriter(path, manifest.model_copy(update={"points": names}), lock)
        last = max((_finish(writer, point, summarise) for point in points), default=None)
        writer.close("recovered", _ended(manifest, last), KILLED)
    except BaseException:
        lock.release()
        raise
    return open_bundle(path)


def _unfinished(path: Path) -> Manifest:
    manifest = read_manifest(path)
    if manifest.state != "running":
        what = f"there is nothing to recover: the run is {manifest.state}"
        raise InputError(Problem(what, str(path), "show it with: infx runs show"))
    return manifest


def _begun(path: Path, manifest: Manifest) -> Iterator[str]:
    """Yield the points that began: those listed, and one killed just before its listing."""
    yield from manifest.points
    for file in sorted((path / POINTS).glob(f"*/{POINT}")):
        if file.parent.name not in manifest.points:
            yield file.parent.name


def _finish(writer: BundleWriter, point: PointFile, summarise: Summarise) -> int:
    """Finish one point and return the last moment that its journal knows, 0 when it knows none."""
    path = point_folder(writer.path, point) / REQUESTS
    if not path.exists():
        journal.Journal(path).close()
    journal.recover(path)
    journal_parts.gather(path)
    samples = path.with_name(SAMPLES)
    if samples.exists():
        frame_file.cut(samples)
    bundle = Bundle(writer.path, writer.manifest, (point,))
    records = bundle.records(point)
    if not _counts_all(bundle.summary(point), records):
        writer.end_point(point, summarise(point, records))
    return max((record.end_ns or record.sent_ns for record in records), default=0)


def _counts_all(summary: PointSummary | None, records: tuple[RequestRecord, ...]) -> bool:
    return summary is not None and (summary.counts, summary.warmup_counts) == (
        count_ends(records, Phase.PROFILING),
        count_ends(records, Phase.WARMUP),
    )


def _ended(manifest: Manifest, last_ns: int | None) -> str:
    """Return the wall time of the last known moment; the run's start when there is none."""
    if not last_ns:
        return manifest.started
    wall_ns = manifest.anchor.wall_ns + last_ns - manifest.anchor.monotonic_ns
    return datetime.fromtimestamp(wall_ns / NS, UTC).isoformat(timespec="seconds")
