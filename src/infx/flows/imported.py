"""Points that were measured elsewhere, on their way into a bundle of ours."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from infx.flows.runs import Run, open_run
from infx.flows.summary import summarise_in
from infx.metrics import METRICS
from infx.model.bundle import Manifest, PointFile
from infx.model.record import Issue, RequestRecord
from infx.model.result import Absent, Counts, Metric, PointSummary
from infx.model.traits import traits
from infx.store import bundles
from infx.store.bundles import POINTS, REQUESTS, BundleWriter
from infx.store.journal import Journal

IMPORTED = "imported"
"""The folder of a point that holds what was imported, as it was."""
NOT_KEPT = Absent(reason="what was imported keeps no single requests and does not say it")
NO_COUNTS = Absent(reason="what was imported does not say how many requests there were")
AGAINST = ("client-not-audited", "requests-not-kept")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What the user states of a run that does not say it: of the server, and its concurrency."""

    concurrency: int | None = None
    gpus: int | None = None
    hardware: str | None = None
    engine: str | None = None
    image: str | None = None
    model: str | None = None
    precision: str | None = None


@dataclass(frozen=True, slots=True)
class Imported:
    """One point that was read, and the files that go into its folder.

    `summary` stands in the place of `records` where the artifact keeps no single requests.
    """

    point: PointFile
    manifest: Manifest
    records: tuple[RequestRecord, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    summary: PointSummary | None = None
    foreign: bool = False


def write_points(out: Path, manifest: Manifest, read: Sequence[Imported]) -> Run:
    """Make a bundle under `out` of points; one that is there already is its next repetition.

    It ends as the worst of its runs did. Raises MachineError when the machine refuses.
    """
    writer = bundles.create(out, manifest.model_copy(update={"state": "running", "points": ()}))
    for one in _apart(read):
        _write(writer, one)
    ends = [one.manifest for one in read]
    worst = next((one for one in ends if one.state != "finished"), ends[0])
    writer.close(worst.state, max(one.ended or one.started for one in ends), worst.failure)
    return open_run(writer.path)


def _apart(read: Sequence[Imported]) -> Iterator[Imported]:
    seen: set[str] = set()
    for one in read:
        point, summary = one.point, one.summary
        while point.directory in seen:
            point = point.model_copy(update={"repetition": point.repetition + 1})
        if summary is not None:
            summary = summary.model_copy(update={"repetition": point.repetition})
        seen.add(point.directory)
        yield replace(one, point=point, summary=summary)


def _write(writer: BundleWriter, one: Imported) -> None:
    folder = writer.begin_point(one.point)
    for name, data in one.files.items():
        writer.add_file(f"{POINTS}/{one.point.directory}/{name}", data)
    if one.summary is not None:
        writer.end_point(one.point, one.summary)
        return
    with Journal(folder / REQUESTS) as journal:
        for record in one.records:
            facts = {name: getattr(record, name) for name in Issue.__dataclass_fields__}
            journal.issue(Issue(**facts))
            journal.end(record)
    writer.end_point(one.point, summarise_in(folder, one.point, one.records))


def summary_of(
    point: PointFile, metrics: Mapping[str, Metric], *, counts: Counts | Absent = NO_COUNTS
) -> PointSummary:
    """Return what an artifact without single requests says; each other metric is absent."""
    return PointSummary(
        point_id=point.point_id,
        curve_key=point.curve_key,
        traits=traits(point),
        concurrency=point.concurrency,
        rate=point.rate,
        repetition=point.repetition,
        achieved_concurrency=None,
        certified=False,
        reasons=AGAINST,
        counts=counts,
        warmup_counts=NO_COUNTS,
        error_reasons={},
        steady=NOT_KEPT,
        metrics={**dict.fromkeys(METRICS, NOT_KEPT), **metrics},
    )
